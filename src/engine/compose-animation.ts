import type { Scene } from '../template/scene.ts';
import { fitImage } from './fit-image.ts';
import { setTexts } from './text/set-texts.ts';

/**
 * The scene's animation as one JSON text with its texts set and every image in it, fitted to its area. One image is decoded at a time, so
 * that memory holds one large source, not all.
 *
 * @throws SceneError as `fitImage`
 */
export async function composeAnimation(scene: Scene): Promise<string> {
  const uris = new Map<string, string>();
  for (const image of scene.images) {
    const png = await fitImage(image);
    uris.set(image.assetId, `data:image/png;base64,${png.toString('base64')}`);
  }
  const { animation } = await setTexts(scene.animation, scene.fonts);
  const assets = (animation.assets ?? []).map((asset) => {
    const uri = uris.get(asset.id);
    return uri === undefined ? asset : { ...asset, u: '', p: uri, e: 1 };
  });
  return JSON.stringify({ ...animation, assets });
}
