import { failure, type Result } from '../../kernel/diagnostic.ts';
import { checkJsonBounds, isRecord, parseJson } from '../../kernel/json.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { ANIMATION_BOUNDS } from '../parse-template-package.ts';
import type { LottieDocument } from '../render-input.ts';
import { readPackageZip } from './read-package-zip.ts';

/** An unpacked `.lottie` file of dotLottie 1 or 2. */
interface LottieArchive {
  /** By path in the archive. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Ids of the animations, the initial animation first. */
  readonly animations: readonly string[];
}

/**
 * Unpacks a `.lottie` file, with the checks of `readPackageZip`.
 *
 * @see https://dotlottie.io/structure; version 2 uses a/, i/, u/ and f/ instead of animations/, images/ …
 */
export function readLottieArchive(bytes: Uint8Array): Result<LottieArchive> {
  const unpacked = readPackageZip(bytes);
  if (!unpacked.ok) {
    const hint = 'Export the .lottie file again';
    return { ok: false, diagnostics: unpacked.diagnostics.map((diagnostic) => ({ ...diagnostic, hint })) };
  }
  const files = unpacked.value;
  const manifest = jsonOf(files.get('manifest.json'));
  if (!isRecord(manifest)) return failed('The .lottie file has no readable manifest.json');
  const listed = (Array.isArray(manifest.animations) ? manifest.animations : []).flatMap((entry: unknown) => {
    return isRecord(entry) && typeof entry.id === 'string' ? [entry.id] : [];
  });
  const present = listed.filter((id) => files.has(animationPath(id, files)));
  if (present.length === 0) return failed('The animation named by the manifest is missing in the .lottie file');
  const initial = isRecord(manifest.initial) ? manifest.initial.animation : manifest.activeAnimationId;
  const animations = [...present].sort((a, b) => Number(b === initial) - Number(a === initial));
  return { ok: true, value: { files, animations } };
}

/** Returns the parsed JSON of an animation; undefined for invalid JSON. */
export function animationIn({ files }: LottieArchive, id: string): unknown {
  return jsonOf(files.get(animationPath(id, files)));
}

/**
 * Restores the files of a template package from a `.lottie` file that `writeLottieArchive` wrote, including the original
 * `animation.json`.
 */
export function readPackedPackage(bytes: Uint8Array): Result<Map<string, Uint8Array>> {
  const archive = readLottieArchive(bytes);
  if (!archive.ok) return archive;
  const { files } = archive.value;
  if (!files.has(`${OWN_FOLDER}template.yaml`)) {
    return failed(
      'The .lottie file contains only an animation, not a template package',
      'Create a package from it with reelform template init',
    );
  }
  const layoutBytes = files.get(LAYOUT_FILE);
  const layout = parseLayout(jsonOf(layoutBytes));
  const animation = layout === null ? undefined : animationIn(archive.value, layout.animation);
  if (layout === null || !isRecord(animation)) {
    return failed('The .lottie file has no information about its package', 'Pack it again: reelform template pack');
  }
  restore(animation as LottieDocument, layout);
  const found = new Map<string, Uint8Array>([
    ['animation.json', new TextEncoder().encode(`${JSON.stringify(animation)}\n`)],
  ]);
  for (const [path, content] of files) {
    const originalPath = Object.hasOwn(layout.files, path) ? layout.files[path] : undefined;
    if (originalPath !== undefined) found.set(originalPath, content);
    else if (path.startsWith(OWN_FOLDER) && path !== LAYOUT_FILE) found.set(path.slice(OWN_FOLDER.length), content);
  }
  return { ok: true, value: found };
}

function animationPath(id: string, files: ReadonlyMap<string, Uint8Array>): string {
  const version2 = `a/${id}.json`;
  return files.has(version2) ? version2 : `animations/${id}.json`;
}

function restore(animation: LottieDocument, { assets, fonts }: ArchiveLayout): void {
  const list = isRecord(animation.fonts) && Array.isArray(animation.fonts.list) ? animation.fonts.list : [];
  for (const [nodes, changes] of [
    [Array.isArray(animation.assets) ? animation.assets : [], assets],
    [list, fonts],
  ] as const) {
    for (const [index, original] of Object.entries(changes)) {
      const node: unknown = nodes[Number(index)];
      if (isRecord(node)) restoreFields(node, original);
    }
  }
}

function restoreFields(node: LottieNode, original: OriginalFields): void {
  for (const [name, value] of Object.entries(original)) {
    if (value === null) delete node[name];
    else node[name] = value;
  }
}

function jsonOf(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined || checkJsonBounds(bytes, ANIMATION_BOUNDS) !== null) return undefined;
  return parseJson(new TextDecoder().decode(bytes));
}

function failed(message: string, hint?: string): Result<never> {
  return failure('template_invalid', undefined, message, hint);
}

/** Folder for files that Lottie players ignore. */
export const OWN_FOLDER = 'reelform/';
export const LAYOUT_FILE = `${OWN_FOLDER}layout.json`;

/** Records the changes of packing, so that unpacking restores all values. */
export interface ArchiveLayout {
  readonly layout_version: 1;
  readonly animation: string;
  /** Path in the archive → path in the package. */
  readonly files: Readonly<Record<string, string>>;
  /** Index in `assets` → original values; null for a missing field. */
  readonly assets: Readonly<Record<string, OriginalFields>>;
  /** Index in `fonts.list` → original values; null for a missing field. */
  readonly fonts: Readonly<Record<string, OriginalFields>>;
}

/** Original values of fields. */
export type OriginalFields = Readonly<Record<string, string | number | null>>;

/** Validates an untrusted layout file. Returns null if it is invalid. */
function parseLayout(value: unknown): ArchiveLayout | null {
  if (!isRecord(value) || value.layout_version !== 1 || typeof value.animation !== 'string') return null;
  const { files, assets, fonts } = value;
  if (!isRecord(files) || !Object.values(files).every(isPackagePath)) return null;
  return [assets, fonts].every((fields) => isRecord(fields) && Object.values(fields).every(isOriginalFields))
    ? (value as unknown as ArchiveLayout)
    : null;
}

function isPackagePath(path: unknown): boolean {
  if (typeof path !== 'string' || path.includes('\\')) return false;
  return path.split('/').every((part) => !['', '.', '..', '__proto__'].includes(part) && !part.startsWith('.'));
}

function isOriginalFields(fields: unknown): boolean {
  return (
    isRecord(fields) &&
    Object.entries(fields).every(
      ([name, value]) =>
        ['u', 'p', 'e', 'fPath', 'origin'].includes(name) &&
        (value === null || typeof value === 'string' || typeof value === 'number'),
    )
  );
}
