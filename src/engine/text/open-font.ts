import { inflateSync } from 'node:zlib';
import type * as HarfBuzz from 'harfbuzzjs';
import { sha256 } from '../../kernel/digest.ts';
import { fontProblem } from '../../template/check-font.ts';
import type { InputDocument, InputFont } from '../../template/render-input.ts';
import { RenderError } from '../render-error.ts';
import { HarfBuzzFont, type OpenFont } from './harfbuzz-font.ts';

/** Limit for fonts that stay open between texts: room for several CJK families and an emoji font. */
const MAX_OPEN_BYTES = 96 * 1024 * 1024;

interface KnownFont {
  readonly font: Promise<OpenFont>;
  /** Size of the unpacked file; until it is known, the size of the file. */
  sizeBytes: number;
}

const byBytes = new WeakMap<Uint8Array, Promise<OpenFont>>();
/** Ordered from least to most recently used. */
const byDigest = new Map<string, KnownFont>();

/** A font to open, with its settings. */
export type FontToOpen = Omit<InputFont, 'isFallback'>;

/**
 * Opens a font with its settings. Reads a file once per process and content, and loads the shaper on first use.
 *
 * @throws RenderError template_invalid with the font's name, as `unpackFont`, and for settings that the font lacks
 */
export async function openFont({ name, bytes, axes = {}, features = {} }: FontToOpen): Promise<OpenFont> {
  const file = await openFile(name, bytes);
  const problems = file.settingsProblems({ axes, features });
  if (problems.length > 0) {
    const message = `The font ${name} cannot be set as template.yaml says: ${problems.join('; ')}`;
    throw new RenderError('template_invalid', message, { imageName: name });
  }
  return file.withSettings({ axes, features });
}

function openFile(name: string, bytes: Uint8Array): Promise<OpenFont> {
  const same = byBytes.get(bytes);
  if (same !== undefined) return same;
  const digest = sha256(bytes);
  const known = byDigest.get(digest) ?? { font: readFont(name, bytes, digest), sizeBytes: bytes.length };
  byDigest.delete(digest);
  byDigest.set(digest, known);
  byBytes.set(bytes, known.font);
  known.font.then(
    ({ sizeBytes }) => {
      known.sizeBytes = sizeBytes;
      dropOldest();
    },
    () => {
      byBytes.delete(bytes);
      byDigest.delete(digest);
    },
  );
  return known.font;
}

function dropOldest(): void {
  let total = [...byDigest.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const [digest, { sizeBytes }] of byDigest) {
    if (total <= MAX_OPEN_BYTES || byDigest.size === 1) return;
    byDigest.delete(digest);
    total -= sizeBytes;
  }
}

/** Loads the library that shapes texts. Loaded on demand: animations without texts do not need it. */
export function loadShaper(): Promise<typeof HarfBuzz> {
  return import('harfbuzzjs');
}

async function readFont(name: string, bytes: Uint8Array, digest: string): Promise<OpenFont> {
  const sfnt = await unpackFont(name, bytes);
  const hb = await loadShaper();
  const face = new hb.Face(new hb.Blob(new Uint8Array(sfnt).buffer));
  const { upem } = face;
  if (!(upem >= 16) || face.collectUnicodes().length === 0) {
    throw new RenderError('template_invalid', `The font ${name} has no characters`, { imageName: name });
  }
  const tables = tableNames(sfnt);
  const hasColor = ['COLR', 'CBDT', 'sbix'].some((table) => tables.has(table));
  return new HarfBuzzFont({
    hb,
    face,
    digest,
    sizeBytes: sfnt.length,
    hasColor,
    drawsSvg: tables.has('SVG ') && !hasColor,
    weight: weightOf(face.referenceTable('OS/2')),
  });
}

/** Reads the weight from the table OS/2. @see OpenType 1.9, "OS/2": usWeightClass */
function weightOf(table: Uint8Array | undefined): number {
  const weight = table === undefined || table.length < 6 ? 0 : (table[4]! << 8) | table[5]!;
  return weight >= 1 && weight <= 1000 ? weight : REGULAR;
}

const REGULAR = 400;
/** Limit for an unpacked font. A full colour emoji font has 25 MB. */
const MAX_SFNT_BYTES = 64 * 1024 * 1024;
const OUTLINES = ['glyf', 'CFF ', 'CFF2', 'CBDT', 'sbix', 'COLR'];
const SFNT_HEADER = 12;
const SFNT_ENTRY = 16;
const WOFF_HEADER = 44;
const WOFF_ENTRY = 20;

/**
 * Returns the font as an uncompressed TrueType or OpenType file. Checks sizes before unpacking.
 *
 * @param name of the font, for errors
 * @throws RenderError template_invalid for a file that is not a font, is damaged, is too large or has no outlines
 * @see WOFF 1.0, "Table Directory"; WOFF 2.0, "WOFF2 Header"
 */
