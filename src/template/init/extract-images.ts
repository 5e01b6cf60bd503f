import { wrongKind } from '../../kernel/file-kind.ts';
import { isRecord } from '../../kernel/json.ts';
import { allLayers, LAYER_TYPE, type LottieNode } from '../lottie/lottie-layers.ts';
import type { LottieDocument } from '../render-input.ts';
import { safeName } from './key-generator.ts';
import { type LottieSource, type NeededFile, readDataUri } from './lottie-source.ts';

/** Files of a new package that were found or are missing. */
export interface ExtractedFiles {
  /** By path relative to the package's folder. */
  readonly files: Map<string, Uint8Array>;
  readonly needs: readonly NeededFile[];
}

const IMAGE_ENDINGS: Readonly<Record<string, string>> = { jpeg: 'jpg' };

/**
 * Finds the bytes of each image and sound, which may be embedded, in the archive or next to the source, and adds them to the
 * package as files that the assets refer to. Reports missing files with their expected path.
 *
 * @param animation modified
 */
export function extractImages(animation: LottieDocument, source: LottieSource): ExtractedFiles {
  const files = new Map<string, Uint8Array>();
  const needs: NeededFile[] = [];
  const names = layerNames(animation);
  const sounds = soundIds(animation);
  for (const asset of animation.assets ?? []) {
    if (typeof asset.p !== 'string' || asset.layers !== undefined || asset.t === 'seq') continue;
    const kind = sounds.has(asset.id) ? 'sound' : 'image';
    const bytes = bytesOf(asset, source);
    const image = bytes === null || kind === 'sound' ? undefined : source.readImage(bytes);
    const problem =
      bytes !== null && kind === 'image' && image === undefined
        ? wrongKind(bytes, 'a PNG, JPEG, WebP, GIF or AVIF image')
        : null;
    const sourceName = asset.p.startsWith('data:') ? (names.get(asset.id) ?? asset.id) : asset.p;
    const ending = kind === 'sound' ? soundEnding(asset.p) : endingOf(image?.type);
    const name = withEnding(fileName(sourceName, ending), kind);
    const path = unique(`${kind === 'sound' ? 'audio' : 'images'}/${name}`, files, needs);
    if (bytes === null || problem !== null) needs.push({ kind, name: assetName(asset), path, problem });
    else files.set(path, bytes);
    if (kind === 'image') setSize(asset, image);
    const slash = path.lastIndexOf('/') + 1;
    Object.assign(asset, { u: path.slice(0, slash), p: path.slice(slash), e: 0 });
  }
  return { files, needs };
}

function bytesOf({ u, p }: LottieNode, { files, readAdjacent }: LottieSource): Uint8Array | null {
  const name = String(p);
  if (name.startsWith('data:')) return readDataUri(name);
  const path = `${typeof u === 'string' ? u : ''}${name}`;
  // URLs are not fetched.
  if (/^[a-z][a-z+.-]*:/i.test(path)) return null;
  const clean = path.replace(/^(?:\.?\/)+/, '');
  const base = clean.split('/').at(-1)!;
  const folders = ['i', 'images', 'u', 'audio'];
  // The whole path first: files in sub-folders may have equal names.
  const nested = folders.flatMap((folder) => [`${folder}/${clean}`, `${folder}/${name.replace(/^(?:\.?\/)+/, '')}`]);
  const paths = [clean, ...nested, ...folders.map((folder) => `${folder}/${base}`), base];
  for (const candidate of paths) {
    const bytes = files.get(candidate) ?? readAdjacent(candidate);
    if (bytes !== null && bytes !== undefined) return bytes;
  }
  return null;
}

/** Sets the size of an asset in whole pixels: its declared size, or else that of its image. */
function setSize(asset: LottieNode, image: { width: number; height: number } | undefined): void {
  const size = (declared: unknown, measured: number | undefined): unknown =>
    typeof declared === 'number' && declared > 0 ? Math.max(1, Math.round(declared)) : (measured ?? declared);
  asset.w = size(asset.w, image?.width);
  asset.h = size(asset.h, image?.height);
}

/** Returns the name of the first layer that shows each asset, by asset id. */
function layerNames(animation: LottieDocument): Map<string, string> {
  const names = new Map<string, string>();
  for (const { layer, name } of allLayers(animation)) {
    if (typeof layer.refId === 'string' && typeof layer.nm === 'string' && !names.has(layer.refId)) {
      names.set(layer.refId, name);
    }
  }
  return names;
}

function soundIds(animation: LottieDocument): Set<unknown> {
  const layers = allLayers(animation).filter(({ layer }) => layer.ty === LAYER_TYPE.audio);
  const assets = (animation.assets ?? []).filter(
    (asset) =>
      isRecord(asset) && typeof asset.p === 'string' && /^data:audio\/|\.(?:mp3|wav|m4a|aac|ogg|flac)$/i.test(asset.p),
  );
  return new Set([...layers.map(({ layer }) => layer.refId), ...assets.map(({ id }) => id)]);
}

function soundEnding(p: string): string | null {
  const ending = /^data:audio\/(?:x-|vnd\.)?(\w+)/.exec(p)?.[1];
  if (ending === undefined) return null;
  return ending === 'mpeg' ? 'mp3' : ending === 'mp4' ? 'm4a' : ending;
}

function endingOf(type: string | undefined): string | null {
  return type === undefined ? null : (IMAGE_ENDINGS[type] ?? type);
}

/** Returns a safe file name with an extension. @param ending extension for the bytes; null to keep that of the name */
function fileName(sourceName: string, ending: string | null): string {
  const safe = safeName(sourceName.split('/').at(-1)!);
  const stem = safe.replace(/\.(?:png|jpe?g|webp|gif|avif|mp3|wav|m4a|aac|ogg|flac|svg)$/i, '');
  if (ending === null) return safe;
  // Keeps an extension that is equivalent.
  const extension = safe.slice(stem.length + 1).toLowerCase();
  return extension === ending || (extension === 'jpeg' && ending === 'jpg') ? safe : `${stem}.${ending}`;
}

/** Adds an extension to the name of a missing file. */
function withEnding(name: string, kind: 'image' | 'sound'): string {
  return name.includes('.') ? name : `${name}.${kind === 'image' ? 'png' : 'mp3'}`;
}

function unique(path: string, files: ReadonlyMap<string, Uint8Array>, needs: readonly NeededFile[]): string {
  const used = new Set([...files.keys(), ...needs.map((need) => need.path)].map((key) => key.toLowerCase()));
  const [, stem = path, ending = ''] = /^(.*?)(\.[^./]+)?$/.exec(path) ?? [];
  for (let number = 1; ; number++) {
    const name = `${stem}${number === 1 ? '' : `-${number}`}${ending}`;
    if (!used.has(name.toLowerCase())) return name;
  }
}

function assetName({ id, u, p }: LottieNode): string {
  return String(p).startsWith('data:') ? `the data of asset ${id}` : `${typeof u === 'string' ? u : ''}${p}`;
}
