import { isRecord } from '../../json.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/lottie-slots.ts';
import type { LottieDocument, Scene, SceneImage } from '../../template/scene.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import type { FindingMoment } from './lint-finding.ts';

/** How well a text can be read on one frame. */
export interface TextVisibility {
  /** WCAG contrast ratio to the background that 90 % of the text's inner pixels reach. */
  readonly ratio: number;
  /** True if the edge of the picture cuts the text. */
  readonly isCut: boolean;
}

/** Minimum coverage of a pixel by text to count as an inner pixel. */
const INSIDE = 0.9;
/** Length of the longer side in pixels, of the pictures and of the images in them. */
const LONG_SIDE = 1280;
const LARGEST_IMAGE = 480;
/** With fewer pixels the result is meaningless: the text is fading out or too fine for this size. */
const FEWEST_PIXELS = 24;

/**
 * Measures texts on the frames where they are best seen. Draws each frame four times, with and without the texts, to
 * find the pixels that each text covers, whatever its colour and its surroundings.
 *
 * @param moments of the texts, by editable
 * @returns by editable; texts without visible pixels are absent
 */
export async function measureTextVisibility(
  scene: Scene,
  moments: ReadonlyMap<string, FindingMoment>,
): Promise<Map<string, TextVisibility>> {
  const editables = [...moments.keys()].slice(0, MOST_TEXTS);
  const visibilities = new Map<string, TextVisibility>();
  if (editables.length === 0) return visibilities;
  const variants = textVariants(atMeasuringSize(scene), editables);
  const frames = [...new Set(editables.map((editable) => moments.get(editable)!.frame))];
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
    for (const [index, visibility] of measured) {
      const editable = editables[index];
      if (editable !== undefined && moments.get(editable)!.frame === frame) visibilities.set(editable, visibility);
    }
  }
  return visibilities;
}

/**
 * Returns the scene at a fixed size, because a text is measured as its designer drew it. Images are reduced: opening
 * large images takes most of the time, and the background need not be sharp.
 */
function atMeasuringSize(scene: Scene): Scene {
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
    // The memory of a picture is released in a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  rasterizer.close();
  return pictures;
}

/** @param pictures RGBA, all of the same size @returns by the text's index */
function measure(
  { whole, bare, bright, dark }: Record<keyof TextVariants, Uint8Array>,
  { width, height }: Scene,
): Map<number, TextVisibility> {
  const ratios = new Map<number, number[]>();
  const cut = new Set<number>();
  for (let at = 0; at < whole.length; at += 4) {
    const coverage = (bright[at]! - dark[at]!) / 255;
    if (coverage < INSIDE) continue;
    const index = taggedText((dark[at + 2]! - bare[at + 2]! * (1 - coverage)) / coverage);
    const text = Math.round(index);
    // The tag of overlapping texts is meaningless.
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

/** Lottie's Fill effect, which paints a layer in one colour. */
const FILL_EFFECT = 21;
/** Distance between the blue values of consecutive texts, of 255. */
const TAG_STEP = 4;
/** Number of texts that can be distinguished. */
const MOST_TEXTS = Math.floor(255 / TAG_STEP);

/**
 * Four versions of a scene whose pictures show, for each pixel, how much of it is text, which text it is, and the
 * background.
 */
interface TextVariants {
  /** The unchanged scene. */
  readonly whole: Scene;
  /** Without the texts of editables. */
  readonly bare: Scene;
  /** With those texts painted with red 255 and red 0; the blue value identifies the text. */
  readonly bright: Scene;
  readonly dark: Scene;
}

/**
 * Builds the scenes to draw. Does not modify the given scene.
 *
 * @param editables keys of the texts, at most `MOST_TEXTS`; all others are hidden in `bright` and `dark`
 */
function textVariants(scene: Scene, editables: readonly string[]): TextVariants {
  const varied = (change: (layer: LottieNode, editable: string) => void): Scene => {
    const animation: LottieDocument = structuredClone(scene.animation);
    for (const { layer, editable } of filledTextLayers(animation)) change(layer, editable);
    return { ...scene, animation };
  };
  const painted = (red: number): Scene =>
    varied((layer, editable) => {
      const index = editables.indexOf(editable);
      if (index === -1) layer.hd = true;
      else paint(layer, [red, red, ((index + 1) * TAG_STEP) / 255]);
    });
  return {
    whole: scene,
    bare: varied((layer) => {
      layer.hd = true;
    }),
    bright: painted(1),
    dark: painted(0),
  };
}

/** Returns the index of the text with this blue value, 0..255; fractional where texts overlap. */
function taggedText(blue: number): number {
  return blue / TAG_STEP - 1;
}

function paint(layer: LottieNode, color: readonly number[]): void {
  const { d, a } = layer.t as { d: LottieNode; a?: unknown };
  for (const style of textStyles(d)) {
    style.fc = color;
    if (style.sc !== undefined) style.sc = color;
  }
  for (const animator of Array.isArray(a) ? a : []) {
    const properties = isRecord(animator) && isRecord(animator.a) ? animator.a : {};
    for (const name of ['fc', 'fh', 'fs', 'fb', 'sc', 'sh', 'ss', 'sb']) delete properties[name];
  }
  if (Array.isArray(layer.ef)) layer.ef = layer.ef.filter((effect) => !isRecord(effect) || effect.ty !== FILL_EFFECT);
}

/** Linear light for the 256 values of a channel. @see https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
const LINEAR = Float64Array.from({ length: 256 }, (_, value) => {
  const share = value / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
});

/** Returns the relative luminance of a pixel, 0..1. @param at index of its red channel */
function luminance(rgba: Uint8Array, at: number): number {
  return 0.2126 * LINEAR[rgba[at]!]! + 0.7152 * LINEAR[rgba[at + 1]!]! + 0.0722 * LINEAR[rgba[at + 2]!]!;
}

/** Returns the contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastRatio(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns the 10th percentile. @param values not empty; sorted in place */
function lowestTenth(values: Float64Array): number {
  return values.sort()[Math.floor(values.length / 10)]!;
}
