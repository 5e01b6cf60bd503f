import { isRecord } from '../../kernel/json.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import type { LottieDocument } from '../render-input.ts';
import { type ArchiveLayout, LAYOUT_FILE, type OriginalFields, OWN_FOLDER } from './lottie-archive.ts';
import { writePackageZip } from './write-zip.ts';

/**
 * Packs a template package as a `.lottie` file (dotLottie 2). Images, sounds and fonts are in the standard folders for
 * players, and all other files below `reelform/`. The output is deterministic.
 *
 * @param files of a package that `parseTemplatePackage` accepts
 * @param id of the animation: letters, digits, `_` and `-`
 * @param generator name and version of the program
 * @see https://dotlottie.io/structure, and for fonts and sounds src/v2 of dotlottie-js
 */
export function writeLottieArchive(
  files: ReadonlyMap<string, Uint8Array>,
  { id, generator }: { readonly id: string; readonly generator: string },
): Uint8Array {
  const animation = JSON.parse(new TextDecoder().decode(files.get('animation.json'))) as LottieDocument;
  const packed = new Map<string, string>();
  const assets: Record<string, OriginalFields> = {};
  const fonts: Record<string, OriginalFields> = {};
  for (const [index, asset] of (animation.assets ?? []).entries()) {
    const path = `${typeof asset.u === 'string' ? asset.u : ''}${asset.p}`;
    if (typeof asset.p !== 'string' || !files.has(path)) continue;
    const folder = /\.(?:mp3|wav|m4a|aac|ogg|opus|flac)$/i.test(path) ? 'u/' : 'i/';
    const at = assignPath(path, folder, packed);
    assets[index] = change(asset, { u: `/${folder}`, p: at.slice(folder.length), e: 0 });
  }
  const list = isRecord(animation.fonts) && Array.isArray(animation.fonts.list) ? animation.fonts.list : [];
  for (const [index, font] of list.entries()) {
    const path = isRecord(font) ? fontFile(String(font.fName), files) : undefined;
    if (!isRecord(font) || path === undefined) continue;
    fonts[index] = change(font, { fPath: `/${assignPath(path, 'f/', packed)}`, origin: 3 });
  }
  const layout: ArchiveLayout = {
    layout_version: 1,
    animation: id,
    files: Object.fromEntries([...packed].map(([path, at]) => [at, path])),
    assets,
    fonts,
  };
  const entries = new Map<string, Uint8Array>([
    ['manifest.json', json({ version: '2', generator, animations: [{ id }] })],
    [`a/${id}.json`, json(animation)],
    [LAYOUT_FILE, json(layout)],
  ]);
  for (const [path, bytes] of files) {
    if (path !== 'animation.json') entries.set(packed.get(path) ?? `${OWN_FOLDER}${path}`, bytes);
  }
  return writePackageZip(entries);
}

/** Returns a file's path in the archive. Numbers files with the same name in different folders. */
function assignPath(path: string, folder: string, packed: Map<string, string>): string {
  const known = packed.get(path);
  if (known !== undefined) return known;
  const used = new Set([...packed.values()].map((at) => at.toLowerCase()));
  const [, stem = '', ending = ''] = /^(.*?)(\.[^.]*)?$/.exec(path.slice(path.lastIndexOf('/') + 1)) ?? [];
  for (let number = 1; ; number++) {
    const at = `${folder}${stem}${number === 1 ? '' : `-${number}`}${ending}`;
    if (used.has(at.toLowerCase())) continue;
    packed.set(path, at);
    return at;
  }
}

/** Sets fields and returns their previous values. */
function change(node: LottieNode, fields: Readonly<Record<string, string | number>>): OriginalFields {
  const before = Object.keys(fields).map((name) => [name, (node[name] ?? null) as OriginalFields[string]] as const);
  Object.assign(node, fields);
  return Object.fromEntries(before);
}

function fontFile(name: string, files: ReadonlyMap<string, Uint8Array>): string | undefined {
  return ['ttf', 'otf', 'woff2', 'woff'].map((ending) => `fonts/${name}.${ending}`).find((path) => files.has(path));
}

function json(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
