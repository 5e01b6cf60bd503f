import { type Bomb, repeated, SOURCE_BYTES, u32 } from './bomb.ts';

/** @see RFC 8794, section 6 */
function element(id: string, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(0x0100_0000_0000_0000n | BigInt(size));
  return Buffer.concat([Buffer.from(id, 'hex'), length, ...content]);
}

/** Encodes a small element whose size fits into one byte. */
function short(id: string, ...content: readonly Uint8Array[]): Buffer {
  const size = content.reduce((sum, { length }) => sum + length, 0);
  return Buffer.concat([Buffer.from(id, 'hex'), Buffer.from([0x80 | size]), ...content]);
}

const HEADER = element('1a45dfa3', short('4282', Buffer.from('matroska')));
const UNKNOWN = Buffer.from('01ffffffffffffff', 'hex');

function file(...content: readonly Uint8Array[]): Buffer {
  return Buffer.concat([HEADER, element('18538067', ...content)]);
}

/** A VP8 video track of 320 × 200 pixels. */
const TRACK = element(
  'ae',
  ...[short('d7', Buffer.from([1])), short('83', Buffer.from([1])), short('86', Buffer.from('V_VP8'))],
  short('e0', short('b0', Buffer.from([1, 64])), short('ba', Buffer.from([200]))),
);
const TRACKS = element('1654ae6b', TRACK);
const block = (flags: number, ...data: number[]): Buffer => short('a3', Buffer.from([0x81, 0, 0, flags, ...data]));
const cluster = (time: number, ...content: readonly Uint8Array[]): Buffer =>
  element('1f43b675', short('e7', u32(time)), ...content);

function bomb(what: string, make: (sizeBytes: number) => Uint8Array): Bomb {
  return { name: `WebM: ${what}`, kind: 'source', limitBytes: SOURCE_BYTES, make };
}

const CUE = short('bb', short('b3', u32(1)), short('b7', short('f7', Buffer.from([1])), short('f1', u32(0))));
const REST = 2_000;

function clusters(sizeBytes: number, time: (index: number) => number): Buffer {
  const one = cluster(0, block(0x80, 1));
  const count = Math.floor((sizeBytes - REST) / one.length);
  return file(TRACKS, Buffer.concat(Array.from({ length: count }, (_, index) => cluster(time(index), block(0x80, 1)))));
}

export const MATROSKA_BOMBS: readonly Bomb[] = [
  bomb('an index of the same moment', (size) =>
    file(TRACKS, element('1c53bb6b', repeated(CUE, size - REST)), cluster(0, block(0x80, 1))),
  ),
  bomb('an index that leads to a hidden cluster', (size) => {
    const hidden = cluster(0, repeated(block(0x86, 255), size - REST));
    const attached = element('ec', hidden);
    const at = TRACKS.length + attached.length - hidden.length;
    const cues = element(
      '1c53bb6b',
      short('bb', short('b3', u32(0)), short('b7', short('f7', Buffer.from([1])), short('f1', u32(at)))),
    );
    return file(TRACKS, attached, cues);
  }),
  bomb('clusters', (size) => clusters(size, (index) => index)),
  bomb('clusters in reverse', (size) => clusters(size, (index) => 0x7fff_ffff - index)),
  bomb('blocks of one cluster', (size) => file(TRACKS, cluster(0, repeated(block(0x80), size - REST)))),
  bomb('frames of one cluster', (size) => {
    const laced = element('a3', Buffer.from([0x81, 0, 0, 0x84, 255]), Buffer.alloc(256));
    return file(TRACKS, cluster(0, repeated(laced, size - REST)));
  }),
  bomb('empty frames of one cluster', (size) => file(TRACKS, cluster(0, repeated(block(0x84, 255), size - REST)))),
  bomb('a cluster of unknown length', (size) =>
    Buffer.concat([
      HEADER,
      Buffer.from('18538067', 'hex'),
      UNKNOWN,
      TRACKS,
      Buffer.from('1f43b675', 'hex'),
      UNKNOWN,
      repeated(block(0x80, 1), size - REST),
    ]),
  ),
  bomb('clusters of unknown length', (size) =>
    Buffer.concat([
      HEADER,
      Buffer.from('18538067', 'hex'),
      UNKNOWN,
      TRACKS,
      repeated(
        Buffer.concat([Buffer.from('1f43b675', 'hex'), UNKNOWN, short('e7', u32(0)), block(0x80, 1)]),
        size - REST,
      ),
    ]),
  ),
  bomb('tracks', (size) => file(element('1654ae6b', repeated(TRACK, size - REST)))),
  bomb('entries that lead to indexes', (size) => {
    const seek = short('4dbb', short('53ab', Buffer.from('114d9b74', 'hex')), short('53ac', u32(0)));
    const entries = repeated(seek, size - REST);
    for (let at = 0; at < entries.length; at += seek.length) entries.writeUInt32BE(at, at + seek.length - 4);
    return file(element('114d9b74', entries), TRACKS);
  }),
  bomb('tags', (size) => {
    const tag = short('67c8', short('45a3', Buffer.from('a')), short('4487', Buffer.from('b')));
    return file(TRACKS, element('1254c367', element('7373', repeated(tag, size - REST))), cluster(0, block(0x80, 1)));
  }),
  bomb('attachments', (size) => {
    const attached = short('61a7', short('466e', Buffer.from('a')), short('465c', Buffer.from('b')));
    return file(TRACKS, element('1941a469', repeated(attached, size - REST)), cluster(0, block(0x80, 1)));
  }),
  bomb('elements within elements', (size) => {
    const depth = Math.min(50_000, Math.floor(size / 12));
    const heads = Array.from({ length: depth }, (_, level) => {
      const head = Buffer.from('67c80100000000000000', 'hex');
      head.writeUInt32BE(10 * (depth - level - 1), 6);
      return head;
    });
    return file(TRACKS, element('1254c367', ...heads), cluster(0, block(0x80, 1)));
  }),
  bomb('nothing in particular', (size) =>
    file(TRACKS, repeated(Buffer.from([0xec, 0x80]), size - REST), cluster(0, block(0x80, 1))),
  ),
  bomb('bytes that are no elements', (size) =>
    file(TRACKS, repeated(Buffer.from('1fe3', 'hex'), size - REST), cluster(0, block(0x80, 1))),
  ),
  bomb('a codec of many bytes', (size) => {
    const own = TRACK.subarray(9);
    return file(
      element('1654ae6b', element('ae', own, element('63a2', Buffer.alloc(Math.max(0, size - REST))))),
      cluster(0, block(0x80, 1)),
    );
  }),
];
