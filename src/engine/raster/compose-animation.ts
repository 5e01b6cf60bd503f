import { isRecord } from '../../kernel/json.ts';
import { drawingForm } from '../../template/lottie/drawing-form/drawing-form.ts';
import { LAYER_TYPE, withLayerLists } from '../../template/lottie/lottie-layers.ts';
import { sceneDocument } from '../../template/lottie/scenes/scene-document.ts';
import { steppedRemap } from '../../template/lottie/scenes/time-remap.ts';
import { withPrefix } from '../../template/lottie/scenes/with-prefix.ts';
import type { InputDocument, LottieDocument } from '../../template/render-input.ts';
import { evaluateInput } from '../expressions/evaluate-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import { type FittedImage, fittedImageCache } from '../images/fit-image.ts';
import { animateImages } from '../media/animate-images.ts';
import { clipTimes } from '../media/clip-times.ts';
import type { TimedClip } from '../media/clip-windows.ts';
import type { PictureFiles } from '../media/picture.ts';
import { pixelsOf } from '../pixel-format.ts';
import { type ComposedInput, type DrawnInput, isComposed, type ShownScene } from '../scenes/drawn-input.ts';
import { type DocumentClock, ownClock, sceneClock } from '../scenes/scene-clock.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { typesetTexts } from '../text/typeset-texts.ts';

/** An input's animation, ready for the rasteriser except for the pictures of its clips. */
export interface ComposedAnimation {
  /** Layers still show the clips as images. */
  readonly animation: LottieDocument;
  /** Defects of the texts. */
  readonly findings: readonly TextFinding[];
  /** The images. */
  readonly files: PictureFiles;
  readonly clips: readonly TimedClip[];
  /** Frames that can be drawn. */
  readonly ranges: readonly FrameRange[];
  /**
   * Serializes the animation.
   *
   * @param clipAssets assets that replace the clips, and their pictures
   * @param storage whether images are embedded in the JSON, or stored separately as `files`
   */
  toJson(clipAssets: readonly object[], storage?: ImageStorage): string;
}

type ImageStorage = 'embedded' | 'separate';
interface ImageFile extends FittedImage {
  readonly name: string;
}

/**
 * Composes an input's animation: evaluates expressions, sets the texts as outlines and fits the images to their areas. Decodes
 * at most two images at a time to save memory. Removes all paths to other files.
 *
 * @throws RenderError as `fitImage`
 */
export async function composeAnimation(source: DrawnInput): Promise<ComposedAnimation> {
  if (!isComposed(source)) {
    const document = await composeDocument(source, ownClock(source), 0);
    return serializable(await withCaptions(document, source), [{ first: 0, end: source.frameCount }]);
  }
  const documents: ComposedDocument[] = [];
  for (const [index, scene] of source.scenes.entries()) {
    const imageCount = documents.reduce((sum, { fileOfAsset }) => sum + fileOfAsset.size, 0);
    const document = await composeDocument(scene, sceneClock(scene, source), imageCount);
    documents.push(withScene(document, `${index}/`, scene.neighbour));
  }
  const animations = documents.map(({ animation }) => animation);
  const composed = {
    animation: composedDocument(source, animations),
    findings: documents.flatMap(({ findings }) => findings),
    clips: documents.flatMap(({ clips }) => clips),
    fileOfAsset: new Map(documents.flatMap(({ fileOfAsset }) => [...fileOfAsset])),
  };
  return serializable(await withCaptions(composed, source), source.ranges);
}

/** Adds the captions of an input above everything else. Their code is loaded only if there are any. */
async function withCaptions(document: ComposedDocument, { captions, fps }: DrawnInput): Promise<ComposedDocument> {
  if (captions === undefined) return document;
  const { captionDocument, withCaptionsAbove } = await import('../captions/caption-document.ts');
  const { w: width, h: height } = document.animation;
  const above = await captionDocument(captions, { width, height, fps });
  const findings = [...document.findings, ...above.findings];
  return { ...document, findings, animation: withCaptionsAbove(document.animation, above.document) };
}

/** A document whose layers still show the clips as images, and its files. */
interface ComposedDocument extends Pick<ComposedAnimation, 'animation' | 'findings' | 'clips'> {
  readonly fileOfAsset: ReadonlyMap<string, ImageFile>;
}

/** @param firstImage number of its first image file */
async function composeDocument(
  source: InputDocument,
  clock: DocumentClock,
  firstImage: number,
): Promise<ComposedDocument> {
  const document = await evaluateInput(source);
  const { animation: moving, images } = animateImages({
    images: document.images,
    animation: drawingForm(document.animation),
  });
  const fileOfAsset = new Map<string, ImageFile>();
  // Texts are set while other threads decode the images.
  const fitting = fittedImageCache.fitAll(images);
  const typesetting = typesetTexts(moving, document.fonts);
  // Awaited below, unless fitting fails.
  typesetting.catch(() => undefined);
  const fitted = await fitting;
  for (const [index, { assetId }] of images.entries()) {
    const { type, bytes } = fitted[index]!;
    fileOfAsset.set(assetId, { name: `image-${firstImage + index}.${type}`, type, bytes });
  }
  const { animation, findings } = await typesetting;
  // Times are computed from this animation, where image layers show the clips.
  const clips = document.clips.map((clip) => ({ clip, ...clipTimes(clip, clock, animation) }));
  return { animation, findings, clips, fileOfAsset };
}

