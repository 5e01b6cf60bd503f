/** Adds or replaces tables of a font without updating checksums. */
export function withTables(sfnt: Uint8Array, tables: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const own = Buffer.from(sfnt);
  const all = new Map<string, Uint8Array>();
  for (let table = 0; table < own.readUInt16BE(4); table++) {
    const at = 12 + table * 16;
    const offset = own.readUInt32BE(at + 8);
    all.set(own.toString('latin1', at, at + 4), own.subarray(offset, offset + own.readUInt32BE(at + 12)));
  }
  for (const [tag, bytes] of Object.entries(tables)) all.set(tag, bytes);
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  const header = Buffer.alloc(12 + sorted.length * 16);
  own.copy(header, 0, 0, 12);
  header.writeUInt16BE(sorted.length, 4);
  const parts: Uint8Array[] = [header];
  let offset = header.length;
  for (const [index, [tag, bytes]] of sorted.entries()) {
    const at = 12 + index * 16;
    header.write(tag, at, 'latin1');
    header.writeUInt32BE(offset, at + 8);
    header.writeUInt32BE(bytes.length, at + 12);
    const padded = (bytes.length + 3) & ~3;
    parts.push(bytes, Buffer.alloc(padded - bytes.length));
    offset += padded;
  }
  return Buffer.concat(parts);
}

/** Table with a picture of an em for a glyph. @see OpenType 1.9, "sbix" */
export function sbix(glyph: number, glyphCount: number, png: Uint8Array, pixelsPerEm: number): Uint8Array {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(1, 0);
  header.writeUInt16BE(1, 2);
  header.writeUInt32BE(1, 4);
  header.writeUInt32BE(12, 8);
  const strike = Buffer.alloc(4 + 4 * (glyphCount + 1));
  strike.writeUInt16BE(pixelsPerEm, 0);
  strike.writeUInt16BE(72, 2);
  const data = Buffer.concat([Buffer.alloc(4), Buffer.from('png ', 'latin1'), png]);
  for (let index = 0; index <= glyphCount; index++) {
    strike.writeUInt32BE(strike.length + (index > glyph ? data.length : 0), 4 + index * 4);
  }
  return Buffer.concat([header, strike, data]);
}

/** Tables that draw a glyph as another glyph in a single colour. @see OpenType 1.9, "COLR" version 0, "CPAL" */
export function oneColor(
  glyph: number,
  drawnAs: number,
  [red, green, blue]: readonly [number, number, number],
): {
  readonly COLR: Uint8Array;
  readonly CPAL: Uint8Array;
} {
  const numbers = [0, 1, 0, 14, 0, 20, 1, glyph, 0, 1, drawnAs, 0];
  const COLR = Buffer.alloc(numbers.length * 2);
  for (const [index, value] of numbers.entries()) COLR.writeUInt16BE(value, index * 2);
  const CPAL = Buffer.alloc(18);
  for (const [index, value] of [0, 1, 1, 1, 0, 14, 0].entries()) CPAL.writeUInt16BE(value, index * 2);
  CPAL.set([blue, green, red, 255], 14);
  return { COLR, CPAL };
}