export async function unpackFont(name: string, bytes: Uint8Array): Promise<Uint8Array> {
  const fail = (problem: string, cause?: unknown): never => {
    throw new RenderError('template_invalid', `The font ${name} ${problem}`, { imageName: name, cause });
  };
  const problem = fontProblem(bytes);
  if (problem !== null) fail(problem);
  const signature = signatureOf(bytes);
  const sfnt =
    signature === 'wOFF' ? fromWoff(bytes, fail) : signature === 'wOF2' ? await fromWoff2(bytes, fail) : bytes;
  if (sfnt.length > MAX_SFNT_BYTES) fail('is larger than 64 MiB');
  const inner = fontProblem(sfnt);
  if (inner !== null) fail(inner);
  const tables = tableNames(sfnt);
  if (!OUTLINES.some((table) => tables.has(table))) fail('has no outlines');
  return sfnt;
}

/** Fonts of a template for all European languages. A single CJK font is larger, and seldom needed. */
const MAX_UNPACKED_BYTES = 256 * 1024;
const unpackedFonts = new WeakMap<Uint8Array, Promise<Uint8Array>>();

/**
 * Unpacks the first WOFF2 fonts of an input, so that the process that draws it need not load the library for that. Its pictures are the
 * same. Damaged fonts are left as they are.
 */
export async function withUnpackedFonts<Input extends Pick<InputDocument, 'fonts'>>(input: Input): Promise<Input> {
  let total = 0;
  const fonts = input.fonts.map(async (font) => {
    const { name, bytes } = font;
    total += bytes.length;
    if (total > MAX_UNPACKED_BYTES || signatureOf(bytes) !== 'wOF2') return font;
    const unpacked = unpackedFonts.get(bytes) ?? unpackFont(name, bytes).catch(() => bytes);
    unpackedFonts.set(bytes, unpacked);
    return { ...font, bytes: await unpacked };
  });
  return { ...input, fonts: await Promise.all(fonts) };
}

function signatureOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes.subarray(0, 4));
}

/** Returns the tags of the tables of an unpacked font. */
function tableNames(sfnt: Uint8Array): ReadonlySet<string> {
  const count = new DataView(sfnt.buffer, sfnt.byteOffset).getUint16(4);
  return new Set(
    Array.from({ length: count }, (_, table) => {
      const at = SFNT_HEADER + table * SFNT_ENTRY;
      return String.fromCharCode(...sfnt.subarray(at, at + 4));
    }),
  );
}

let lastUnpacked: Promise<unknown> = Promise.resolve();

type Fail = (problem: string, cause?: unknown) => never;

async function fromWoff2(bytes: Uint8Array, fail: Fail): Promise<Uint8Array> {
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(16) > MAX_SFNT_BYTES) fail('is larger than 64 MiB');
  const { default: decompress } = await import('wawoff2/decompress.js');
  // The result lies in the library's own memory, so it is copied before the next call may overwrite it.
  const unpacked = lastUnpacked.then(async () => new Uint8Array(await decompress(bytes)));
  lastUnpacked = unpacked.catch(() => undefined);
  return unpacked.catch((cause: unknown) => fail('is a damaged WOFF2 file', cause));
}

function fromWoff(bytes: Uint8Array, fail: Fail): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint16(12);
  if (WOFF_HEADER + count * WOFF_ENTRY > bytes.length) fail('is truncated');
  const tables: { readonly at: number; readonly data: Uint8Array }[] = [];
  let total = SFNT_HEADER + count * SFNT_ENTRY;
  for (let table = 0; table < count; table++) {
    const at = WOFF_HEADER + table * WOFF_ENTRY;
    const [offset, packed, size] = [view.getUint32(at + 4), view.getUint32(at + 8), view.getUint32(at + 12)];
    if (offset + packed > bytes.length || packed > size) fail('is a damaged WOFF file');
    total += (size + 3) & ~3;
    if (total > MAX_SFNT_BYTES) fail('is larger than 64 MiB');
    const data = bytes.subarray(offset, offset + packed);
    tables.push({ at, data: packed === size ? data : inflate(data, size, fail) });
  }
  const sfnt = new Uint8Array(total);
  const out = new DataView(sfnt.buffer);
  sfnt.set(bytes.subarray(4, 8), 0);
  out.setUint16(4, count);
  let offset = SFNT_HEADER + count * SFNT_ENTRY;
  for (const [index, { at, data }] of tables.entries()) {
    const entry = SFNT_HEADER + index * SFNT_ENTRY;
    sfnt.set(bytes.subarray(at, at + 4), entry);
    out.setUint32(entry + 4, view.getUint32(at + 16));
    out.setUint32(entry + 8, offset);
    out.setUint32(entry + 12, data.length);
    sfnt.set(data, offset);
    offset += (data.length + 3) & ~3;
  }
  return sfnt;
}

function inflate(data: Uint8Array, size: number, fail: Fail): Uint8Array {
  try {
    const unpacked = inflateSync(data, { maxOutputLength: size });
    if (unpacked.length === size) return unpacked;
  } catch (cause) {
    return fail('is a damaged WOFF file', cause);
  }
  return fail('is a damaged WOFF file');
}
