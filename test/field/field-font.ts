import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import decompress from 'wawoff2/decompress.js';

/** Tables that move or join glyphs. */
const LAYOUT_TABLES = new Set(['GPOS', 'GSUB', 'kern', 'GDEF']);

/**
 * The font of all texts in both players, TTF: Noto Sans without kerning and ligatures. lottie-web sets each letter on its own, as
 * After Effects does not, and this known difference would hide others.
 */
export const FIELD_FONT: Uint8Array = withoutLayout(
  Buffer.from(
    await decompress(
      readFileSync(
        createRequire(import.meta.url).resolve('@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff2'),
      ),
    ),
  ),
);

/** @see OpenType specification, "Organization of an OpenType Font": 12 bytes of header, then 16 bytes for each table */
function withoutLayout(font: Buffer): Uint8Array {
  const records = Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    return font.subarray(12 + index * 16, 28 + index * 16);
  }).filter((record) => !LAYOUT_TABLES.has(record.toString('latin1', 0, 4)));
  // The tables stay where they are; the directory, which is now shorter, ends before them.
  const changed = Buffer.from(font);
  changed.writeUInt16BE(records.length, 4);
  for (const [index, record] of records.entries()) changed.set(record, 12 + index * 16);
  return changed;
}
