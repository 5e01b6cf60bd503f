import type { TemporaryFile } from '../../kernel/temporary-file.ts';
import { freeBuffers } from '../free-buffers.ts';
import type { AudioPacket, VideoPacket } from './encoded-track.ts';

// Packets in a temporary file, one after the other, so that memory does not grow with the length of a video. Each has a header of
// 20 bytes: its size, and two numbers.

const HEADER_BYTES = 20;
/** Bytes that are read at once, if no packet is larger. */
const STEP_BYTES = 2 ** 18;

/** Steps after which the bytes of past packets are freed: 4 MB. */
const COLLECTED_STEPS = 16;

/** Half-open range of bytes in a file. */
export interface PacketRange {
  readonly start: number;
  readonly end: number;
}

interface StoredPacket {
  readonly bytes: Uint8Array;
  readonly numbers: readonly [number, number];
}

/** Appends packets of a video. Concurrent calls do not mix their packets. @returns where they are */
export async function appendVideo(file: TemporaryFile, packets: readonly VideoPacket[]): Promise<PacketRange> {
  return append(
    file,
    packets.map(({ bytes, frame, isKey }) => ({ bytes, numbers: [frame, isKey ? 1 : 0] })),
  );
}

/** Reads packets that `appendVideo` wrote. */
export async function* readVideo(file: TemporaryFile, range?: PacketRange): AsyncGenerator<VideoPacket> {
  for await (const { bytes, numbers } of readPackets(file, range)) {
    yield { bytes, frame: numbers[0], isKey: numbers[1] === 1 };
  }
}

/** Appends packets of a sound. */
export async function appendSound(file: TemporaryFile, packets: readonly AudioPacket[]): Promise<PacketRange> {
  return append(
    file,
    packets.map(({ bytes, time, duration }) => ({ bytes, numbers: [time, duration] })),
  );
}

/** Reads packets that `appendSound` wrote. */
export async function* readSound(file: TemporaryFile): AsyncGenerator<AudioPacket> {
  for await (const { bytes, numbers } of readPackets(file)) yield { bytes, time: numbers[0], duration: numbers[1] };
}

async function append(file: TemporaryFile, packets: readonly StoredPacket[]): Promise<PacketRange> {
  const chunks = packets.flatMap(({ bytes, numbers }) => {
    const head = Buffer.alloc(HEADER_BYTES);
    head.writeUInt32LE(bytes.length, 0);
    head.writeDoubleLE(numbers[0], 4);
    head.writeDoubleLE(numbers[1], 12);
    return [head, bytes];
  });
  const bytes = Buffer.concat(chunks);
  const start = file.size;
  await file.append(bytes);
  return { start, end: start + bytes.length };
}

async function* readPackets(
  file: TemporaryFile,
  { start, end }: PacketRange = { start: 0, end: file.size },
): AsyncGenerator<StoredPacket> {
  let needed = STEP_BYTES;
  let steps = 0;
  for (let from = start; from < end; ) {
    // V8 would collect the bytes of past packets late.
    if (++steps % COLLECTED_STEPS === 0) freeBuffers();
    const read = await file.bytes({ start: from, end: Math.min(end, from + needed) });
    let at = 0;
    needed = STEP_BYTES;
    while (at + HEADER_BYTES <= read.length) {
      const next = at + HEADER_BYTES + read.readUInt32LE(at);
      if (next > read.length) {
        needed = Math.max(STEP_BYTES, next - at);
        break;
      }
      const numbers = [read.readDoubleLE(at + 4), read.readDoubleLE(at + 12)] as const;
      yield { bytes: read.subarray(at + HEADER_BYTES, next), numbers };
      at = next;
    }
    if (at === 0 && from + read.length === end) throw new Error('A file of packets is incomplete');
    from += at;
  }
}
