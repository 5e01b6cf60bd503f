import { isRecord } from '../../json.ts';
import { hasKeyframes } from '../../template/lottie/animated-flag.ts';
import { type LottieNode, layerLists, transformOf } from '../../template/lottie/lottie-layers.ts';
import { textStyles } from '../../template/lottie/lottie-slots.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { pixelsOf } from '../writers/frame-writer.ts';
import { reducedScene } from './reduced-scene.ts';

/** Measured visibility of a text on one frame. */
export interface TextVisibility {
  readonly frame: number;
  /**
   * WCAG contrast ratio that 90 % of the text's inner pixels reach against their background, or against an outline or glow around
   * them; null if too few pixels are visible.
   */
  readonly ratio: number | null;
  /** Some inner pixels lie at the edge of the picture. */
  readonly isAtEdge: boolean;
}

const NOT_VISIBLE = { ratio: null, isAtEdge: false };

/** Frames on which to measure texts, by editable. */
export type TextFrames = ReadonlyMap<string, readonly number[]>;

/** Minimum coverage of an inner pixel, as a share of the text's maximum, which translucent content over the text may reduce. */
const MIN_INNER_SHARE = 0.9;
/** A pixel with less coverage lies outside the text. */
const MIN_TEXT_COVERAGE = 0.05;
/** With less coverage, the tag of a pixel is unreliable. */
const MIN_TAG_COVERAGE = 0.15;
/** Maximum distance of an outline or glow from a pixel, in pixels. */
const HALO_REACH = 6;
/** Minimum change of a channel by an outline or glow, of 255. */
const MIN_HALO_CHANGE = 12;
/** Minimum share of pixels at the edge of a text that have an outline or glow. */
const MIN_HALO_SHARE = 0.6;
/** Longer side of the pictures, and limit for the images in them, in pixels. */
const LONG_SIDE = 1280;
const MAX_IMAGE_SIDE = 480;
/** Minimum alpha of a background, of 255. */
const MIN_BACKGROUND_ALPHA = 127;
/** Contrast of black and white. */
const MAX_RATIO = 21;
/** With fewer pixels, the result is meaningless because the text is fading out or too fine for this size. */
const MIN_PIXELS = 24;

/**
 * Measures texts on frames. Draws each frame four times, with and without the texts, to find the pixels of each text independently of
 * its colour and surroundings, and a fifth time with alpha if the output is transparent.
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
  // Texts are measured at a fixed size, independently of the output's.
  const variants = textVariants(reducedScene(scene, LONG_SIDE, MAX_IMAGE_SIDE), editables, tagStep);
  const opaque = (variant: Scene): Scene => ({ ...variant, output: { ...variant.output, format: 'mp4' } });
  const isOpaque = pixelsOf(scene.output) !== 'rgba';
  const drawn = [
    ...(['whole', 'bare', 'bright', 'dark'] as const).map((name) => opaque(variants[name])),
    ...(isOpaque ? [] : [variants.bare]),
  ];
  const rasterizers: Rasterizer[] = [];
  try {
    for (const variant of drawn) rasterizers.push(await openRasterizer(variant));
    for (const frame of frames) {
      const [whole, bare, bright, dark, background = null] = await drawEach(rasterizers, frame);
      const pictures = { whole: whole!, bare: bare!, bright: bright!, dark: dark! };
      const measured = measure(pictures, background, variants.whole, tagStep);
      for (const [index, editable] of editables.entries()) {
        if (!texts.get(editable)!.includes(frame)) continue;
        visibilities.get(editable)!.push({ frame, ...(measured.get(index) ?? NOT_VISIBLE) });
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
    // The memory of a picture is freed in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return pictures;
}

/**
 * @param pictures RGBA, all of the same size
 * @param background `bare` with its alpha; null if it is opaque
 * @returns by the text's index
 */
