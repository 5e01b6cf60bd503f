import { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { VideoPacket } from '../codec/encoded-track.ts';
import { appendVideo, type PacketRange } from '../codec/packet-file.ts';
import type { FrameRange } from '../frame-rate.ts';
import type { TextFinding } from '../text/text-findings.ts';

/** A segment of a video, encoded separately. Plain data, so that it can come from another process or a cache. */
export interface RenderedSegment extends FrameRange {
  /** AVCDecoderConfigurationRecord; the same for all segments of a video. */
  readonly configuration: Uint8Array;
  /** Frames are counted from the start of the segment. */
  readonly packets: readonly VideoPacket[];
  /** JPEGs of the stills in the segment. */
  readonly stills: readonly SegmentStill[];
  /** Defects of the texts in the segment. */
  readonly findings: readonly TextFinding[];
}

export interface SegmentStill {
  /** Index in the video. */
  readonly frame: number;
  readonly bytes: Uint8Array;
}

/** Returns a segment with its frames counted from a frame of the video, such as the first of its scene. */
export function segmentFrom(segment: RenderedSegment, frame: number): RenderedSegment {
  if (frame === 0) return segment;
  const stills = segment.stills.map((still) => ({ ...still, frame: still.frame - frame }));
  return { ...segment, first: segment.first - frame, end: segment.end - frame, stills };
}

/** A segment whose packets are in the file of its video. Plain data. */
export interface SpooledSegment extends Omit<RenderedSegment, 'packets'> {
  readonly packets: PacketRange;
}

/** The segments of a video until they are joined. Plain data with a file, so that it can be passed to another process. */
export interface SpooledSegments {
  readonly file: TemporaryFile;
  /** In any order. */
  readonly segments: readonly SpooledSegment[];
}

/** Collects segments in a temporary file, so that memory does not grow with the length of a video. The caller must close it. */
export class SegmentSpool implements SpooledSegments {
  readonly file = TemporaryFile.create();
  readonly segments: SpooledSegment[] = [];

  /** May be called concurrently. */
  async add({ packets, ...segment }: RenderedSegment): Promise<SpooledSegment> {
    const spooled = { ...segment, packets: await appendVideo(this.file, packets) };
    this.segments.push(spooled);
    return spooled;
  }

  close(): void {
    this.file.close();
  }
}
