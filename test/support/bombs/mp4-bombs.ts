import { mediaFile } from '../../engine/media/media-files.ts';
import { type Bomb, repeated, SOURCE_BYTES, u32 } from './bomb.ts';

const VIDEO = mediaFile('b-frames-25.mp4');
const SOUND = mediaFile('beep.m4a');

const CONTAINERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl']);

/** @see ISO/IEC 14496-12, section 4.2 */
export function box(type: string, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 8);
  return Buffer.concat([u32(size), Buffer.from(type, 'latin1'), ...content]);
}

/** Returns a real video with all boxes of one type replaced. */
export function withBoxes(
  type: string,
  replacement: readonly Uint8Array[],
  file = mediaFile('b-frames-25.mp4'),
): Buffer {
  return Buffer.concat(replaced(type, replacement, file));
}

/** Returns pieces, because a copy of 100 MB at each depth takes seconds. */
function replaced(type: string, replacement: readonly Uint8Array[], file: Buffer): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at + 8 <= file.length; at += file.readUInt32BE(at)) {
    const whole = file.subarray(at, at + file.readUInt32BE(at));
    const own = whole.toString('latin1', 4, 8);
    if (own === type) pieces.push(...replacement);
    else if (!CONTAINERS.has(own)) pieces.push(whole);
    else {
      const inside = replaced(type, replacement, whole.subarray(8));
      const size = inside.reduce((sum, { length }) => sum + length, 8);
      pieces.push(u32(size), whole.subarray(4, 8), ...inside);
    }
  }
  return pieces;
}

/** Returns a real video without its sound track, with more boxes at the end of its `moov`. */
function withInMoov(file: Buffer, ...more: readonly Uint8Array[]): Buffer {
  const at = file.indexOf('moov') - 4;
  return box('moov', file.subarray(at + 8, at + file.readUInt32BE(at)), ...more);
}

const FTYP = box('ftyp', Buffer.from('isom\0\0\x02\0isomiso2avc1mp41', 'latin1'));

/** Returns a sample table of one repeated entry, with its header. */
function table(type: string, entry: Uint8Array, sizeBytes: number): Buffer {
  const entries = repeated(entry, sizeBytes - 5_200);
  return box(type, u32(0, entries.length / entry.length), entries);
}

function tableBomb(type: string, entry: Uint8Array, what: string): Bomb {
  return {
    name: `MP4: ${what}`,
    kind: 'source',
    limitBytes: SOURCE_BYTES,
    make: (sizeBytes) => withBoxes(type, [table(type, entry, sizeBytes)]),
  };
}

/** Returns an AAC file whose header declares it uncompressed. */
function pcm(file: Uint8Array): Buffer {
  const sound = Buffer.from(file);
  sound.write('sowt', sound.indexOf('mp4a', sound.indexOf('stsd')), 'latin1');
  return sound;
}

function bomb(what: string, make: (sizeBytes: number) => Uint8Array): Bomb {
  return { name: `MP4: ${what}`, kind: 'source', limitBytes: SOURCE_BYTES, make };
}

/** Returns one fragment: its header and runs of samples. @see ISO/IEC 14496-12, section 8.8 */
function fragment(decodeTime: number, runs: readonly Uint8Array[]): Buffer {
  const header = box('tfhd', u32(0x38, 1, 1, 1, 0));
  return box('moof', box('mfhd', u32(0, 1)), box('traf', header, box('tfdt', u32(0, decodeTime)), ...runs));
}

/** Returns a real video's `moov` that announces fragments. */
function fragmented(): Buffer {
  const extension = box('mvex', box('trex', u32(0, 1, 1, 1, 1, 0)));
  let file: Buffer = Buffer.from(mediaFile('b-frames-25.mp4'));
  for (const type of ['stts', 'ctts', 'stsc', 'stco', 'stss']) file = withBoxes(type, [box(type, u32(0, 0))], file);
  return Buffer.concat([FTYP, withInMoov(withBoxes('stsz', [box('stsz', u32(0, 0, 0))], file), extension)]);
}

function fragments(sizeBytes: number, one: (index: number) => Buffer): Buffer {
  const head = fragmented();
  const count = Math.floor((sizeBytes - head.length) / one(0).length);
  return Buffer.concat([head, ...Array.from({ length: count }, (_, index) => one(index))]);
}

/** Returns a file whose index of fragments, at the end, points to a fragment inside other data. */
function hiddenFragment(sizeBytes: number): Buffer {
  const head = fragmented();
  const hidden = fragment(0, [box('trun', u32(0, 0x7fff_ffff))]);
  const index = box('tfra', u32(0, 1, 0, 1, 0, head.length + 8), Buffer.alloc(3));
  const tail = box('mfra', index, box('mfro', u32(0, index.length + 24)));
  const filler = Buffer.alloc(Math.max(0, sizeBytes - head.length - hidden.length - tail.length - 8));
  return Buffer.concat([head, box('mdat', hidden, filler), tail]);
}