function measure(
  pictures: Record<keyof TextVariants, Uint8Array>,
  background: Uint8Array | null,
  { width, height }: Scene,
  tagStep: number,
): Map<number, Omit<TextVisibility, 'frame'>> {
  const { whole, bare } = pictures;
  const { pixels, isText, maxCoverage } = findTextPixels(pictures, tagStep);
  const plain = new Map<number, number[]>();
  const atEdge = new Set<number>();
  const halos = new Map<number, { edges: number; ratios: number[] }>();
  for (const { at, coverage, text } of pixels) {
    if (coverage < MIN_INNER_SHARE * maxCoverage.get(text)!) continue;
    const ratios = plain.get(text) ?? [];
    const halo = halos.get(text) ?? { edges: 0, ratios: [] };
    if (ratios.length === 0) {
      plain.set(text, ratios);
      halos.set(text, halo);
    }
    // Extrapolates to the luminance of a fully covered pixel.
    const own = luminance(whole, at, bare, maxCoverage.get(text)! / coverage);
    // The content behind a transparent picture is unknown.
    const isKnown = background === null || background[at + 3]! > MIN_BACKGROUND_ALPHA;
    ratios.push(isKnown ? contrastRatio(own, luminance(bare, at)) : MAX_RATIO);
    const [x, y] = [(at / 4) % width, Math.floor(at / 4 / width)];
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) atEdge.add(text);
    const beside = pixelsBeside(at / 4, isText, width, height);
    if (beside.length === 0) continue;
    halo.edges += 1;
    const around = beside.filter((pixel) =>
      [0, 1, 2].some((channel) => Math.abs(whole[pixel + channel]! - bare[pixel + channel]!) >= MIN_HALO_CHANGE),
    );
    if (around.length === 0) continue;
    halo.ratios.push(Math.max(...around.map((pixel) => contrastRatio(own, luminance(whole, pixel)))));
  }
  const measured = new Map<number, Omit<TextVisibility, 'frame'>>();
  for (const [text, ratios] of plain) {
    if (ratios.length < MIN_PIXELS) continue;
    const { edges, ratios: around } = halos.get(text)!;
    const hasHalo = around.length >= MIN_PIXELS && around.length >= MIN_HALO_SHARE * edges;
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

/** Finds the pixels covered by a single text, the maximum coverage of each text, and all pixels covered by any text. */
function findTextPixels(
  { bare, bright, dark }: Record<keyof TextVariants, Uint8Array>,
  tagStep: number,
): { pixels: TextPixel[]; isText: Uint8Array; maxCoverage: Map<number, number> } {
  const pixels: TextPixel[] = [];
  const isText = new Uint8Array(bare.length / 4);
  const maxCoverage = new Map<number, number>();
  for (let at = 0; at < bare.length; at += 4) {
    const coverage = (bright[at]! - dark[at]!) / 255;
    if (coverage < MIN_TEXT_COVERAGE) continue;
    isText[at / 4] = 1;
    if (coverage < MIN_TAG_COVERAGE) continue;
    const tag = (dark[at + 2]! - bare[at + 2]! * (1 - coverage)) / coverage / tagStep - 1;
    const text = Math.round(tag);
    // The tag is meaningless if several texts cover the pixel.
    if (Math.abs(tag - text) > TAG_TOLERANCE) continue;
    pixels.push({ at, coverage, text });
    maxCoverage.set(text, Math.max(maxCoverage.get(text) ?? 0, coverage));
  }
  return { pixels, isText, maxCoverage };
}

/**
 * Returns the nearest pixels without text to the left and right, above and below, as indices of their red channels.
 *
 * @param pixel index of the pixel in `isText`
 */
function pixelsBeside(pixel: number, isText: Uint8Array, width: number, height: number): number[] {
  const x = pixel % width;
  const y = (pixel - x) / width;
  const found: number[] = [];
  const search = (step: number, room: number): void => {
    const end = pixel + step * Math.min(HALO_REACH, room);
    for (let other = pixel; other !== end; ) {
      other += step;
      if (isText[other] === 1) continue;
      found.push(other * 4);
      return;
    }
  };
  search(-1, x);
  search(1, width - 1 - x);
  search(-width, y);
  search(width, height - 1 - y);
  return found;
}

/** Lottie's Fill effect, which paints a layer in one colour. */
const FILL_EFFECT = 21;
/** Bodymovin's number of the Drop Shadow effect. */
const DROP_SHADOW_EFFECT = 25;
/** Number of texts that can be distinguished by their blue values. */
const MAX_TEXTS = 60;
/** Tolerance for a blue value, as a share of the distance between two texts. */
const TAG_TOLERANCE = 0.4;

/**
 * Four versions of a scene. Their pictures show, for each pixel, its coverage by text, the text, and the background.
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
 * Builds the scenes to draw. Does not modify `scene`.
 *
 * @param editables keys of the texts, at most `MAX_TEXTS`; all others are hidden in `bright` and `dark`
 * @param tagStep distance between the blue values of consecutive texts, of 255
 */
function textVariants(scene: Scene, editables: readonly string[], tagStep: number): TextVariants {
  const varied = (change: (layer: LottieNode, editable: string) => void): Scene => {
    const animation: LottieDocument = structuredClone(scene.animation);
    const matted = mattedLayers(animation);
    for (const { layer, editable } of filledTextLayers(animation)) {
      for (const changed of [layer, ...(matted.get(layer) ?? [])]) change(changed, editable);
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

/** Returns the layers that each matte shapes. */
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
    // A text that has only an outline is painted by its outline.
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
  if (isRecord(o) && !hasKeyframes(o.k)) layer.ks = { ...transformOf(layer), o: { a: 0, k: 100 } };
}

/** Returns Lottie's Fill effect: mask, all masks, colour, inversion, feathers, opacity. */
function fillEffect(color: readonly number[]): LottieNode {
  const values = [0, 0, [...color, 1], 0, 0, 0, 1];
  const ef = values.map((k, index) => ({ ty: index === 2 ? 2 : 0, v: { a: 0, k } }));
  return { ty: FILL_EFFECT, en: 1, ef };
}

/**
 * Returns the relative luminance of a pixel, 0..1.
 *
 * @param at index of its red channel
 * @param background picture from which the pixel differs; the difference is multiplied by `factor`
 */
function luminance(rgba: Uint8Array, at: number, background = rgba, factor = 1): number {
  const channel = (index: number): number => {
    const below = background[index]!;
    return LINEAR[Math.min(255, Math.max(0, Math.round(below + (rgba[index]! - below) * factor)))]!;
  };
  return luminanceOf(channel(at), channel(at + 1), channel(at + 2));
}

/** Returns the contrast ratio of two luminances, 1..21. @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrastRatio(a: number, b: number): number {
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Returns the value below which a share of the values lies. @param values not empty @param share 0..1 */
function quantile(values: readonly number[], share: number): number {
  return Float64Array.from(values).sort()[Math.floor(values.length * share)]!;
}
