import { fontProblem } from '../check-font.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { fontList, usedFonts, usedStyles } from '../lottie/lottie-slots.ts';
import type { LottieDocument } from '../scene.ts';
import type { InitNote } from './editable-targets.ts';
import type { ExtractedFiles } from './extract-images.ts';
import { safeName } from './key-generator.ts';
import { type LottieSource, type NeededFile, readDataUri } from './lottie-source.ts';

const FONT_FILE = /\.(?:ttf|otf|woff2|woff)$/i;
const LICENCE = /(?:^|\/)(?:OFL|LICEN[CS]E|UFL|APACHE)[^/]*\.(?:txt|md)$/i;

/**
 * Finds a file with its licences for each font that texts use: embedded, in the archive, or next to the source. Removes
 * unused fonts from the animation, and glyph outlines because users can enter any text.
 *
 * @param animation modified
 */
export function extractFonts(animation: LottieDocument, source: LottieSource): ExtractedFiles & { notes: InitNote[] } {
  const files = new Map<string, Uint8Array>();
  const needs: NeededFile[] = [];
  const notes: InitNote[] = [];
  const used = new Set(usedFonts(animation));
  const known = new Map(fontList(animation).map((font) => [String(font.fName), font]));
  const list: LottieNode[] = [];
  for (const name of used) {
    const font: LottieNode = known.get(name) ?? { fName: name, fFamily: name, fStyle: '', ascent: 75 };
    const fileName = safeName(name);
    const found = findFont(font, source);
    const problem = found === null ? null : fontProblem(found.bytes);
    if (found !== null && problem === null) {
      files.set(`fonts/${fileName}.${endingOf(found.bytes)}`, found.bytes);
      for (const licence of found.licences)
        files.set(`fonts/${licence.split('/').at(-1)}`, source.readAdjacent(licence)!);
    } else {
      needs.push({ kind: 'font', name, path: `fonts/${fileName}.ttf`, problem });
    }
    if (fileName !== name) rename(animation, name, fileName);
    const { fPath: _, ...rest } = font;
    list.push({ ...rest, fName: fileName, origin: 3 });
  }
  const unused = [...known.keys()].filter((name) => !used.has(name));
  if (unused.length > 0) notes.push({ kind: 'changed', message: `Omitted unused fonts: ${unused.join(', ')}` });
  if (Array.isArray(animation.chars)) {
    delete animation.chars;
    if (used.size > 0)
      notes.push({ kind: 'changed', message: 'Removed glyph outlines: texts are rendered with fonts' });
  }
  if (list.length > 0) animation.fonts = { list };
  else delete animation.fonts;
  return { files, needs, notes };
}

function rename(animation: LottieDocument, from: string, to: string): void {
  for (const { style } of usedStyles(animation)) if (style.f === from) style.f = to;
}

function findFont(
  font: LottieNode,
  { files, readAdjacent, adjacentFonts }: LottieSource,
): { bytes: Uint8Array; licences: readonly string[] } | null {
  const path = typeof font.fPath === 'string' ? font.fPath : '';
  const inside = readDataUri(path) ?? files.get(path.replace(/^\/+/, ''));
  if (inside !== undefined) return { bytes: inside, licences: [] };
  const names = new Set([font.fName, `${font.fFamily}-${font.fStyle}`, `${font.fFamily}${font.fStyle}`].map(bare));
  if (String(font.fStyle) === 'Regular') names.add(bare(font.fFamily));
  const isFontFile = (file: string): boolean => {
    const stem = file.slice(file.lastIndexOf('/') + 1).replace(FONT_FILE, '');
    return FONT_FILE.test(file) && names.has(bare(stem));
  };
  const packed = [...files].find(([file]) => isFontFile(file));
  if (packed !== undefined) return { bytes: packed[1], licences: [] };
  const file = adjacentFonts.find(isFontFile);
  const bytes = file === undefined ? null : readAdjacent(file);
  if (file === undefined || bytes === null) return null;
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  return { bytes, licences: adjacentFonts.filter((path) => LICENCE.test(path) && path.startsWith(folder)) };
}

/** Normalises a font name for comparison across programs. */
function bare(name: unknown): string {
  return String(name)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function endingOf(bytes: Uint8Array): string {
  const signature = String.fromCharCode(...bytes.subarray(0, 4));
  return { wOFF: 'woff', wOF2: 'woff2', OTTO: 'otf' }[signature] ?? 'ttf';
}
