import { isRecord } from '../../kernel/json.ts';
import { remembered } from '../../kernel/memory.ts';
import { LAYER_TYPE, type LottieNode } from '../../template/lottie/lottie-layers.ts';
import { fontList } from '../../template/lottie/slots/lottie-slots.ts';
import type { InputDocument, LottieDocument, RenderInput, Still } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import { animateImages } from '../media/animate-images.ts';
import { textLayers } from '../text/text-layers.ts';
import { type ShownLayers, shownLayers, type Times } from './shown-layers.ts';

/**
 * Restricts an input to the content that can affect a range of its frames: layers by their in and out points, through
 * compositions, parents and mattes; then the assets, fonts, images, clips and stills that those layers need. Frames in the range
 * equal those of the whole input. Content that cannot be analysed is kept. Sounds and the fingerprint are removed, because segments
 * contain neither.
 *
 * @param renderInput checked
 * @see segmentKey
 */
export function segmentInput(renderInput: RenderInput, range: FrameRange): RenderInput {
  return inputCutter(renderInput)([range]);
}

/**
 * Returns a function that restricts an input to several ranges like `segmentInput`. Layers and assets that are kept unchanged stay
 * the same objects.
 */
export function inputCutter(
  renderInput: RenderInput,
  cutDocument = documentCutter(renderInput),
): (ranges: readonly FrameRange[]) => RenderInput {
  return (ranges) => ({
    ...renderInput,
    output: { ...renderInput.output, fingerprint: null },
    frameCount: ranges.at(-1)!.end,
    sounds: [],
    stills: stillsIn(renderInput.stills, ranges),
    ...cutDocument(ranges.map((range) => animationTimes(renderInput, range))),
  });
}

/** Returns the stills in some ranges. */
export function stillsIn(stills: readonly Still[], ranges: readonly FrameRange[]): Still[] {
  return stills.filter(({ frame }) => ranges.some(({ first, end }) => frame >= first && frame < end));
}

/**
 * Returns a function that restricts a document to intervals of its time.
 *
 * @returns receives intervals in frames of the animation, counted like `ip`, both ends included
 */
export function documentCutter(document: InputDocument): (intervals: readonly Times[]) => InputDocument {
  // The movement of an image depends on all times at which it is shown, so it is computed for the whole document.
  const { fonts, clips } = document;
  const whole = { fonts, clips, ...animateImages(document) };
  return (intervals) => {
    const { animation } = whole;
    // An expression may read any layer at any time.
    const shown = animation.live_expressions === true ? null : shownLayers(animation, intervals);
    return shown === null ? whole : restrict(whole, shown, Math.max(...intervals.map(({ to }) => to)));
  };
}

/** Returns the times of a range's first and last frame, in frames of the animation counted like `ip`. */
function animationTimes(renderInput: RenderInput, { first, end }: FrameRange): Times {
  const { ip } = renderInput.animation;
  const framesPerFrame = animationFramesPerFrame(renderInput);
  return { from: ip + first * framesPerFrame, to: ip + (end - 1) * framesPerFrame };
}

function restrict(renderInput: InputDocument, shown: ShownLayers, to: number): InputDocument {
  // Markers and metadata are not drawn.
  const { markers: _, meta: __, ...animation } = renderInput.animation;
  const layers = keepLayers(renderInput.animation.layers, shown);
  const compositions = new Map<string, readonly unknown[]>();
  for (const { id, layers: list } of animation.assets ?? []) {
    if (Array.isArray(list) && shown.compositions.has(id)) compositions.set(id, keepLayers(list, shown));
  }
  const kept = [layers, ...compositions.values()].flat();
  const { fonts, document } = filterFonts(animation, renderInput.fonts, kept);
  const needed = assetIds(kept);
  const assets = (animation.assets ?? []).flatMap((asset) => {
    const keptLayers = compositions.get(asset.id);
    if (keptLayers !== undefined) return [{ ...asset, layers: keptLayers }];
    return needed.has(asset.id) && !Array.isArray(asset.layers) ? [asset] : [];
  });
  const isNeeded = ({ assetId }: { readonly assetId: string }): boolean => needed.has(assetId);
  return {
    // The rasteriser limits times to the end of the animation; an end after all frames does not change them.
    animation: { ...document, layers, assets, op: Math.min(renderInput.animation.op, Math.ceil(to) + 2) },
    fonts,
    images: renderInput.images.filter(isNeeded),
    clips: renderInput.clips.filter(isNeeded),
  } as InputDocument;
}

