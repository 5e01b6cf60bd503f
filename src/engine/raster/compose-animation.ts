import { isRecord } from '../../kernel/json.ts';
import { drawingForm } from '../../template/lottie/drawing-form/drawing-form.ts';
import { LAYER_TYPE, withLayerLists } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, RenderInput } from '../../template/render-input.ts';
import { evaluateInput } from '../expressions/evaluate-input.ts';
import { fittedImageCache } from '../images/fit-image.ts';
import { animateImages } from '../media/animate-images.ts';
import type { PictureFiles } from '../media/picture.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { typesetTexts } from '../text/typeset-texts.ts';

/** An input's animation, ready for the rasteriser except for the pictures of its clips. */
export interface ComposedAnimation {
  /** The animation, in which layers still show the clips as images. */
  readonly animation: LottieDocument;
  /** Defects of the texts. */
  readonly findings: readonly TextFinding[];
  /** The images, as PNG. */
  readonly files: PictureFiles;
  /**
   * Serializes the animation.
   *
   * @param clipAssets assets that replace the clips, and their pictures
   * @param storage whether images are embedded in the JSON, or stored separately as `files`
   */
  toJson(clipAssets: readonly object[], storage?: ImageStorage): string;
}

type ImageStorage = 'embedded' | 'separate';
type ImageFile = readonly [name: string, png: Buffer];

/**
 * Composes an input's animation: evaluates expressions, sets the texts as outlines and fits the images to their areas. Decodes
 * a single image at a time to save memory. Removes all paths to other files.
 *
 * @throws RenderError as `fitImage`
 */
export async function composeAnimation(source: RenderInput): Promise<ComposedAnimation> {
  const renderInput = await evaluateInput(source);
  const { animation: moving, images } = animateImages({
    ...renderInput,
    animation: drawingForm(renderInput.animation),
  });
  const files: ImageFile[] = [];
  const fileOfAsset = new Map<string, ImageFile>();
  for (const [index, image] of images.entries()) {
    const file: ImageFile = [`image-${index}.png`, await fittedImageCache.fit(image)];
    files.push(file);
    fileOfAsset.set(image.assetId, file);
  }
  const { animation: typeset, findings } = await typesetTexts(moving, renderInput.fonts);
  const clips = new Map(renderInput.clips.map((clip) => [clip.assetId, { ty: 0, w: clip.width, h: clip.height }]));
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
    // The times of clips are computed from this animation, where image layers show them.
    animation: typeset,
    findings,
    files,
    toJson: (clipAssets, storage = 'embedded') => {
      const fixedJson = storage === 'separate' ? separateAssets : serializeFixed(storage);
      const assetsJson = [...fixedJson, ...clipAssets.map((asset) => JSON.stringify(asset))];
      return `{"assets":[${assetsJson.join(',')}],${otherFieldsJson}`;
    },
  };
}

function imageFields([name, png]: ImageFile, storage: ImageStorage): object {
  if (storage === 'separate') return { u: '', p: name, e: 0 };
  return { u: '', p: `data:image/png;base64,${png.toString('base64')}`, e: 1 };
}

/** Turns image layers that show a clip into layers that show a composition. */
function showClips(layers: readonly unknown[], clips: ReadonlyMap<string, object>): unknown[] {
  return layers.map((layer) => {
    const clip = isRecord(layer) && layer.ty === LAYER_TYPE.image ? clips.get(String(layer.refId)) : undefined;
    return clip === undefined ? layer : { ...(layer as object), ...clip };
  });
}

/** Removes the path of an asset unless it is embedded data, because the rasteriser would follow it to any file. */
function withoutPath<Asset extends { [field: string]: unknown }>(asset: Asset): Asset {
  if (asset.p === undefined && asset.u === undefined) return asset;
  const { p: path, u: _folder, ...rest } = asset;
  const isEmbedded = typeof path === 'string' && /^data:[^,]*;base64,/i.test(path);
  return (isEmbedded ? { ...rest, u: '', p: path } : rest) as Asset;
}
