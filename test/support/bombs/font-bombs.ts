import { brotliCompressSync, constants, deflateSync } from 'node:zlib';
import { withTables } from '../../engine/text/modified-fonts.ts';
import { TEST_FONT } from '../small-package.ts';
import { type Bomb, PACKAGE_BYTES, repeated, u32 } from './bomb.ts';
import { zipOf } from './package-bombs.ts';

function bomb(what: string, font: (sizeBytes: number) => Uint8Array): Bomb {
  return {
    name: `font: ${what}`,
    kind: 'package',
    limitBytes: PACKAGE_BYTES,
    make: (size) => zipOf({ 'fonts/Test-Regular.ttf': font(size) }),
  };
}

/** Encodes values of 16 bits each, big-endian. */
function u16(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2);
  for (const [index, value] of values.entries()) bytes.writeUInt16BE(value & 0xffff, index * 2);
  return bytes;
}

function table(tag: string): Buffer {
  for (let entry = 0; entry < TEST_FONT.readUInt16BE(4); entry++) {
    const at = 12 + entry * 16;
    if (TEST_FONT.toString('latin1', at, at + 4) !== tag) continue;
    const offset = TEST_FONT.readUInt32BE(at + 8);
    return Buffer.from(TEST_FONT.subarray(offset, offset + TEST_FONT.readUInt32BE(at + 12)));
  }
  throw new Error(`The font has no ${tag}`);
}

const GLYPHS = table('maxp').readUInt16BE(4);
const ALL_GLYPHS = Array.from({ length: GLYPHS }, (_, glyph) => glyph);

/** Returns the font with these outlines, one for each glyph. @see OpenType 1.9, "glyf" */
function withOutlines(outline: (glyph: number) => Uint8Array): Uint8Array {
  const outlines = ALL_GLYPHS.map((glyph) => Buffer.from(outline(glyph)));
  let offset = 0;
  const loca = u32(0, ...outlines.map(({ length }) => (offset += length)));
  const head = table('head');
  head.writeInt16BE(1, 50);
  return withTables(TEST_FONT, { glyf: Buffer.concat(outlines), loca, head });
}

/** Returns a composite glyph. The flag 0x20 means that another component follows. */
function composite(...glyphs: readonly number[]): Buffer {
  const components = glyphs.map((glyph, index) => u16(index + 1 < glyphs.length ? 0x22 : 0x02, glyph, 0));
  return Buffer.concat([u16(-1, 0, 0, 10, 10), ...components, u16(0).subarray(0, (glyphs.length % 2) * 2)]);
}

/** Maps characters to glyphs by groups. @see OpenType 1.9, "cmap" format 12 */
function cmap(groups: Buffer): Uint8Array {
  const subtable = Buffer.concat([u16(12, 0), u32(16 + groups.length, 0, groups.length / 12), groups]);
  return withTables(TEST_FONT, { cmap: Buffer.concat([u16(0, 1, 3, 10), u32(12), subtable]) });
}

/**
 * Returns the font with substitutions that apply to every text, each lookup with one subtable. @see OpenType 1.9,
 * "GSUB"
 */
function withLookups(type: number, subtables: readonly Buffer[]): Uint8Array {
  const languages = Buffer.concat([u16(4, 0), u16(0, 0xffff, 1, 0)]);
  const scripts = Buffer.concat([u16(1), Buffer.from('DFLT'), u16(8), languages]);
  const indices = u16(...subtables.keys());
  const features = Buffer.concat([u16(1), Buffer.from('ccmp'), u16(8), u16(0, subtables.length), indices]);
  // Lookups of type 7 reach further than 16-bit offsets.
  const isFar = subtables.reduce((sum, { length }) => sum + length, 0) > 50_000;
  const heads: Buffer[] = [];
  const headBytes = isFar ? 16 : 8;
  let body = subtables.length * headBytes;
  for (const [index, subtable] of subtables.entries()) {
    const at = body - index * headBytes;
    heads.push(isFar ? Buffer.concat([u16(7, 0, 1, 8, 1, type), u32(at - 8)]) : u16(type, 0, 1, at));
    body += subtable.length;
  }
  const listHead = 2 + subtables.length * 2;
  const offsets = u16(subtables.length, ...heads.map((_, index) => listHead + index * headBytes));
  const lookups = Buffer.concat([offsets, ...heads, ...subtables]);
  const header = u16(1, 0, 10, 10 + scripts.length, 10 + scripts.length + features.length);
  return withTables(TEST_FONT, { GSUB: Buffer.concat([header, scripts, features, lookups]) });
}

/** Replaces every glyph by several copies of itself. */
function copies(count: number): Buffer {
  const sequence = u16(count, ...Array<number>(count).fill(0));
  const head = 6 + GLYPHS * 2;
  const offsets = u16(...ALL_GLYPHS.map((glyph) => head + glyph * sequence.length));
  const sequences = ALL_GLYPHS.map((glyph) => u16(count, ...Array<number>(count).fill(glyph)));
  const coverage = u16(2, 1, 0, GLYPHS - 1, 0);
  return Buffer.concat([u16(1, head + GLYPHS * sequence.length, GLYPHS), offsets, ...sequences, coverage]);
}

