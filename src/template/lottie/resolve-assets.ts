import type { PackageProblem } from '../package-problem.ts';
import type { LottieDocument } from '../scene.ts';
import type { PackageFile } from '../template-package.ts';
import { soundAssetIds } from './lottie-slots.ts';

/** Pixels of an image's area. */
const MAX_SIDE = 8192;
const FILE = 'animation.json';

/** The image file behind each image asset that does not carry its image inside. */
export function resolveImages(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
): { images: Map<string, PackageFile>; problems: PackageProblem[] } {
  const images = new Map<string, PackageFile>();
  const problems: PackageProblem[] = [];
  const sounds = soundAssetIds(animation);
  for (const asset of animation.assets ?? []) {
    if (typeof asset.p !== 'string' || isEmbedded(asset.p) || sounds.has(asset.id)) continue;
    const path = pathOf(asset);
    const bytes = fileAt(path, files);
    if (![asset.w, asset.h].every(isSide)) {
      const size = `${asset.w}×${asset.h}`;
      const message = `The asset ${asset.id} is ${size}; it takes whole numbers of 1 to ${MAX_SIDE} pixels`;
      problems.push({ file: FILE, message });
    } else if (bytes === undefined) {
      problems.push({ file: FILE, message: `The image ${path} of asset ${asset.id} is not in the package` });
    } else {
      images.set(asset.id, { path, bytes });
    }
  }
  return { images, problems };
}

/**
 * The sound behind each asset that a sound layer plays, from a file or from inside the animation. One without a sound of
 * its own has to be filled by an editable.
 */
export function resolveSounds(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
): { sounds: Map<string, PackageFile>; problems: PackageProblem[] } {
  const sounds = new Map<string, PackageFile>();
  const problems: PackageProblem[] = [];
  const assets = new Map((animation.assets ?? []).map((asset) => [asset.id, asset]));
  for (const id of soundAssetIds(animation)) {
    const asset = assets.get(id);
    const name = typeof asset?.p === 'string' ? asset.p : '';
    if (asset === undefined) {
      problems.push({ file: FILE, message: `A sound layer plays the asset ${id}, which is not there` });
    } else if (isEmbedded(name)) {
      sounds.set(id, { path: FILE, bytes: Buffer.from(name.slice(name.indexOf(',') + 1), 'base64') });
    } else if (name !== '') {
      const path = pathOf(asset);
      const bytes = fileAt(path, files);
      if (bytes !== undefined) sounds.set(id, { path, bytes });
      else problems.push({ file: FILE, message: `The sound ${path} of asset ${id} is not in the package` });
    } else if (typeof asset.sid !== 'string') {
      problems.push({ file: FILE, message: `The asset ${id} has no sound, and no editable fills it` });
    }
  }
  return { sounds, problems };
}

function pathOf({ u, p }: Readonly<Record<string, unknown>>): string {
  return `${typeof u === 'string' ? u : ''}${p}`;
}

function fileAt(path: string, files: ReadonlyMap<string, Uint8Array>): Uint8Array | undefined {
  return path.split('/').includes('..') ? undefined : files.get(path);
}

/** @see RFC 2397 */
function isEmbedded(path: string): boolean {
  return /^data:/i.test(path);
}

function isSide(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SIDE;
}