function keepLayers(layers: readonly unknown[], { drawn, moving }: ShownLayers): unknown[] {
  return layers.flatMap((layer) => {
    if (!isRecord(layer) || drawn.has(layer)) return [layer];
    return moving.has(layer) ? [transformOnly(layer)] : [];
  });
}

/** Types of layers that transform their children in the same way after their content is removed. */
const DRAWING_TYPES: ReadonlySet<unknown> = new Set([0, 1, 2, 4, 5]);
const TRANSFORM_FIELDS = ['ind', 'parent', 'ks', 'ao', 'ddd', 'ip', 'op', 'st', 'sr'];
const NULL_LAYER = 3;

/** Reduces a layer to its transform, which still affects its children. Returns the same object for the same layer. */
export const transformOnly = remembered((layer: LottieNode): LottieNode => {
  if (!DRAWING_TYPES.has(layer.ty)) return layer;
  const fields = Object.entries(layer).filter(([field]) => TRANSFORM_FIELDS.includes(field));
  return { ty: NULL_LAYER, ...Object.fromEntries(fields) };
});

/** Returns the ids of the assets that layers refer to. */
function assetIds(layers: readonly unknown[]): Set<string> {
  return new Set(
    layers.flatMap((layer) => (isRecord(layer) && layer.refId !== undefined ? [String(layer.refId)] : [])),
  );
}

/**
 * Keeps the fonts and embedded outlines that the texts of some layers may use. Any text may need a fallback font.
 *
 * @param layers all kept layers of the animation and its compositions
 */
function filterFonts(
  animation: LottieDocument,
  fonts: InputDocument['fonts'],
  layers: readonly unknown[],
): { fonts: InputDocument['fonts']; document: LottieDocument } {
  const texts = layers.filter((layer): layer is LottieNode => isRecord(layer) && layer.ty === LAYER_TYPE.text);
  if (texts.length === 0) {
    const { fonts: _, chars: __, ...document } = animation;
    return { fonts: [], document: document as LottieDocument };
  }
  const names = new Set<string>();
  for (const layer of texts) {
    const own = fontNamesOf(layer);
    // The fonts of an unreadable text layer are unknown.
    if (own === null) return { fonts, document: animation };
    for (const name of own) names.add(name);
  }
  const isUsed = (name: unknown): boolean => names.has(String(name));
  return {
    fonts: fonts.filter(({ name, isFallback }) => isFallback || isUsed(name)),
    document: withListedFonts(animation, isUsed),
  };
}

/** Returns the names of the fonts of a text layer, which several segments show; null if it is not readable. */
const fontNamesOf = remembered((layer: LottieNode): readonly string[] | null => {
  const [text] = textLayers({ layers: [layer], assets: [] });
  return text === undefined ? null : text.documents.map((document) => String(document.f ?? ''));
});

/** Returns the document itself if all of its listed fonts are used, so that inputs share the list. */
function withListedFonts(animation: LottieDocument, isUsed: (name: unknown) => boolean): LottieDocument {
  if (!isRecord(animation.fonts)) return animation;
  const { list } = animation.fonts;
  const used = fontList(animation).filter(({ fName }) => isUsed(fName));
  if (Array.isArray(list) && used.length === list.length) return animation;
  return { ...animation, fonts: { ...animation.fonts, list: used } };
}
