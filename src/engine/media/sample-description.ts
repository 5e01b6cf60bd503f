import { type ByteView, viewed } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { boxSize } from '../images/image-header.ts';

/** Declaration of the samples of a track in an MP4 or MOV. */
export interface SampleDescription {
  /** Four characters, such as `ap4h`, `rle ` or `alac`. */
  readonly format: string;
  /** Bits per pixel; 32 includes alpha. Video only. */
  readonly depth: number;
  /** Codec configuration in a child box with the name of the format, including the box's header. Sound only. */
  readonly configuration: Uint8Array | undefined;
}

/**
 * Reads the sample description of a track from a file that `findBoxProblem` has accepted; undefined if there is none. If
 * there are several, reads the last, as mediabunny does.
 *
 * @param trackId as in the track header
 * @see ISO/IEC 14496-12, 8.3.2 (tkhd), 8.5.2 (stsd); QuickTime File Format, "Video sample description", "Sound sample description"
 */
export function sampleDescription(bytes: SourceBytes, trackId: number): SampleDescription | undefined {
  return viewed(bytes, (file) => descriptionIn(file, trackId));
}

function descriptionIn(file: ByteView, trackId: number): SampleDescription | undefined {
  const tracks = childrenOf(file, 'moov').flatMap((moov) => childrenOf(moov, 'trak'));
  const track = tracks.find((trak) => childrenOf(trak, 'tkhd').some((header) => idOf(header) === trackId));
  let boxes = track === undefined ? [] : [track];
  for (const type of ['mdia', 'minf', 'stbl', 'stsd']) boxes = boxes.flatMap((box) => childrenOf(box, type));
  const last = boxes.flatMap((stsd) => [...boxesIn(stsd.subarray(8))]).at(-1);
  return last === undefined ? undefined : { ...readEntry(last), format: last.type };
}

const VIDEO_ENTRY_BYTES = 78;
const DEPTH_AT = 74;

function readEntry({ type, body }: Box): Omit<SampleDescription, 'format'> {
  const depth = body.length >= VIDEO_ENTRY_BYTES ? body.readUInt16BE(DEPTH_AT) : 0;
  // Sound of QuickTime has longer fields, and wraps the configuration in a box `wave`.
  const version = body.length >= 10 ? body.readUInt16BE(8) : 0;
  const start = [28, 44, 64][version] ?? 28;
  const boxes = [...boxesIn(body.subarray(start))];
  const wrapped = boxes.filter((box) => box.type === 'wave').flatMap((wave) => [...boxesIn(wave.body)]);
  return { depth, configuration: [...boxes, ...wrapped].find((box) => box.type === type)?.whole.bytes() };
}

function idOf(header: ByteView): number | undefined {
  const at = header.at(0) === 1 ? 20 : 12;
  return header.length >= at + 4 ? header.readUInt32BE(at) : undefined;
}

interface Box {
  readonly type: string;
  readonly body: ByteView;
  /** The box with its header. */
  readonly whole: ByteView;
}

/** Yields the boxes of a range, up to the first invalid box. */
function* boxesIn(range: ByteView): Generator<Box> {
  for (let at = 0; at + 8 <= range.length; ) {
    const [size, header] =
      range.readUInt32BE(at) === 1 && at + 16 > range.length ? [0, 8] : boxSize(range, at, range.length);
    if (size < header) return;
    const whole = range.subarray(at, Math.min(range.length, at + size));
    yield { type: range.toString('latin1', at + 4, at + 8), body: whole.subarray(header), whole };
    at += size;
  }
}

function childrenOf(parent: ByteView, type: string): ByteView[] {
  const found: ByteView[] = [];
  for (const box of boxesIn(parent)) if (box.type === type) found.push(box.body);
  return found;
}
