import { crc32, deflateSync } from 'node:zlib';

function chunk(type: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length, 0);
  bytes.write(type, 4, 'latin1');
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + data.length)), 8 + data.length);
  return bytes;
}

/** A PNG of 8 × 8 equal pixels. @see https://www.w3.org/TR/png-3/ 11.2.1 for `depth` and `colourType` */
export function plainPng(depth: number, colourType: number, pixel: readonly number[], profile?: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(8, 0);
  header.writeUInt32BE(8, 4);
  header.set([depth, colourType], 8);
  const row = [0, ...Array.from({ length: 8 }, () => pixel).flat()];
  const data = deflateSync(Buffer.from(Array.from({ length: 8 }, () => row).flat()));
  const icc = profile === undefined ? [] : [chunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile)]))];
  const parts = [chunk('IHDR', header), ...icc, chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** A JPEG of 8 × 8 equal CMYK pixels as Adobe writes them, inverted: 255 is no ink. Baseline, a single block per component. */
export function cmykJpeg(inks: readonly [number, number, number, number]): Buffer {
  const segment = (marker: number, data: readonly number[]): Buffer =>
    Buffer.from([0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff, ...data]);
  // Quantisation by 8, so that the first coefficient equals the level.
  const tables = segment(0xdb, [0, ...new Array(64).fill(8)]);
  const frame = segment(0xc0, [8, 0, 8, 0, 8, 4, ...[1, 2, 3, 4].flatMap((id) => [id, 0x11, 0])]);
  // Four-bit codes for the categories 0 to 8 and a one-bit code for the end of a block.
  const levels = segment(0xc4, [0x00, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]);
  const ends = segment(0xc4, [0x10, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  const scan = segment(0xda, [4, ...[1, 2, 3, 4].flatMap((id) => [id, 0]), 0, 63, 0]);
  const adobe = segment(0xee, [...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0]);
  const bits = inks.map((ink) => `${levelBits(255 - ink - 128)}0`).join('');
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1');
  const data = padded.match(/.{8}/g)!.flatMap((byte) => (byte === '11111111' ? [0xff, 0] : [Number.parseInt(byte, 2)]));
  const start = Buffer.from([0xff, 0xd8]);
  return Buffer.concat([start, adobe, tables, frame, levels, ends, scan, Buffer.from(data), Buffer.from([0xff, 0xd9])]);
}

/** @see ITU-T T.81, F.1.2.1 */
function levelBits(level: number): string {
  const size = level === 0 ? 0 : Math.floor(Math.log2(Math.abs(level))) + 1;
  const value = level < 0 ? level + 2 ** size - 1 : level;
  return size.toString(2).padStart(4, '0') + (size === 0 ? '' : value.toString(2).padStart(size, '0'));
}

/** The ICC profile of Display P3: its primaries for D50, and sRGB's curve. @see ICC.1:2022, 7 to 10 */
export function displayP3(): Buffer {
  const fixed = (values: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4);
    for (const [index, value] of values.entries()) bytes.writeInt32BE(Math.round(value * 65_536), index * 4);
    return bytes;
  };
  const xyz = (values: readonly number[]): Buffer => Buffer.concat([Buffer.from('XYZ \0\0\0\0'), fixed(values)]);
  const curve = Buffer.concat([
    Buffer.from('para\0\0\0\0\0\x03\0\0'),
    fixed([2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]),
  ]);
  const text = Buffer.concat([
    Buffer.from('mluc\0\0\0\0\0\0\0\x01\0\0\0\x0cenUS'),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 28, 0, 80, 0, 51]),
  ]);
  const tags: [string, Buffer][] = [
    ['desc', text],
    ['wtpt', xyz([0.9642, 1, 0.8249])],
    ['rXYZ', xyz([0.5151, 0.2412, -0.0011])],
    ['gXYZ', xyz([0.292, 0.6922, 0.0419])],
    ['bXYZ', xyz([0.1571, 0.0666, 0.7841])],
    ['rTRC', curve],
    ['gTRC', curve],
    ['bTRC', curve],
    ['cprt', text],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length);
  let at = 128 + table.length;
  for (const [index, [name, data]] of tags.entries()) {
    table.write(name, 4 + index * 12, 'latin1');
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(data.length, 12 + index * 12);
    at += data.length;
  }
  const header = Buffer.alloc(128);
  header.writeUInt32BE(at, 0);
  header.writeUInt32BE(0x04000000, 8);
  header.write('mntrRGB XYZ ', 12, 'latin1');
  header.write('acsp', 36, 'latin1');
  fixed([0.9642, 1, 0.8249]).copy(header, 68);
  return Buffer.concat([header, table, ...tags.map(([, data]) => data)]);
}