/** Gives the assets of a scene names of its own, and its findings the scene that they belong to. */
function withScene(
  { animation, findings, clips, fileOfAsset }: ComposedDocument,
  prefix: string,
  scene: ShownScene['neighbour'],
): ComposedDocument {
  return {
    animation: withPrefix(animation, prefix),
    findings: findings.map((finding) => ({ ...finding, scene })),
    clips: clips.map(({ clip, ...times }) => ({ ...times, clip: { ...clip, assetId: prefix + clip.assetId } })),
    fileOfAsset: new Map([...fileOfAsset].map(([id, file]) => [prefix + id, file])),
  };
}

function composedDocument(source: ComposedInput, animations: readonly LottieDocument[]): LottieDocument {
  const { canvas, fps, frameCount, ranges, scenes } = source;
  const placed = scenes.map(({ fit, background, transition, ...scene }, index) => {
    const { timeAt } = sceneClock(scene, source);
    // The scene below is shown all the time, and the scene above from the start of its transition.
    const start = transition?.from ?? 0;
    const animation = animations[index]!;
    const times = ranges.flatMap(({ first, end }) =>
      Array.from({ length: end - first }, (_, at): [number, number] => [first + at - start, timeAt(first + at)]),
    );
    const remap = steppedRemap(times, animation.ip, fps);
    return { animation, start, length: frameCount - start, remap, fit, background, transition };
  });
  const isTransparent = pixelsOf(source.output) === 'rgba';
  return sceneDocument(placed, { ...canvas, rate: fps, frames: frameCount, isTransparent });
}

function serializable(
  { animation: typeset, findings, clips: timed, fileOfAsset }: ComposedDocument,
  ranges: readonly FrameRange[],
): ComposedAnimation {
  const clips = new Map(timed.map(({ clip }) => [clip.assetId, { ty: 0, w: clip.width, h: clip.height }]));
  const assets = (typeset.assets ?? []).flatMap((asset) => {
    if (clips.has(asset.id)) return [];
    return [fileOfAsset.has(asset.id) ? asset : withoutPath(asset)];
  });
  const animation = withLayerLists({ ...typeset, assets }, (layers) => showClips(layers, clips));
  // Everything that is the same in all windows is serialized once.
  const { assets: fixedAssets, ...otherFields } = animation;
  const serializeFixed = (storage: ImageStorage): string[] =>
    fixedAssets.map((asset) => {
      const file = fileOfAsset.get(asset.id);
      return JSON.stringify(file === undefined ? asset : { ...asset, ...imageFields(file, storage) });
    });
  const separateAssets = serializeFixed('separate');
  const otherFieldsJson = JSON.stringify(otherFields).slice(1);
  return {
    animation: typeset,
    findings,
    files: [...fileOfAsset.values()].map(({ name, bytes }) => [name, bytes]),
    clips: timed,
    ranges,
    toJson: (clipAssets, storage = 'embedded') => {
      const fixedJson = storage === 'separate' ? separateAssets : serializeFixed(storage);
      const assetsJson = [...fixedJson, ...clipAssets.map((asset) => JSON.stringify(asset))];
      return `{"assets":[${assetsJson.join(',')}],${otherFieldsJson}`;
    },
  };
}

function imageFields({ name, type, bytes }: ImageFile, storage: ImageStorage): object {
  if (storage === 'separate') return { u: '', p: name, e: 0 };
  return { u: '', p: `data:image/${type};base64,${bytes.toString('base64')}`, e: 1 };
}

/** Turns image layers that show a clip into layers that show a composition. @param clips fields of those layers by asset */
export function showClips(layers: readonly unknown[], clips: ReadonlyMap<string, object>): unknown[] {
  return layers.map((layer) => {
    const clip = isRecord(layer) && layer.ty === LAYER_TYPE.image ? clips.get(String(layer.refId)) : undefined;
    return clip === undefined ? layer : { ...(layer as object), ...clip };
  });
}

/** Removes the path of an asset unless it is embedded data, because a player would follow it to any file. */
export function withoutPath<Asset extends { [field: string]: unknown }>(asset: Asset): Asset {
  if (asset.p === undefined && asset.u === undefined) return asset;
  const { p: path, u: _folder, ...rest } = asset;
  const isEmbedded = typeof path === 'string' && /^data:[^,]*;base64,/i.test(path);
  return (isEmbedded ? { ...rest, u: '', p: path } : rest) as Asset;
}
