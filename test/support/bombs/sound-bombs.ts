import { mediaFile, stereoWav } from '../../engine/media/media-files.ts';
import { type Bomb, padded, repeated, SOURCE_BYTES, u32 } from './bomb.ts';

function bomb(what: string, make: (sizeBytes: number) => Uint8Array): Bomb {
  return { name: what, kind: 'source', limitBytes: SOURCE_BYTES, make };
}

function u32le(value: number): Buffer {
  return u32(value).reverse();
}

const REST = 30_000;
const WAV = stereoWav(48_000, new Float32Array(480));
const FLAC_HEAD = 4 + 4 + 34;

/** Returns a WAV file whose header claims any channels, rate and bits for the same bytes. */
function wav(channels: number, rate: number, bits: number, sizeBytes: number): Buffer {
  const file = Buffer.from(padded(WAV, sizeBytes));
  file.writeUInt16LE(channels, 22);
  file.writeUInt32LE(rate, 24);
  file.writeUInt16LE(bits, 34);
  file.writeUInt32LE(0xffff_fffe, 40);
  return file;
}

/** Returns an Ogg page with a zero checksum. @see RFC 3533, section 6 */
function oggPage(serial: number, segments: Uint8Array, body: Uint8Array): Buffer {
  const head = Buffer.from('OggS\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1');
  head.writeUInt32LE(serial, 14);
  return Buffer.concat([head, Buffer.from([segments.length]), segments, body]);
}

function id3(sizeBytes: number, frames: Uint8Array): Buffer {
  const size = [21, 14, 7, 0].map((shift) => (sizeBytes >> shift) & 0x7f);
  return Buffer.concat([Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, ...size]), frames]);
}

export const SOUND_BOMBS: readonly Bomb[] = [
  bomb('WAV: chunks', (size) =>
    Buffer.concat([WAV.subarray(0, 36), repeated(Buffer.from('junk\0\0\0\0'), size - REST), WAV.subarray(36)]),
  ),
  bomb('WAV: a length of 4 GB', (size) => wav(2, 48_000, 16, size)),
  bomb('WAV: 65,535 channels', (size) => wav(65_535, 48_000, 16, size)),
  bomb('WAV: no channels', (size) => wav(0, 0, 0, size)),
  bomb('WAV: 4 billion values a second', (size) => wav(1, 0xffff_ffff, 8, size)),
  bomb('WAV: one value a second', (size) => wav(1, 1, 8, size)),
  bomb('WAV: notes', (size) => {
    const notes = repeated(Buffer.from('INAM\x02\0\0\0a\0', 'latin1'), size - REST);
    const list = Buffer.concat([Buffer.from('LIST'), u32le(notes.length + 4), Buffer.from('INFO'), notes]);
    return Buffer.concat([WAV.subarray(0, 36), list, WAV.subarray(36)]);
  }),
  bomb('MP3: frames', (size) => repeated(mediaFile('beep.mp3').subarray(0, 104), size)),
  bomb('MP3: nothing but zeros behind a frame', (size) => padded(mediaFile('beep.mp3'), size)),
  bomb('MP3: frame headers that begin everywhere', (size) =>
    Buffer.concat([mediaFile('beep.mp3'), Buffer.alloc(size - REST, Buffer.from('fffb9000', 'hex'))]),
  ),
  bomb('MP3: a tag of 256 MB', (size) => padded(id3(0x0fff_ffff, mediaFile('beep.mp3')), size)),
  bomb('MP3: frames of a tag', (size) => {
    const frames = repeated(Buffer.from('TIT2\0\0\0\x02\0\0\x03a', 'latin1'), size - REST);
    return Buffer.concat([id3(frames.length, frames), mediaFile('beep.mp3')]);
  }),
  bomb('MP3: tags', (size) => Buffer.concat([repeated(id3(0, Buffer.alloc(0)), size - REST), mediaFile('beep.mp3')])),
  bomb('AAC: frames of nothing', (size) => repeated(Buffer.from('fff15080 00fffc'.replace(' ', ''), 'hex'), size)),
  bomb('AAC: frames', (size) =>
    repeated(
      Buffer.concat([Buffer.from('fff150800'.concat('1ffc'), 'hex').subarray(0, 6), Buffer.from([0xfc, 0x21])]),
      size,
    ),
  ),
  bomb('FLAC: blocks', (size) => {
    const file = mediaFile('beep.flac');
    return Buffer.concat([
      file.subarray(0, FLAC_HEAD),
      repeated(Buffer.from('01000000', 'hex'), size - REST),
      file.subarray(FLAC_HEAD),
    ]);
  }),
  bomb('FLAC: comments', (size) => {
    const file = mediaFile('beep.flac');
    const comments = repeated(Buffer.from('\x03\0\0\0a=b', 'latin1'), Math.min(size - REST, 16_000_000));
    const block = Buffer.concat([u32le(0), u32le(comments.length / 7), comments]);
    const head = u32((4 << 24) | block.length);
    return Buffer.concat([file.subarray(0, FLAC_HEAD), head, block, file.subarray(FLAC_HEAD)]);
  }),
  bomb('FLAC: bytes that begin like frames', (size) =>
    Buffer.concat([mediaFile('beep.flac'), Buffer.alloc(size - REST, Buffer.from('fff8c918', 'hex'))]),
  ),
  bomb('Ogg: pages of nothing', (size) =>
    Buffer.concat([mediaFile('beep.ogg'), repeated(oggPage(7, Buffer.alloc(0), Buffer.alloc(0)), size - REST)]),
  ),
  bomb('Ogg: streams', (size) => {
    const one = oggPage(0, Buffer.from([8]), Buffer.from('OpusHead'));
    const pages = repeated(one, size - REST);
    for (let at = 0; at < pages.length; at += one.length) {
      pages[at + 5] = 2;
      pages.writeUInt32LE(at, at + 14);
    }
    return Buffer.concat([pages, mediaFile('beep.ogg')]);
  }),
  bomb('Ogg: packets of nothing', (size) =>
    Buffer.concat([mediaFile('beep.ogg'), repeated(oggPage(7, Buffer.alloc(255), Buffer.alloc(0)), size - REST)]),
  ),
  bomb('Ogg: no page for long', (size) => Buffer.concat([mediaFile('beep.ogg'), Buffer.alloc(size - REST, 'OggO')])),
  bomb('Ogg: a packet that does not end', (size) => {
    const page = oggPage(7, Buffer.alloc(255, 255), Buffer.alloc(255 * 255));
    return Buffer.concat([mediaFile('beep.ogg').subarray(0, 47), repeated(page, size - REST)]);
  }),
];
