import { isRecord } from '../../json.ts';
import { drawingForm } from '../../template/lottie/drawing-form.ts';
import { LAYER_TYPE, withLayerLists } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { evaluateScene } from '../expressions/evaluate-scene.ts';
import { fittedImageCache } from '../images/fit-image.ts';
import { animateImages } from '../media/animate-images.ts';
import type { PictureFiles } from '../media/picture.ts';
import type { TextFinding } from '../text/text-findings.ts';
import { typesetTexts } from '../text/typeset-texts.ts';

/** A scene's animation, ready for the rasteriser but for the pictures of its clips. */
export interface ComposedAnimation {
  /** As it is, with the scene's clips in the layers that show them. */
  readonly animation: LottieDocument;
  /** Defects of its texts. */
  readonly findings: readonly TextFinding[];
  /** Its images, PNG. */
  readonly files: PictureFiles;
  /**
   * @param clipAssets replacements of the assets that clips fill, with the pictures that they need
   * @param images embedded in the text, or stored as `files`
   */
  toJson(clipAssets: readonly object[], images?: 'inside' | 'beside'): string;
}

/**
 * The scene's animation with its texts set and every image in it, fitted to its area. One image is decoded at a time, so that
 * memory holds one large source, not all. No path is left in it that could lead outside.
 *
 * @throws SceneError as `fitImage`
 */
export async function composeAnimation(given: Scene): Promise<ComposedAnimation> {
  const scene = await evaluateScene(given);
  const { animation: moving, images } = animateImages({ ...scene, animation: drawingForm(scene.animation) });
  const files: [name: string, png: Buffer][] = [];
  const byAsset = new Map<string, (typeof files)[number]>();
  for (const [index, image] of images.entries()) {
    const file: (typeof files)[number] = [`image-${index}.png`, await fittedImageCache.fit(image)];
    files.push(file);
    byAsset.set(image.assetId, file);
  }
  const { animation: set, findings } = await typesetTexts(moving, scene.fonts);
  const clips = new Map(scene.clips.map((clip) => [clip.assetId, { ty: 0, w: clip.width, h: clip.height }]));
  const assets = (set.assets ?? []).flatMap((asset) => {
    if (clips.has(asset.id)) return [];
    return [byAsset.has(asset.id) ? asset : withoutPath(asset)];
  });
  const animation = withLayerLists({ ...set, assets }, (layers) => showClips(layers, clips));
  // The parts that are the same in every window are serialized once.
  const { assets: fixed, ...rest } = animation;
  const fixedText = (images: 'inside' | 'beside'): string[] =>
    fixed.map((asset) => {
      const file = byAsset.get(asset.id);
      return JSON.stringify(file === undefined ? asset : { ...asset, ...imageFields(file, images) });
    });
  const besideText = fixedText('beside');
  const restText = JSON.stringify(rest).slice(1);
  return {
    // Times are looked up in the layers as they were: clips play in image layers there.
    animation: set,
    findings,
    files,
    toJson: (clipAssets, images = 'inside') => {
      const own = images === 'beside' ? besideText : fixedText(images);
      const all = [...own, ...clipAssets.map((asset) => JSON.stringify(asset))];
      return `{"assets":[${all.join(',')}],${restText}`;
    },
  };
}

function imageFields([name, png]: readonly [string, Buffer], images: 'inside' | 'beside'): object {
  if (images === 'beside') return { u: '', p: name, e: 0 };
  return { u: '', p: `data:image/png;base64,${png.toString('base64')}`, e: 1 };
}

/** Layers that show a clip show a composition instead; everything else of them stays as it is. */
function showClips(layers: readonly unknown[], clips: ReadonlyMap<string, object>): unknown[] {
  return layers.map((layer) => {
    const clip = isRecord(layer) && layer.ty === LAYER_TYPE.image ? clips.get(String(layer.refId)) : undefined;
    return clip === undefined ? layer : { ...(layer as object), ...clip };
  });
}

/** Keeps only embedded data of an asset. The rasteriser would follow a path anywhere, relative to the picture folder. */
function withoutPath<Asset extends { [field: string]: unknown }>(asset: Asset): Asset {
  if (asset.p === undefined && asset.u === undefined) return asset;
  const { p, u: _folder, ...rest } = asset;
  return (typeof p === 'string' && /^data:[^,]*;base64,/i.test(p) ? { ...rest, u: '', p } : rest) as Asset;
}
