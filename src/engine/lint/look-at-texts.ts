import type { Scene, SceneImage } from '../../template/scene.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { contrastRatio, lowestTenth, luminance } from './contrast.ts';
import type { Sighting } from './lint-finding.ts';
import { MOST_TEXTS, type TextVariants, taggedText, textVariants } from './text-variants.ts';

/** What is seen of one text on one frame. */
export interface TextSight {
  /** The WCAG contrast ratio that nine tenths of its inside have with what lies behind. */
  readonly ratio: number;
  /** The edge of the picture cuts it. */
  readonly isCut: boolean;
}

/** So much of a pixel has to be text for it to count as its inside. */
const INSIDE = 0.9;
/** Pixels of the longer side, of the pictures and of the images in them. */
const LONG_SIDE = 1280;
const LARGEST_IMAGE = 480;
/** Fewer pixels say nothing: what is left of a word that fades, or a text too fine for this size. */
const FEWEST_PIXELS = 24;

/**
 * Looks at texts on the frames where they are best seen: four pictures of each such frame, with and without them, tell
 * which pixels they cover, whatever their colour and whatever lies behind, above or around them.
 *
 * @param sightings of the texts, by editable
 * @returns by editable; a text of which nothing is seen is not there
 */
export async function lookAtTexts(
  scene: Scene,
  sightings: ReadonlyMap<string, Sighting>,
): Promise<Map<string, TextSight>> {
  const editables = [...sightings.keys()].slice(0, MOST_TEXTS);
  const sights = new Map<string, TextSight>();
  if (editables.length === 0) return sights;
  const variants = textVariants(forLooking(scene), editables);
  const frames = [...new Set(editables.map((editable) => sightings.get(editable)!.frame))];
  const pictures = {
    whole: await drawAll(variants.whole, frames),
    bare: await drawAll(variants.bare, frames),
    bright: await drawAll(variants.bright, frames),
    dark: await drawAll(variants.dark, frames),
  };
  for (const [at, frame] of frames.entries()) {
    const { whole, bare, bright, dark } = pictures;
    const measured = measure(
      { whole: whole[at]!, bare: bare[at]!, bright: bright[at]!, dark: dark[at]! },
      variants.whole,
    );
    for (const [index, sight] of measured) {
      const editable = editables[index];
      if (editable !== undefined && sightings.get(editable)!.frame === frame) sights.set(editable, sight);
    }
  }
  return sights;
}

/**
 * The same picture at one size, whatever the output's: a text is looked at as its designer drew it. What lies behind it need
 * not be sharp, and large images are what takes longest to open.
 */
function forLooking(scene: Scene): Scene {
  const small = <T extends SceneImage>(image: T): T => {
    const scale = Math.min(1, LARGEST_IMAGE / Math.max(image.width, image.height));
    const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)));
    return { ...image, width, height };
  };
  const scale = LONG_SIDE / Math.max(scene.width, scene.height);
  const [width, height] = [even(scene.width * scale), even(scene.height * scale)];
  return { ...scene, width, height, images: scene.images.map(small), clips: scene.clips.map(small) };
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}

async function drawAll(scene: Scene, frames: readonly number[]): Promise<Uint8Array[]> {
  const rasterizer: Rasterizer = await openRasterizer(scene);
  const pictures: Uint8Array[] = [];
  for (const frame of frames) {
    await rasterizer.prepare(frame);
    pictures.push(rasterizer.draw(frame));
    // What a picture took is given back in a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  rasterizer.close();
  return pictures;
}

/** @param pictures RGBA, all of the same size @returns by the text's index */
function measure(
  { whole, bare, bright, dark }: Record<keyof TextVariants, Uint8Array>,
  { width, height }: Scene,
): Map<number, TextSight> {
  const ratios = new Map<number, number[]>();
  const cut = new Set<number>();
  for (let at = 0; at < whole.length; at += 4) {
    const coverage = (bright[at]! - dark[at]!) / 255;
    if (coverage < INSIDE) continue;
    const index = taggedText((dark[at + 2]! - bare[at + 2]! * (1 - coverage)) / coverage);
    const text = Math.round(index);
    // Where texts lie over each other the number means nothing.
    if (Math.abs(index - text) > 0.4) continue;
    const known = ratios.get(text) ?? [];
    if (known.length === 0) ratios.set(text, known);
    known.push(contrastRatio(luminance(whole, at), luminance(bare, at)));
    const pixel = at / 4;
    const x = pixel % width;
    const y = (pixel - x) / width;
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) cut.add(text);
  }
  const seen = [...ratios].filter(([, values]) => values.length >= FEWEST_PIXELS);
  return new Map(
    seen.map(([text, values]) => [text, { ratio: lowestTenth(Float64Array.from(values)), isCut: cut.has(text) }]),
  );
}
