import { formatList } from '../../kernel/hints.ts';
import { fontProblem } from '../check-font.ts';
import type { LottieNode } from '../lottie/lottie-layers.ts';
import { fixedStyles, GlyphOutlines } from '../lottie/slots/glyph-outlines.ts';
import { fontList, usedFonts, usedStyles } from '../lottie/slots/lottie-slots.ts';
import type { LottieDocument } from '../render-input.ts';
import type { InitNote } from './editable-targets.ts';
import type { ExtractedFiles } from './extract-images.ts';
import { safeName } from './key-generator.ts';
import { type LottieSource, type NeededFile, readDataUri } from './lottie-source.ts';

const FONT_FILE = /\.(?:ttf|otf|woff2|woff)$/i;
const LICENCE = /(?:^|\/)(?:OFL|LICEN[CS]E|UFL|APACHE)[^/]*\.(?:txt|md)$/i;

/**
 * Finds a file with its licences for each font that texts use: embedded, in the archive, or next to the source. Removes
 * unused fonts from the animation.
 *
 * Texts that are not editable keep the glyph outlines of the animation if their font is missing or a substitute, because the
 * outlines are their true picture. Other texts need a font, because users can enter any text.
 *
 * @param animation modified
 */
export function extractFonts(animation: LottieDocument, source: LottieSource): ExtractedFiles & { notes: InitNote[] } {
  const files = new Map<string, Uint8Array>();
  const needs: NeededFile[] = [];
  const notes: InitNote[] = [];
  const used = new Set(usedFonts(animation));
  const known = new Map(fontList(animation).map((font) => [String(font.fName), font]));
  const outlines = new GlyphOutlines(animation);
  const fixed = fixedStyles(animation);
  const outlined: string[] = [];
  const list: LottieNode[] = [];
  for (const name of used) {
    const font: LottieNode = known.get(name) ?? { fName: name, fFamily: name, fStyle: '', ascent: 75 };
    const { fPath: _, ...rest } = font;
    const fileName = safeName(name);
    const found = findFont(font, source);
    const problem = found === null ? null : fontProblem(found.bytes);
    const isOriginal = found !== null && problem === null && source.substitutes?.has(name) !== true;
    const styles = usedStyles(animation).flatMap(({ style }) => (style.f === name ? [style] : []));
    const outlinedStyles = isOriginal ? [] : styles.filter((style) => fixed.has(style) && outlines.cover(font, style));
    if (outlinedStyles.length > 0) {
      const needsNoFile = outlinedStyles.length === styles.length;
      const outlinedName = needsNoFile ? fileName : unusedName(`${fileName}-Outlines`, used);
      for (const style of outlinedStyles) style.f = outlinedName;
      list.push({ ...rest, fName: outlinedName, origin: LOCAL_FONT });
      outlined.push(name);
      if (needsNoFile) continue;
    }
    if (found !== null && problem === null) {
      files.set(`fonts/${fileName}.${endingOf(found.bytes)}`, found.bytes);
      for (const licence of found.licences)
        files.set(`fonts/${licence.split('/').at(-1)}`, source.readAdjacent(licence)!);
    } else {
      needs.push({ kind: 'font', name, path: `fonts/${fileName}.ttf`, problem });
    }
    if (fileName !== name) rename(animation, name, fileName);
    list.push({ ...rest, fName: fileName, origin: FONT_FILE_ORIGIN });
  }
  const unused = [...known.keys()].filter((name) => !used.has(name));
  if (unused.length > 0) notes.push(changed(`Omitted unused fonts: ${unused.join(', ')}`));
  if (outlined.length > 0) {
    const texts = `Texts in ${formatList(outlined)} that are not editable`;
    notes.push(changed(`${texts} keep their glyph outlines, because the font is missing`));
  } else if (Array.isArray(animation.chars)) {
    delete animation.chars;
    if (used.size > 0) notes.push(changed('Removed glyph outlines: texts are rendered with fonts'));
  }
  if (list.length > 0) animation.fonts = { list };
  else delete animation.fonts;
  return { files, needs, notes };
}

function changed(message: string): InitNote {
  return { kind: 'changed', message };
}

/** `origin` of a font without and with a file. @see Lottie documentation, "Font" */
const LOCAL_FONT = 0;
const FONT_FILE_ORIGIN = 3;

function unusedName(name: string, used: ReadonlySet<string>): string {
  return used.has(name) ? unusedName(`${name}-2`, used) : name;
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