/** Applies all lookups again, from the first on, at every glyph. */
function again(times: number): Buffer {
  const records = Array.from({ length: times }, (_, index) => u16(0, index % 4));
  const rule = 8 + 4 * times;
  return Buffer.concat([u16(3, 1, times, rule), ...records, u16(2, 1, 0, GLYPHS - 1, 0)]);
}

/** @see WOFF 2.0, "UIntBase128" */
function base128(value: number): Buffer {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return Buffer.from(bytes);
}

/** Returns a WOFF2 file of zero-filled tables, which compress to almost nothing. */
function woff2(tableBytes: number, count: number, claimedBytes: number): Uint8Array {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 2 };
  const packed = brotliCompressSync(Buffer.alloc(tableBytes * count), { params });
  const entries = Array.from({ length: count }, (_, index) =>
    Buffer.concat([Buffer.from([0x3f]), Buffer.from(`z${String(index).padStart(3, '0')}`), base128(tableBytes)]),
  );
  const directory = Buffer.concat(entries);
  const length = 48 + directory.length + packed.length;
  const header = Buffer.concat([
    Buffer.from('wOF2'),
    ...[u32(0x00010000, length), u16(count, 0), u32(claimedBytes, packed.length), u16(1, 0), Buffer.alloc(20)],
  ]);
  return Buffer.concat([header, directory, packed]);
}

function woff(tableBytes: number, count: number): Uint8Array {
  const packed = deflateSync(Buffer.alloc(tableBytes));
  const head = 44 + count * 20;
  const entries = Array.from({ length: count }, (_, index) =>
    Buffer.concat([
      Buffer.from(`z${String(index).padStart(3, '0')}`),
      u32(head + index * packed.length, packed.length, tableBytes, 0),
    ]),
  );
  const body = Array<Buffer>(count).fill(packed);
  const total = 12 + count * (16 + tableBytes);
  const header = [Buffer.from('wOFF'), u32(0x00010000, head + count * packed.length), u16(count, 0), u32(total)];
  return Buffer.concat([...header, Buffer.alloc(24), ...entries, ...body]);
}

/** Paints every glyph in all layers. @see OpenType 1.9, "COLR" version 0 */
function layers(count: number): Uint8Array {
  const glyphs = ALL_GLYPHS.map((glyph) => u16(glyph, 0, count));
  const painted = repeated(u16(1, 0), count * 4);
  const header = Buffer.concat([u16(0, GLYPHS), u32(14, 14 + GLYPHS * 6), u16(count)]);
  const CPAL = Buffer.concat([u16(0, 1, 1, 1, 0, 14, 0), Buffer.from([1, 2, 3, 255])]);
  return withTables(TEST_FONT, { COLR: Buffer.concat([header, ...glyphs, painted]), CPAL });
}

export const FONT_BOMBS: readonly Bomb[] = [
  bomb('glyphs made of two of the next glyph', () =>
    withOutlines((glyph) => (glyph + 1 < GLYPHS ? composite(glyph + 1, glyph + 1) : Buffer.alloc(0))),
  ),
  bomb('glyphs made of themselves', () => withOutlines((glyph) => composite(glyph, glyph))),
  bomb('glyphs of thousands of parts', () =>
    withOutlines((glyph) => composite(...Array<number>(5_000).fill((glyph + 1) % GLYPHS))),
  ),
  bomb('outlines of 65,535 points', () => {
    const points = Buffer.concat([u16(1, 0, 0, 10, 10, 65_534, 0), Buffer.alloc(65_535, 0x31), Buffer.alloc(1)]);
    return withOutlines((glyph) => (glyph < 300 ? points : Buffer.alloc(0)));
  }),
  bomb('all characters in one group', () => cmap(u32(0, 0x10ffff, 1))),
  bomb('groups of all characters', (size) => cmap(repeated(u32(0, 0x10ffff, 1), Math.min(size, 12_000_000)))),
  bomb('groups of one character', (size) => {
    const count = Math.min(1_000_000, Math.floor(size / 12));
    return cmap(Buffer.concat(Array.from({ length: count }, (_, index) => u32(index, index, 1))));
  }),
  bomb('lookups that each double a text', () => withLookups(2, Array<Buffer>(30).fill(copies(2)))),
  bomb('a lookup that makes 60 of one glyph, 30 times', () => withLookups(2, Array<Buffer>(30).fill(copies(60)))),
  bomb('lookups that apply each other', () => withLookups(5, Array<Buffer>(4).fill(again(60)))),
  bomb('WOFF2 that unpacks to 60 MB', () => woff2(1_000_000, 60, 60_001_000)),
  bomb('WOFF2 that unpacks to 400 MB and says 1 MB', () => woff2(50_000_000, 8, 1_000_000)),
  bomb('WOFF that unpacks to 60 MB', () => woff(1_000_000, 60)),
  bomb('WOFF that unpacks to 1 GB', () => woff(50_000_000, 20)),
  bomb('65,535 colours for each glyph', () => layers(65_535)),
  bomb('an entry for each of 65,535 tables', () => {
    const font = Buffer.concat([TEST_FONT.subarray(0, 12), repeated(TEST_FONT.subarray(12, 28), 65_535 * 16)]);
    font.writeUInt16BE(65_535, 4);
    return Buffer.concat([font, TEST_FONT]);
  }),
  bomb('zeros behind it', (size) => Buffer.concat([TEST_FONT, Buffer.alloc(Math.max(0, size - 1_000_000))])),
];