export const MP4_BOMBS: readonly Bomb[] = [
  tableBomb('stco', u32(48), 'offsets of chunks'),
  bomb('offsets of chunks in 64 bits', (sizeBytes) => withBoxes('stco', [table('co64', u32(0, 48), sizeBytes)])),
  bomb('sizes of samples', (sizeBytes) => {
    const entries = repeated(u32(1), sizeBytes - 5_200);
    return withBoxes('stsz', [box('stsz', u32(0, 0, entries.length / 4), entries)]);
  }),
  bomb('sizes of samples in half bytes', (sizeBytes) => {
    const entries = repeated(Buffer.from([0x11]), sizeBytes - 5_200);
    return withBoxes('stsz', [box('stz2', u32(0, 4, entries.length * 2), entries)]);
  }),
  tableBomb('stts', u32(1, 512), 'durations of samples'),
  tableBomb('ctts', u32(1, 512), 'shifts of samples'),
  tableBomb('stsc', u32(1, 1, 1), 'samples of chunks'),
  tableBomb('stss', u32(1), 'key samples'),
  bomb('billions of samples in an entry', (sizeBytes) =>
    Buffer.concat([
      withBoxes('stts', [box('stts', u32(0, 1, 0xffff_ffff, 512))]),
      box('free', Buffer.alloc(Math.max(0, sizeBytes - 6_000))),
    ]),
  ),
  bomb('billions of samples of sound that are shifted by nothing', () => {
    const tables = [box('stts', u32(0, 1, 0xffff_fff0, 512)), box('ctts', u32(0, 1, 0, 0))];
    return pcm(withBoxes('stts', tables, SOUND));
  }),
  bomb('chunks that go back and forth', (sizeBytes) => {
    const half = Math.floor((sizeBytes - 6_000) / 2);
    const count = Math.floor(half / 4);
    const chunks = pcm(withBoxes('stco', [table('stco', u32(48), count * 4 + 5_200)], SOUND));
    const steps = repeated(u32(1, 1, 1, count, 1, 1), half);
    const runs = withBoxes('stsc', [box('stsc', u32(0, steps.length / 12), steps)], chunks);
    return withBoxes('stts', [box('stts', u32(0, 1, 0xf000_0000, 1))], runs);
  }),
  bomb('empty boxes', (sizeBytes) =>
    Buffer.concat([FTYP, withInMoov(VIDEO, repeated(box('free'), sizeBytes - 5_200))]),
  ),
  bomb('tracks', (sizeBytes) => {
    const file = VIDEO;
    const at = file.indexOf('trak') - 4;
    const track = file.subarray(at, at + file.readUInt32BE(at));
    return Buffer.concat([FTYP, withInMoov(VIDEO, repeated(track, sizeBytes - 5_200))]);
  }),
  bomb('boxes within boxes', (sizeBytes) => {
    const depth = Math.min(Math.floor(sizeBytes / 8), 50_000);
    const heads = Array.from({ length: depth }, (_, level) => [u32(8 * (depth - level)), Buffer.from('minf')]).flat();
    return Buffer.concat([FTYP, ...heads]);
  }),
  bomb('descriptions of samples', (sizeBytes) => {
    const file = VIDEO;
    const at = file.indexOf('avc1', file.indexOf('stsd')) - 4;
    const entry = file.subarray(at, at + file.readUInt32BE(at));
    return withBoxes('stsd', [table('stsd', entry, sizeBytes)]);
  }),
  bomb('empty edits', (sizeBytes) => withBoxes('edts', [box('edts', table('elst', u32(1, -1, 0x1_0000), sizeBytes))])),
  bomb('a title', (sizeBytes) => {
    const title = box('data', u32(1, 0), Buffer.alloc(Math.max(0, sizeBytes - 6_000), 'x'));
    return Buffer.concat([
      FTYP,
      withInMoov(VIDEO, box('udta', box('meta', u32(0), box('ilst', box('\xa9nam', title))))),
    ]);
  }),
  bomb('names of properties', (sizeBytes) => {
    const keys = table('keys', Buffer.concat([u32(9), Buffer.from('mdtax')]), sizeBytes - 100);
    return Buffer.concat([FTYP, withInMoov(VIDEO, box('meta', u32(0), keys, box('ilst')))]);
  }),
  bomb('a run of billions of samples', (sizeBytes) =>
    Buffer.concat([
      fragmented(),
      fragment(0, [box('trun', u32(0, 0x7fff_ffff))]),
      box('mdat', Buffer.alloc(Math.max(0, sizeBytes - 6_000))),
    ]),
  ),
  bomb('a run of millions of samples', (sizeBytes) => {
    const samples = repeated(u32(1), sizeBytes - 6_000);
    return Buffer.concat([fragmented(), fragment(0, [box('trun', u32(0x100, samples.length / 4), samples)])]);
  }),
  bomb('fragments', (sizeBytes) => fragments(sizeBytes, (index) => fragment(index, [box('trun', u32(0, 1))]))),
  bomb('fragments in reverse', (sizeBytes) =>
    fragments(sizeBytes, (index) => fragment(0x7fff_ffff - index, [box('trun', u32(0, 1))])),
  ),
  bomb('an index of fragments', (sizeBytes) => {
    const head = fragmented();
    const entries = repeated(Buffer.concat([u32(7, head.length), Buffer.alloc(3)]), sizeBytes - head.length - 200);
    const index = box('tfra', u32(0, 1, 0, entries.length / 11), entries);
    const one = fragment(0, [box('trun', u32(0, 1))]);
    return Buffer.concat([head, one, box('mfra', index, box('mfro', u32(0, index.length + 24)))]);
  }),
  bomb('an index that leads to a hidden fragment', hiddenFragment),
  bomb('a fragment within the description of samples', () => {
    const file = VIDEO;
    const at = file.indexOf('avc1', file.indexOf('stsd')) - 4;
    const entry = file.subarray(at + 8, at + file.readUInt32BE(at));
    const hidden = box('sinf', box('trak', fragment(0, [box('trun', u32(0, 0x7fff_ffff))])));
    return withBoxes('stsd', [box('stsd', u32(0, 1), box('avc1', entry, hidden))]);
  }),
  bomb('misplaced tables', () => {
    const inside = box('edts', box('stbl', box('stts', u32(0, 1, 0xffff_ffff, 1)), box('ctts', u32(0, 1, 1, 1))));
    return withBoxes('stbl', [inside]);
  }),
];
