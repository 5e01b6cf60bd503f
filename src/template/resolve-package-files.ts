import { defined } from '../kernel/defined.ts';
import { parseLfsPointer } from '../kernel/file-kind.ts';
import { didYouMean } from '../kernel/hints.ts';
import { fontProblem } from './check-font.ts';
import { outlinedFonts } from './lottie/slots/glyph-outlines.ts';
import { fontNames, soundAssetIds, usedFonts } from './lottie/slots/lottie-slots.ts';
import type { Manifest } from './parse-manifest.ts';
import type { LottieDocument } from './render-input.ts';
import {
  MAX_HINTS,
  type PackageFile,
  type PackageFont,
  type PackageProblem,
  type TemplatePackage,
} from './template-package.ts';

/** Maximum side of an image's area, in pixels. */
const MAX_SIDE = 8192;
const FILE = 'animation.json';

/** Finds the file of each image asset that is not embedded. */
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
      const message = `The asset ${asset.id} is ${size}; sizes must be whole numbers from 1 to ${MAX_SIDE} pixels`;
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
 * Finds the sound of each asset that a sound layer plays, in a file or embedded. Assets without a sound must have an
 * editable.
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
      problems.push({ file: FILE, message: `A sound layer refers to the missing asset ${id}` });
    } else if (isEmbedded(name)) {
      sounds.set(id, { path: FILE, bytes: Buffer.from(name.slice(name.indexOf(',') + 1), 'base64') });
    } else if (name !== '') {
      const path = pathOf(asset);
      const bytes = fileAt(path, files);
      if (bytes !== undefined) sounds.set(id, { path, bytes });
      else problems.push({ file: FILE, message: `The sound ${path} of asset ${id} is not in the package` });
    } else if (typeof asset.sid !== 'string') {
      problems.push({ file: FILE, message: `The asset ${id} has neither a sound nor an editable` });
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

/** Returns whether a path is a data URI. @see RFC 2397 */
function isEmbedded(path: string): boolean {
  return /^data:/i.test(path);
}

function isSide(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_SIDE;
}

const FONT_ENDINGS = ['ttf', 'otf', 'woff2', 'woff'];

interface ResolvedFonts extends Pick<TemplatePackage, 'fonts' | 'extraFonts' | 'fallbackFonts'> {
  readonly problems: PackageProblem[];
}

/**
 * Finds the font files of a package: fonts that the animation uses, and other files in `fonts/`, which editables can choose
 * and which are fallbacks for missing glyphs. Reports missing and damaged fonts; the caller has accepted Git LFS pointers. A font
 * whose texts are drawn with outlines of the animation needs no file.
 */
export function resolveFonts(
  animation: LottieDocument,
  files: ReadonlyMap<string, Uint8Array>,
  manifest: Pick<Manifest, 'fallbackFonts' | 'fonts'>,
): ResolvedFonts {
  const available: Map<string, PackageFont> = fontFiles(files);
  const listed = new Set(fontNames(animation));
  const problems: PackageProblem[] = [];
  for (const { path, bytes } of available.values()) {
    const problem = parseLfsPointer(bytes) === null ? fontProblem(bytes) : null;
    if (problem !== null) problems.push({ file: path, message: `The file ${problem}`, hint: 'Replace the font file' });
  }
  const filesByName = new Map(available);
  for (const [name, { file, at, ...settings }] of manifest.fonts) {
    const found = filesByName.get(file);
    if (found !== undefined) {
      available.set(name, { ...found, ...settings });
      continue;
    }
    const message = `The font ${name} of fonts needs the file fonts/${file}.ttf, which is not in the package`;
    problems.push({ file: 'template.yaml', at, message, hint: fontHint(file, filesByName.keys()) });
  }
  const outlined = outlinedFonts(animation);
  for (const name of listed) {
    if (available.has(name) || manifest.fonts.has(name) || outlined.has(name)) continue;
    const message = `The font ${name} of the animation is not in the package`;
    problems.push({ file: 'animation.json', message, hint: `Add fonts/${name}.ttf (or .otf, .woff2, .woff)` });
  }
  for (const name of usedFonts(animation)) {
    if (listed.has(name)) continue;
    problems.push({ file: 'animation.json', message: `A text uses the font ${name}, which is not in fonts.list` });
  }
  for (const [name, at] of manifest.fallbackFonts) {
    if (available.has(name)) continue;
    const message = `The font ${name} of fallback_fonts is not in the package`;
    const hint = problems.length < MAX_HINTS ? fontHint(name, available.keys()) : undefined;
    problems.push({ file: 'template.yaml', at, message, ...defined({ hint }) });
  }
  const extraNames = [...available.keys()].filter((name) => !listed.has(name));
  return {
    fonts: pick(available, listed),
    extraFonts: pick(available, extraNames),
    // Fonts with settings are not fallbacks, because they have the same characters as their file.
    fallbackFonts: [
      ...new Set([...manifest.fallbackFonts.keys(), ...extraNames.filter((name) => filesByName.has(name))]),
    ],
    problems,
  };
}

/** Returns a hint for a missing font. */
export function fontHint(name: string, available: Iterable<string>): string {
  return didYouMean(name, available) ?? `Add fonts/${name}.ttf (or .otf, .woff2, .woff)`;
}

/**
 * Returns the files directly in `fonts/`, sorted and keyed by name without extension. Of several files with the same name,
 * the first format of `FONT_ENDINGS` wins.
 */
function fontFiles(files: ReadonlyMap<string, Uint8Array>): Map<string, PackageFile> {
  const found = new Map<string, PackageFile & { readonly rank: number }>();
  for (const [path, bytes] of files) {
    const [, name, ending] = /^fonts\/([^/]+)\.([a-z0-9]+)$/i.exec(path) ?? [];
    const rank = FONT_ENDINGS.indexOf(ending?.toLowerCase() ?? '');
    if (name === undefined || rank === -1 || rank > (found.get(name)?.rank ?? rank)) continue;
    found.set(name, { path, bytes, rank });
  }
  const inOrder = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(inOrder.map(([name, { path, bytes }]) => [name, { path, bytes }]));
}

function pick(files: ReadonlyMap<string, PackageFont>, names: Iterable<string>): Map<string, PackageFont> {
  return new Map([...names].flatMap((name) => (files.has(name) ? [[name, files.get(name)!] as const] : [])));
}
