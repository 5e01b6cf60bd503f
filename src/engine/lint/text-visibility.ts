import { isRecord } from '../../json.ts';
import { type LottieNode, layerLists, transformOf } from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/lottie-slots.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { pixelsOf } from '../writers/frame-writer.ts';
import { reducedScene } from './reduced-scene.ts';

/** How well a text can be read on one frame. */
export interface TextVisibility {
  readonly frame: number;
  /**
   * WCAG contrast ratio that 90 % of the text's inner pixels reach, to their background or to an outline or glow around them; null
   * if too few pixels are visible.
   */
  readonly ratio: number | null;
  /** True if inner pixels lie at the edge of the picture. */
  readonly isAtEdge: boolean;
}

const UNSEEN = { ratio: null, isAtEdge: false };

/** Texts to measure, by editable, with the frames on which to measure them. */
export type TextFrames = ReadonlyMap<string, readonly number[]>;

/** Minimum coverage of an inner pixel of a text, as a share of its greatest: something translucent may lie over it. */
const INSIDE = 0.9;
/** Coverage below which a pixel lies beside the text, and below which its tag is unreliable. */
const OUTSIDE = 0.05;
const LEAST_COVERAGE = 0.15;
/** Distance in pixels at which an outline or a glow around a pixel is looked for. */
const HALO_REACH = 6;
/** Minimum change of a channel, of 255, that an outline or a glow makes. */
const HALO_CHANGE = 12;
/** Share of the pixels at the edge of a text that must have an outline or a glow. */
const HALO_SHARE = 0.6;
/** Length of the longer side in pixels, of the pictures and of the images in them. */
const LONG_SIDE = 1280;
const LARGEST_IMAGE = 480;
/** Alpha from which a background counts, of 255, and the contrast of black and white. */
const HALF_OPAQUE = 127;
const GREATEST_RATIO = 21;
/** With fewer pixels the result is meaningless: the text is fading out or too fine for this size. */
const FEWEST_PIXELS = 24;

/**
 * Measures texts on frames. Draws each frame four times, with and without the texts, to find the pixels that each text covers,
 * whatever its colour and its surroundings, and once more with its alpha if the output is transparent.
 *
 * @returns by editable, with one entry for each of its frames
 */
export async function measureTextVisibility(
  scene: Scene,
  texts: TextFrames,
): Promise<Map<string, readonly TextVisibility[]>> {
  const editables = [...texts.keys()].slice(0, MAX_TEXTS);
  const visibilities = new Map<string, TextVisibility[]>(editables.map((editable) => [editable, []]));
  const frames = [...new Set(editables.flatMap((editable) => texts.get(editable)!))].sort((a, b) => a - b);
  if (frames.length === 0) return visibilities;
  const tagStep = Math.floor(255 / (editables.length + 1));
  // A text is measured as its designer drew it, not at the size of the output.
  const variants = textVariants(reducedScene(scene, LONG_SIDE, LARGEST_IMAGE), editables, tagStep);
  const opaque = (one: Scene): Scene => ({ ...one, output: { ...one.output, format: 'mp4' } });
  const isOpaque = pixelsOf(scene.output) !== 'rgba';
  const drawn = [
    ...(['whole', 'bare', 'bright', 'dark'] as const).map((name) => opaque(variants[name])),
    ...(isOpaque ? [] : [variants.bare]),
  ];
  const rasterizers: Rasterizer[] = [];
  try {
    for (const one of drawn) rasterizers.push(await openRasterizer(one));
    for (const frame of frames) {
      const [whole, bare, bright, dark, ground = null] = await drawEach(rasterizers, frame);
      const pictures = { whole: whole!, bare: bare!, bright: bright!, dark: dark! };
      const measured = measure(pictures, ground, variants.whole, tagStep);
      for (const [index, editable] of editables.entries()) {
        if (!texts.get(editable)!.includes(frame)) continue;
        visibilities.get(editable)!.push({ frame, ...(measured.get(index) ?? UNSEEN) });
      }
    }
  } finally {
    for (const rasterizer of rasterizers) rasterizer.close();
  }
  return visibilities;
}

