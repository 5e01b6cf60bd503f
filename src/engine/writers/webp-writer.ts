import type { OutputQuality } from '../../contract/wire/output.ts';
import { TemporaryFile } from '../../kernel/temporary-file.ts';
import { VideoStream } from '../codec/video-stream.ts';
import { tickOf } from '../frame-rate.ts';
import type { FrameWriter, WriterOptions } from './frame-writer.ts';

/** Quality of lossy WebP, 0..100. Alpha is always lossless. */
const WEBP_QUALITY: Readonly<Record<OutputQuality, number>> = { low: 50, medium: 75, high: 90 };

/** Opens a writer of animated WebP, which repeats forever. libwebp stores the changed area of each frame. */
export async function openWebpWriter({ format, frameCount, output }: WriterOptions): Promise<FrameWriter> {
  const { rate, width, height } = format;
  const options = { quality: String(WEBP_QUALITY[output.quality]) };
  const settings = { format, encoder: 'libwebp_anim', options, convertTo: 'bgra', isWholeFile: true } as const;
  const stream = await VideoStream.open(settings);
  return {
    write: (rgba, frame) => stream.encode(rgba, tickOf(frame, rate, 1000)),
    async finish() {
      await stream.finish();
      const [file] = stream.packets;
      const chunks = chunksOf(Buffer.from(file!.bytes));
      // Sets the background to transparent, and the loop count to 0, which means forever.
      chunks.find(({ type }) => type === 'ANIM')?.data.fill(0);
      setDuration(chunks, tickOf(frameCount, rate, 1000));
      // libwebp keeps all coded frames in memory, so the file is written at once.
      return TemporaryFile.of(withDescription(chunks, { width, height, description: output.fingerprint }));
    },
    close: () => stream.close(),
  };
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

const HAS_XMP = 0x04;
const HAS_ALPHA = 0x10;

/** Splits a WebP file into its chunks. @see WebP Container Specification: "RIFF File Format" */
function chunksOf(file: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 12; at + 8 <= file.length; ) {
    const size = file.readUInt32LE(at + 4);
    chunks.push({ type: file.toString('latin1', at, at + 4), data: file.subarray(at + 8, at + 8 + size) });
    at += 8 + size + (size & 1);
  }
  return chunks;
}

/** Offset of the duration in an ANMF chunk. */
const DURATION_AT = 12;

/** Sets the duration of the last frame, which the encoder does not know. @param totalMs duration of all frames */
function setDuration(chunks: readonly Chunk[], totalMs: number): void {
  const frames = chunks.filter(({ type }) => type === 'ANMF').map(({ data }) => data);
  const before = frames.slice(0, -1).reduce((sum, data) => sum + data.readUIntLE(DURATION_AT, 3), 0);
  frames.at(-1)?.writeUIntLE(totalMs - before, DURATION_AT, 3);
}

interface DescriptionOptions {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Stored in XMP; null for none. */
  readonly description: string | null;
}

/** Joins the chunks of a file and adds a description. @see WebP Container Specification: "Extended File Format" */
function withDescription(chunks: readonly Chunk[], { width, height, description }: DescriptionOptions): Uint8Array {
  const rest = chunks.filter(({ type }) => type !== 'VP8X');
  const extended = chunks.find(({ type }) => type === 'VP8X')?.data ?? extendedHeader(rest, width, height);
  if (description !== null) extended[0]! |= HAS_XMP;
  const metadata = description === null ? [] : [chunk('XMP ', Buffer.from(xmp(description)))];
  const body = [chunk('VP8X', extended), ...rest.map(({ type, data }) => chunk(type, data)), ...metadata];
  return chunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...body]));
}

/** Builds the extended header, which is missing if all frames are equal, because libwebp then writes a still picture. */
function extendedHeader(chunks: readonly Chunk[], width: number, height: number): Buffer {
  const header = Buffer.alloc(10);
  // A lossy picture stores alpha in a separate chunk; a lossless picture declares it in its header.
  const hasAlpha = chunks.some(
    ({ type, data }) => type === 'ALPH' || (type === 'VP8L' && (data.readUInt8(4) & 0x10) !== 0),
  );
  header.writeUInt8(hasAlpha ? HAS_ALPHA : 0, 0);
  header.writeUIntLE(width - 1, 4, 3);
  header.writeUIntLE(height - 1, 7, 3);
  return header;
}

function chunk(type: string, data: Uint8Array): Buffer {
  const head = Buffer.alloc(8);
  head.write(type, 'latin1');
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length & 1)]);
}

/** Replaces characters other than ASCII letters, digits and `_:.-` by `_`. @see Adobe XMP Specification, Part 1, 7.2 */
function xmp(comment: string): string {
  const text = comment.replaceAll(/[^\w:.-]/g, '_');
  return [
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">',
    '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>',
    `<rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></dc:description></rdf:Description></rdf:RDF></x:xmpmeta>`,
  ].join('');
}
