import type { Scene } from '../template/scene.ts';
import { fitImage } from './fit-image.ts';

/**
 * The scene's animation as one JSON text with every image in it, fitted to its area. One image is decoded at a time, so
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
  const assets = (scene.animation.assets ?? []).map((asset) => {
    const uri = uris.get(asset.id);
    return uri === undefined ? asset : { ...asset, u: '', p: uri, e: 1 };
  });
  return JSON.stringify({ ...scene.animation, assets });
}