async function drawEach(rasterizers: readonly Rasterizer[], frame: number): Promise<Uint8Array[]> {
  const pictures: Uint8Array[] = [];
  for (const rasterizer of rasterizers) {
    await rasterizer.prepare(frame);
    pictures.push(rasterizer.draw(frame));
    // The memory of a picture is released in a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pictures;
}

/**
 * @param pictures RGBA, all of the same size
 * @param ground `bare` with its alpha; null if it is opaque
 * @returns by the text's index
 */
function measure(
  pictures: Record<keyof TextVariants, Uint8Array>,
  ground: Uint8Array | null,
  { width, height }: Scene,
  tagStep: number,
): Map<number, Omit<TextVisibility, 'frame'>> {
  const { whole, bare } = pictures;
  const { pixels, isText, greatest } = findTextPixels(pictures, tagStep);
  const plain = new Map<number, number[]>();
  const atEdge = new Set<number>();
  const halos = new Map<number, { edges: number; ratios: number[] }>();
  for (const { at, coverage, text } of pixels) {
    if (coverage < INSIDE * greatest.get(text)!) continue;
    const ratios = plain.get(text) ?? [];
    const halo = halos.get(text) ?? { edges: 0, ratios: [] };
    if (ratios.length === 0) {
      plain.set(text, ratios);
      halos.set(text, halo);
    }
    // Extrapolates to a pixel that the text covers entirely.
    const own = luminance(whole, at, bare, greatest.get(text)! / coverage);
    // Whatever will lie behind a transparent picture is unknown.
    const isKnown = ground === null || ground[at + 3]! > HALF_OPAQUE;
    ratios.push(isKnown ? contrastRatio(own, luminance(bare, at)) : GREATEST_RATIO);
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) atEdge.add(text);
    const beside = pixelsBeside(at / 4, isText, width, height);
    if (beside.length === 0) continue;
    halo.edges += 1;
    const around = beside.filter((one) =>
      [0, 1, 2].some((channel) => Math.abs(whole[one + channel]! - bare[one + channel]!) >= HALO_CHANGE),
    );
    if (around.length === 0) continue;
    halo.ratios.push(Math.max(...around.map((one) => contrastRatio(own, luminance(whole, one)))));
  }
  const measured = new Map<number, Omit<TextVisibility, 'frame'>>();
  for (const [text, ratios] of plain) {
    if (ratios.length < FEWEST_PIXELS) continue;
    const { edges, ratios: around } = halos.get(text)!;
    const hasHalo = around.length >= FEWEST_PIXELS && around.length >= HALO_SHARE * edges;
    const ratio = quantile(ratios, 0.1);
    const best = hasHalo ? Math.max(ratio, quantile(around, 0.5)) : ratio;
    measured.set(text, { ratio: best, isAtEdge: atEdge.has(text) });
  }
  return measured;
}

interface TextPixel {
  /** Index of its red channel. */
  readonly at: number;
  /** Share of the pixel that a text covers, 0..1. */
  readonly coverage: number;
  /** Index of the text. */
  readonly text: number;
}

/** Finds the pixels that one text covers, the greatest coverage of each text, and for each pixel whether text covers it at all. */
function findTextPixels(
  { bare, bright, dark }: Record<keyof TextVariants, Uint8Array>,
  tagStep: number,
): { pixels: TextPixel[]; isText: Uint8Array; greatest: Map<number, number> } {
  const pixels: TextPixel[] = [];
  const isText = new Uint8Array(bare.length / 4);
  const greatest = new Map<number, number>();
  for (let at = 0; at < bare.length; at += 4) {
    const coverage = (bright[at]! - dark[at]!) / 255;
    if (coverage < OUTSIDE) continue;
    isText[at / 4] = 1;
    if (coverage < LEAST_COVERAGE) continue;
    const tag = (dark[at + 2]! - bare[at + 2]! * (1 - coverage)) / coverage / tagStep - 1;
    const text = Math.round(tag);
    // The tag of overlapping texts is meaningless.
    if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
    pixels.push({ at, coverage, text });
    greatest.set(text, Math.max(greatest.get(text) ?? 0, coverage));
  }
  return { pixels, isText, greatest };
}

/**
 * Returns the nearest pixels without text to the left, to the right, above and below, as indexes of their red channels.
 *
 * @param pixel index of the pixel in `isText`
 */
function pixelsBeside(pixel: number, isText: Uint8Array, width: number, height: number): number[] {
  const x = pixel % width;
  const y = (pixel - x) / width;
  const found: number[] = [];
  const look = (step: number, room: number): void => {
    const end = pixel + step * Math.min(HALO_REACH, room);
    for (let other = pixel; other !== end; ) {
      other += step;
      if (isText[other] === 1) continue;
      found.push(other * 4);
      return;
    }
  };
  look(-1, x);
  look(1, width - 1 - x);
  look(-width, y);
  look(width, height - 1 - y);
  return found;
}

