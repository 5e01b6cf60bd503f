import { isRecord } from '../../is-record.ts';
import { withLayerLists } from '../../template/lottie/layer-lists.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-node.ts';
import type { LottieDocument, Scene } from '../../template/scene.ts';
import { fitImage } from '../images/fit-image.ts';
import { animateImages } from '../media/animate-images.ts';
import { setTexts } from '../text/set-texts.ts';
import type { TextFinding } from '../text/text-finding.ts';

/** A scene's animation, ready for the rasteriser but for the pictures of its clips. */
export interface ComposedAnimation {
  /** As it is, with the scene's clips in the layers that show them. */
  readonly animation: LottieDocument;
  /** What a viewer would notice of its texts. */
  readonly findings: readonly TextFinding[];
  /** @param clipAssets what takes the places of the assets that clips fill, and what that needs */
  toJson(clipAssets: readonly object[]): string;
}

/**
 * The scene's animation with its texts set and every image in it, fitted to its area. One image is decoded at a time, so that
 * memory holds one large source, not all. No path is left in it that could lead outside.
 *
 * @throws SceneError as `fitImage`
 */
export async function composeAnimation(scene: Scene): Promise<ComposedAnimation> {
  const { animation: moving, images } = animateImages(scene);
  const uris = new Map<string, string>();
  for (const image of images) {
    const png = await fitImage(image);
    uris.set(image.assetId, `data:image/png;base64,${png.toString('base64')}`);
  }
  const { animation: set, findings } = await setTexts(moving, scene.fonts);
  const clips = new Map(scene.clips.map((clip) => [clip.assetId, { ty: 0, w: clip.width, h: clip.height }]));
  const assets = (set.assets ?? []).flatMap((asset) => {
    if (clips.has(asset.id)) return [];
    const uri = uris.get(asset.id);
    return [uri === undefined ? withoutPath(asset) : { ...asset, u: '', p: uri, e: 1 }];
  });
  const animation = withLayerLists({ ...set, assets }, (layers) => showClips(layers, clips));
  // All of it but what changes from window to window is written once.
  const { assets: fixed, ...rest } = animation;
  const fixedText = fixed.map((asset) => JSON.stringify(asset));
  const restText = JSON.stringify(rest).slice(1);
  return {
    // Times are looked up in the layers as they were: clips play in image layers there.
    animation: set,
    findings,
    toJson: (clipAssets) => {
      const all = [...fixedText, ...clipAssets.map((asset) => JSON.stringify(asset))];
      return `{"assets":[${all.join(',')}],${restText}`;
    },
  };
}

/** Layers that show a clip show a composition instead; everything else of them stays as it is. */
function showClips(layers: readonly unknown[], clips: ReadonlyMap<string, object>): unknown[] {
  return layers.map((layer) => {
    const clip = isRecord(layer) && layer.ty === LAYER_TYPE.image ? clips.get(String(layer.refId)) : undefined;
    return clip === undefined ? layer : { ...(layer as object), ...clip };
  });
}

/** An asset keeps what is inside the text. A path would be followed wherever it leads, once there is a folder to start from. */
function withoutPath<Asset extends { [field: string]: unknown }>(asset: Asset): Asset {
  if (asset.p === undefined && asset.u === undefined) return asset;
  const { p, u: _folder, ...rest } = asset;
  return (typeof p === 'string' && /^data:[^,]*;base64,/i.test(p) ? { ...rest, u: '', p } : rest) as Asset;
}
