import { failure, type Result } from '../../diagnostic.ts';
import { checkJsonBounds, isRecord, parseJson } from '../../json.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { ANIMATION_BOUNDS } from '../parse-template-package.ts';
import type { LottieDocument } from '../scene.ts';
import { readPackageZip } from './read-package-zip.ts';

/** An unpacked `.lottie` file of dotLottie 1 or 2. */
interface LottieArchive {
  /** Key: path in the archive. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Ids of its animations, the initial one first. */
  readonly animations: readonly string[];
}

/**
 * Unpacks a `.lottie` file, with the checks of `readPackageZip`.
 *
 * @see https://dotlottie.io/structure; version 2 has a/, i/, u/ and f/ in place of animations/, images/ …
 */
export function readLottieArchive(bytes: Uint8Array): Result<LottieArchive> {
  const unpacked = readPackageZip(bytes);
  if (!unpacked.ok) {
    const hint = 'Export the .lottie file again';
    return { ok: false, diagnostics: unpacked.diagnostics.map((diagnostic) => ({ ...diagnostic, hint })) };
  }
  const files = unpacked.value;
  const manifest = jsonOf(files.get('manifest.json'));
  if (!isRecord(manifest)) return refused('The .lottie file has no readable manifest.json');
  const listed = (Array.isArray(manifest.animations) ? manifest.animations : []).flatMap((one: unknown) => {
    return isRecord(one) && typeof one.id === 'string' ? [one.id] : [];
  });
  const there = listed.filter((id) => files.has(animationPath(id, files)));
  if (there.length === 0) return refused('The animation named by the manifest is missing in the .lottie file');
  const initial = isRecord(manifest.initial) ? manifest.initial.animation : manifest.activeAnimationId;
  const animations = [...there].sort((a, b) => Number(b === initial) - Number(a === initial));
  return { ok: true, value: { files, animations } };
}

/** Returns the parsed JSON of one animation; undefined for invalid JSON. */
export function animationIn({ files }: LottieArchive, id: string): unknown {
  return jsonOf(files.get(animationPath(id, files)));
}

/**
 * Restores the files of a template package from a `.lottie` file by `writeLottieArchive`, with the original values of
 * `animation.json`.
 */
export function readPackedPackage(bytes: Uint8Array): Result<Map<string, Uint8Array>> {
  const archive = readLottieArchive(bytes);
  if (!archive.ok) return archive;
  const { files } = archive.value;
  if (!files.has(`${OWN_FOLDER}template.yaml`)) {
    return refused(
      'The .lottie file contains only an animation, not a template package',
      'Create a package from it with reelform template init',
    );
  }
  const layoutBytes = files.get(LAYOUT_FILE);
  const layout = parseLayout(jsonOf(layoutBytes));
  const animation = layout === null ? undefined : animationIn(archive.value, layout.animation);
  if (layout === null || !isRecord(animation)) {
    return refused('The .lottie file has no information about its package', 'Pack it again: reelform template pack');
  }
  restore(animation as LottieDocument, layout);
  const found = new Map<string, Uint8Array>([
    ['animation.json', new TextEncoder().encode(`${JSON.stringify(animation)}\n`)],
  ]);
  for (const [path, content] of files) {
    const own = Object.hasOwn(layout.files, path) ? layout.files[path] : undefined;
    if (own !== undefined) found.set(own, content);
    else if (path.startsWith(OWN_FOLDER) && path !== LAYOUT_FILE) found.set(path.slice(OWN_FOLDER.length), content);
  }
  return { ok: true, value: found };
}

function animationPath(id: string, files: ReadonlyMap<string, Uint8Array>): string {
  const second = `a/${id}.json`;
  return files.has(second) ? second : `animations/${id}.json`;
}

function restore(animation: LottieDocument, { assets, fonts }: ArchiveLayout): void {
  const list = isRecord(animation.fonts) && Array.isArray(animation.fonts.list) ? animation.fonts.list : [];
  for (const [nodes, changes] of [
    [Array.isArray(animation.assets) ? animation.assets : [], assets],
    [list, fonts],
  ] as const) {
    for (const [index, changed] of Object.entries(changes)) {
      const node: unknown = nodes[Number(index)];
      if (isRecord(node)) setBack(node, changed);
    }
  }
}

function setBack(node: LottieNode, changed: Changed): void {
  for (const [name, value] of Object.entries(changed)) {
    if (value === null) delete node[name];
    else node[name] = value;
  }
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || checkJsonBounds(bytes, ANIMATION_BOUNDS) !== null) return undefined;
  return parseJson(new TextDecoder().decode(bytes));
}

function refused(message: string, hint?: string): Result<never> {
  return failure('template_invalid', undefined, message, hint);
}

/** Folder for our own files, which Lottie players ignore. */
export const OWN_FOLDER = 'reelform/';
export const LAYOUT_FILE = `${OWN_FOLDER}layout.json`;

/** The changes made by packing, so that unpacking restores every value exactly. */
export interface ArchiveLayout {
  readonly layout_version: 1;
  readonly animation: string;
  /** Path in the archive → path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Index in `assets` → original values; null for a missing field. */
  readonly assets: Readonly<Record<string, Changed>>;
  /** The same for `fonts.list`. */
  readonly fonts: Readonly<Record<string, Changed>>;
}

/** Original values of fields. */
export type Changed = Readonly<Record<string, string | number | null>>;

/** Validates an untrusted layout file. Returns null for an invalid one. */
function parseLayout(value: unknown): ArchiveLayout | null {
  if (!isRecord(value) || value.layout_version !== 1 || typeof value.animation !== 'string') return null;
  const { files, assets, fonts } = value;
  if (!isRecord(files) || !Object.values(files).every(isPackagePath)) return null;
  return [assets, fonts].every((one) => isRecord(one) && Object.values(one).every(isChanged))
    ? (value as unknown as ArchiveLayout)
    : null;
}

function isPackagePath(path: unknown): boolean {
  if (typeof path !== 'string' || path.includes('\\')) return false;
  return path.split('/').every((part) => !['', '.', '..', '__proto__'].includes(part) && !part.startsWith('.'));
}

function isChanged(fields: unknown): boolean {
  return (
    isRecord(fields) &&
    Object.entries(fields).every(
      ([name, value]) =>
        ['u', 'p', 'e', 'fPath', 'origin'].includes(name) &&
        (value === null || typeof value === 'string' || typeof value === 'number'),
    )
  );
}