/** Lottie's Fill effect, which paints a layer in one colour. */
const FILL_EFFECT = 21;
/** Drop shadow, in the numbers of Bodymovin. */
const DROP_SHADOW_EFFECT = 25;
/** Number of texts that can be distinguished by their blue values, and by how much a value may be off, of the distance of two. */
const MAX_TEXTS = 60;
const TAG_TOLERANCE = 0.4;

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
 * @param editables keys of the texts, at most `MAX_TEXTS`; all others are hidden in `bright` and `dark`
 * @param tagStep distance between the blue values of consecutive texts, of 255
 */
function textVariants(scene: Scene, editables: readonly string[], tagStep: number): TextVariants {
  const varied = (change: (layer: LottieNode, editable: string) => void): Scene => {
    const animation: LottieDocument = structuredClone(scene.animation);
    const matted = mattedLayers(animation);
    for (const { layer, editable } of filledTextLayers(animation)) {
      for (const one of [layer, ...(matted.get(layer) ?? [])]) change(one, editable);
    }
    return { ...scene, animation };
  };
  const painted = (red: number): Scene =>
    varied((layer, editable) => {
      const index = editables.indexOf(editable);
      if (index === -1) hide(layer);
      else paint(layer, [red, red, ((index + 1) * tagStep) / 255]);
    });
  return {
    whole: scene,
    bare: varied(hide),
    bright: painted(1),
    dark: painted(0),
  };
}

/** Hides a layer. A matte shapes other layers even if it is hidden, but not if it is transparent. */
function hide(layer: LottieNode): void {
  layer.hd = true;
  layer.ks = { ...transformOf(layer), o: { a: 0, k: 0 } };
}

/** Returns the layers that show through each layer that is a matte. */
function mattedLayers(animation: LottieDocument): Map<LottieNode, LottieNode[]> {
  const matted = new Map<LottieNode, LottieNode[]>();
  for (const layers of layerLists(animation)) {
    for (const [index, matte] of layers.entries()) {
      if (matte.td !== 1) continue;
      const shown = layers.filter(
        ({ tt, tp }, at) => Number(tt ?? 0) > 0 && (tp === undefined ? at === index + 1 : tp === matte.ind),
      );
      matted.set(matte, shown);
    }
  }
  return matted;
}

/** Paints the letters of a layer in one colour and makes them opaque; removes outlines, shadows and glows. */
function paint(layer: LottieNode, color: readonly number[]): void {
  if (!isRecord(layer.t)) {
    layer.ef = [fillEffect(color)];
    return;
  }
  const { d, a } = layer.t as { d: LottieNode; a?: unknown };
  for (const style of textStyles(d)) {
    // A text with an outline alone is painted by it.
    if (style.fc === undefined && style.sc !== undefined) style.sc = color;
    else {
      style.fc = color;
      delete style.sc;
    }
  }
  for (const animator of Array.isArray(a) ? a : []) {
    const properties = isRecord(animator) && isRecord(animator.a) ? animator.a : {};
    for (const name of ['fc', 'fh', 'fs', 'fb', 'sc', 'sh', 'ss', 'sb', 'sw']) delete properties[name];
  }
  const isRemoved = ({ ty }: LottieNode) => ty === FILL_EFFECT || ty === DROP_SHADOW_EFFECT;
  if (Array.isArray(layer.ef)) layer.ef = layer.ef.filter((effect) => !isRecord(effect) || !isRemoved(effect));
  delete layer.sy;
  const { o } = transformOf(layer);
  if (isRecord(o) && o.a !== 1) layer.ks = { ...transformOf(layer), o: { a: 0, k: 100 } };
}

/** Lottie's Fill effect in one colour: mask, all masks, colour, inversion, feathers, opacity. */
function fillEffect(color: readonly number[]): LottieNode {
  const values = [0, 0, [...color, 1], 0, 0, 0, 1];
  const ef = values.map((k, index) => ({ ty: index === 2 ? 2 : 0, v: { a: 0, k } }));
  return { ty: FILL_EFFECT, en: 1, ef };
}

/**
 * Returns the relative luminance of a pixel, 0..1.
 *
 * @param at index of its red channel
 * @param ground picture from which the pixel differs; the difference is multiplied by `factor`
 */
function luminance(rgba: Uint8Array, at: number, ground = rgba, factor = 1): number {
  const channel = (index: number): number => {
    const below = ground[index]!;
    return LINEAR[Math.min(255, Math.max(0, Math.round(below + (rgba[index]! - below) * factor)))]!;
  };
  return luminanceOf(channel(at), channel(at + 1), channel(at + 2));
}

/** Returns the contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastRatio(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** @param values not empty @param share 0..1 */
function quantile(values: readonly number[], share: number): number {
  return Float64Array.from(values).sort()[Math.floor(values.length * share)]!;
}
