import { crc32, deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { checkImage } from '../../../src/engine/images/check-image.ts';
import { pngFile } from '../../../src/engine/images/png-file.ts';

const PIXEL = pngFile({
  width: 1,
  height: 1,
  channels: 4,
  data: deflateSync(Buffer.from([0, 1, 2, 3, 255])),
  comment: null,
});

function chunk(type: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + body.length);
  bytes.writeUInt32BE(body.length);
  bytes.write(type, 4, 'latin1');
  body.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, 8 + body.length)), 8 + body.length);
  return bytes;
}

/** A PNG of a single pixel with `count` chunks of metadata, each of which unpacks to `size` bytes. */
function withMetadata(type: 'iCCP' | 'zTXt' | 'iTXt', size: number, count: number, level = 9): Buffer {
  const prefix = Buffer.from(type === 'iTXt' ? 'a\0\x01\0de\0b\0' : 'a\0\0', 'latin1');
  const metadata = chunk(type, Buffer.concat([prefix, deflateSync(Buffer.alloc(size, 'x'), { level })]));
  return Buffer.concat([PIXEL.subarray(0, 33), ...Array<Buffer>(count).fill(metadata), PIXEL.subarray(33)]);
}

const check = (bytes: Uint8Array) => checkImage({ bytes, name: 'photo' });

describe('checkImage() of a PNG with metadata', () => {
  it.each(['iCCP', 'zTXt', 'iTXt'] as const)('rejects %s chunks of gigabytes before they are unpacked', (type) => {
    const bytes = withMetadata(type, 7_900_000, 500);
    expect(bytes.length).toBeLessThan(4_000_000);
    expect(() => check(bytes)).toThrow('The metadata of the PNG unpack to more than 16 MB; export it without metadata');
    expect(() => check(withMetadata(type, 30_000_000, 1))).toThrow('more than 16 MB');
  });

  it.each(['iCCP', 'zTXt', 'iTXt'] as const)('counts damaged %s chunks as large as they could be', (type) => {
    const bytes = withMetadata(type, 7_900_000, 500);
    for (let at = bytes.indexOf(type); at !== -1; at = bytes.indexOf(type, at + 1))
      bytes.fill(0xff, at + 200, at + 204);
    expect(() => check(bytes)).toThrow('more than 16 MB');
  });

  it.each([
    ['a profile of 3 MB', withMetadata('iCCP', 3_000_000, 1)],
    ['texts', withMetadata('zTXt', 20_000, 100)],
    [
      'uncompressed texts',
      Buffer.concat([PIXEL.subarray(0, 33), chunk('iTXt', Buffer.alloc(5_000_000, 'x')), PIXEL.subarray(33)]),
    ],
  ])('accepts %s', (_, bytes) => {
    expect(check(bytes)).toMatchObject({ type: 'png', width: 1, height: 1 });
  });
});
