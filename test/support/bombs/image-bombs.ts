import { createCanvas } from '@napi-rs/canvas';
import {
  animatedGif,
  animatedPng,
  animatedWebp,
  flatPng,
  manyScans,
} from '../../service/sessions/sources/bomb-pictures.ts';
import { type Bomb, IMAGE_BYTES, padded, repeated, SOURCE_BYTES, u32 } from './bomb.ts';
import { box } from './mp4-bombs.ts';

function bomb(what: string, make: (sizeBytes: number) => Uint8Array): Bomb {
  // A GIF may be a clip.
  const limitBytes = what.startsWith('GIF') ? SOURCE_BYTES : IMAGE_BYTES;
  return { name: what, kind: 'source', limitBytes, make };
}

/** Returns a baseline JPEG. Progressive files consist of several scans, but a scan of any file can be repeated. */
function jpeg(): Buffer {
  return Buffer.from(createCanvas(64, 64).toBuffer('image/jpeg'));
}

/** Returns the file with bytes inserted at an offset. */
function spliced(file: Buffer, at: number, ...more: readonly Uint8Array[]): Buffer {
  return Buffer.concat([file.subarray(0, at), ...more, file.subarray(at)]);
}

/** Returns a PNG chunk with a zero checksum, which decoders do not verify for ancillary chunks. */
function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([u32(data.length), Buffer.from(type, 'latin1'), data, u32(0)]);
}

const REST = 2_000;
const GIF = animatedGif(8, 8, 1);
const AVIF = box('ftyp', Buffer.from('avif\0\0\0\0avifmif1miaf', 'latin1'));

export const IMAGE_BOMBS: readonly Bomb[] = [
  bomb('PNG: pixels', () => flatPng(60_000, 60_000)),
  bomb('PNG: chunks', (size) => spliced(flatPng(8, 8), 33, repeated(pngChunk('teXt'), size - REST))),
  bomb('PNG: a compressed profile', (size) =>
    spliced(flatPng(8, 8), 33, pngChunk('iCCP', Buffer.alloc(size - REST, 'x'))),
  ),
  bomb('PNG: pictures', (size) => animatedPng(6_000, 6_000, Math.floor((size - REST) / 38))),
  bomb('PNG: a chunk longer than the file', (size) => spliced(padded(flatPng(8, 8), size), 33, u32(0xffff_fff0))),
  bomb('GIF: pictures', (size) => animatedGif(4_000, 4_000, Math.floor((size - REST) / 23))),
  bomb('GIF: blocks of one byte', (size) =>
    spliced(
      GIF,
      19,
      Buffer.from('21fe', 'hex'),
      repeated(Buffer.from('0100', 'hex').subarray(0, 2), 0),
      repeated(Buffer.from([1, 1]), size - REST),
      Buffer.from([0]),
    ),
  ),
  bomb('GIF: extensions', (size) => spliced(GIF, 19, repeated(Buffer.from([0x21, 0xfe, 0]), size - REST))),
  bomb('GIF: a picture that does not end', (size) =>
    Buffer.concat([GIF.subarray(0, GIF.length - 4), repeated(Buffer.from([1, 0xff]), size - REST)]),
  ),
  bomb('WebP: pictures', (size) => animatedWebp(4_000, 4_000, Math.floor((size - REST) / 24))),
  bomb('WebP: pixels without loss', (size) =>
    padded(Buffer.from('52494646ffffffff574542505650384c0a0000002fffffffff', 'hex'), size),
  ),
  bomb('JPEG: scans', (size) => manyScans(jpeg(), Math.floor((size - REST) / 400))),
  bomb('JPEG: pixels', () => {
    const file = jpeg();
    const at = file.indexOf(Buffer.from([0xff, 0xc0]));
    file.writeUInt32BE(0xffff_ffff, at + 5);
    return file;
  }),
  bomb('JPEG: segments', (size) => spliced(jpeg(), 2, repeated(Buffer.from('fffe0002', 'hex'), size - REST))),
  bomb('JPEG: fill bytes', (size) => spliced(jpeg(), 2, Buffer.alloc(size - REST, 0xff))),
  bomb('JPEG: tables', (size) =>
    spliced(jpeg(), 2, repeated(Buffer.concat([Buffer.from('ffdb0043', 'hex'), Buffer.alloc(65, 1)]), size - REST)),
  ),
  bomb('AVIF: boxes', (size) => Buffer.concat([AVIF, repeated(box('free'), size - REST)])),
  bomb('AVIF: boxes within boxes', (size) => {
    const depth = Math.min(200_000, Math.floor(size / 8) - 10);
    const heads = Array.from({ length: depth }, (_, level) => [u32(8 * (depth - level)), Buffer.from('ipco')]).flat();
    return Buffer.concat([AVIF, ...heads]);
  }),
  bomb('AVIF: sizes', (size) => {
    const sizes = repeated(box('ispe', u32(0, 65_000, 65_000)), size - REST);
    return Buffer.concat([AVIF, box('meta', u32(0), box('iprp', box('ipco', sizes)))]);
  }),
  bomb('SVG: entities', (size) => {
    const entities = Array.from({ length: 40 }, (_, index) => `<!ENTITY e${index} "${`&e${index - 1};`.repeat(10)}">`);
    return padded(Buffer.from(`<?xml version="1.0"?><!DOCTYPE svg [${entities.join('')}]><svg>&e39;</svg>`), size);
  }),
  bomb('SVG: uses of uses', (size) => {
    const uses = Array.from(
      { length: 40 },
      (_, index) => `<g id="g${index}">${`<use href="#g${index - 1}"/>`.repeat(10)}</g>`,
    );
    return padded(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${uses.join('')}</svg>`), size);
  }),
];
