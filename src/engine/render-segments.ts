import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { defaultCodec } from '../contract/wire/output.ts';
import type { InputFile, RenderInput, RenderOutput } from '../template/render-input.ts';
import { checkInput } from './check-input.ts';
import type { EncodedTrack, Encoder, EncoderFactory, VideoPacket } from './codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from './codec/video-encoder.ts';
import { frameTimeSeconds } from './frame-rate.ts';
import type { RenderedSound } from './input-media.ts';
import { distinctPixelFormats, pixelsOf } from './pixel-format.ts';
import { RenderError } from './render-error.ts';
import type { RenderedFile, RenderedStill, RenderFileOptions } from './rendered-file.ts';
import { type FrameRange, segmentRanges } from './segments/segment.ts';
import { drawingsOf, inputCutter, type SegmentDrawing } from './segments/segment-input.ts';
import type { TextFinding } from './text/text-findings.ts';
import { supplyFrames } from './threads/supply-frames.ts';

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

/**
 * Renders segments of an MP4 or MOV in sequence, each from an input restricted to its frames and with its own encoder. The
 * bytes of a segment do not depend on the process or on the other segments.
 *
 * @param ranges some of `segmentRanges`
 * @param options progress counts the frames of all ranges
 * @throws RenderError, ReelformError as `renderFile`; the signal's reason, promptly
 */
export async function renderSegments(
  renderInput: RenderInput,
  ranges: readonly FrameRange[],
  options: RenderFileOptions = {},
): Promise<RenderedSegment[]> {
  const segments = await renderOutputSegments(renderInput, [renderInput.output], ranges, options);
  return segments.map(([segment]) => segment!);
}

/**
 * Renders segments for several outputs with the same `drawingKey`. Each frame is drawn once. Each output has its own encoder, and
 * its bytes do not depend on the other outputs.
 *
 * @param renderInput of any of the outputs
 * @returns for each range, the segment of each output; only the first output's segments have stills
 * @throws as `renderSegments`
 */
export async function renderOutputSegments(
  renderInput: RenderInput,
  outputs: readonly RenderOutput[],
  ranges: readonly FrameRange[],
  { signal, encoder = encoderOf(SOFTWARE), onProgress }: RenderFileOptions = {},
): Promise<RenderedSegment[][]> {
  signal?.throwIfAborted();
  checkInput(renderInput);
  const frameCount = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  const segments: RenderedSegment[][] = [];
  let done = 0;
  const onFrame = (): void => onProgress?.(++done, frameCount);
  for (const drawing of drawingsOf(renderInput, ranges)) {
    segments.push(...(await renderDrawing(drawing, outputs, { openEncoder: encoder, signal, onFrame })));
  }
  return segments;
}

interface SegmentOptions {
  readonly openEncoder: EncoderFactory;
  readonly signal: AbortSignal | undefined;
  onFrame(): void;
}

/** @returns for each range, the segment of each output */
async function renderDrawing(
  drawing: SegmentDrawing,
  outputs: readonly RenderOutput[],
  { openEncoder, signal, onFrame }: SegmentOptions,
): Promise<RenderedSegment[][]> {
  const { renderInput, ranges } = drawing;
  const { width, height, fps } = renderInput;
  const supply = supplyFrames(renderInput, ranges, signal, distinctPixelFormats(outputs));
  const encoders: Encoder[] = [];
  const openEncoders = async (): Promise<void> => {
    for (const { format, quality, codec = defaultCodec(format) } of outputs) {
      encoders.push(await openEncoder({ width, height, rate: frameRateOf(fps) }, quality, codec));
    }
  };
  /** For each finished range, the track of each output. */
  const tracks: EncodedTrack[][] = [];
  const finishEncoders = async (): Promise<void> => {
    const finished: EncodedTrack[] = [];
    for (const encoder of encoders) finished.push(await encoder.finish());
    for (const encoder of encoders.splice(0)) encoder.close();
    tracks.push(finished);
  };
  try {
    await openEncoders();
    const { stills, findings } = await supply.deliver(async (pixels, frame) => {
      const { first, end } = ranges[tracks.length]!;
      if (encoders.length === 0) await openEncoders();
      for (const [at, encoder] of encoders.entries()) {
        await encoder.encode(pixels[pixelsOf(outputs[at]!)], frame - first);
        signal?.throwIfAborted();
      }
      onFrame();
      if (frame + 1 === end) await finishEncoders();
    });
    const segments: RenderedSegment[][] = [];
    for (const [at, range] of ranges.entries()) {
      const rangeFindings = await findingsOfRange(drawing, range, findings, signal);
      segments.push(
        tracks[at]!.map(({ configuration, packets }, output) => ({
          first: range.first,
          end: range.end,
          configuration,
          packets,
          findings: rangeFindings,
          stills: output === 0 ? stillsOfRange(renderInput, range, stills) : [],
        })),
      );
    }
    return segments;
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    for (const encoder of encoders) encoder.close();
    await supply.close();
  }
}

/** Returns the stills of a range, a single still for each frame. */
function stillsOfRange(
  renderInput: RenderInput,
  { first, end }: FrameRange,
  drawn: readonly RenderedStill[],
): SegmentStill[] {
  const bytesOf = new Map(drawn.map(({ name, bytes }) => [name, bytes]));
  const inRange = renderInput.stills.filter(({ frame }) => frame >= first && frame < end);
  const frames = new Map(inRange.map(({ name, frame }) => [frame, bytesOf.get(name)!]));
  return [...frames].map(([frame, bytes]) => ({ frame, bytes }));
}

/** Returns those findings of a drawing that belong to a range. Loads the range's input again only if there are any. */
async function findingsOfRange(
  { ranges, cut }: SegmentDrawing,
  range: FrameRange,
  findings: readonly TextFinding[],
  signal: AbortSignal | undefined,
): Promise<readonly TextFinding[]> {
  if (findings.length === 0 || ranges.length === 1) return findings;
  const supply = supplyFrames(cut([range]), [], signal);
  try {
    return (await supply.deliver(async () => undefined)).findings;
  } finally {
    await supply.close();
  }
}

/**
 * Draws frames of an input as the stills of its segments, without encoding any segment.
 *
 * @param frames indices in the video
 * @throws RenderError as `renderSegments`
 */
export async function renderSegmentStills(
  renderInput: RenderInput,
  frames: readonly number[],
): Promise<SegmentStill[]> {
  checkInput(renderInput);
  const cut = inputCutter(renderInput);
  const drawn: SegmentStill[] = [];
  for (const frame of frames) {
    const range = { first: frame, end: frame + 1 };
    const stills = [{ name: 'still', frame }];
    const supply = supplyFrames({ ...cut([range]), stills }, [range]);
    try {
      const [still] = (await supply.deliver(async () => undefined)).stills;
      drawn.push({ frame, bytes: still!.bytes });
    } finally {
      await supply.close();
    }
  }
  return drawn;
}

/**
 * Joins all segments of a video, passed in any order, without encoding again: each starts with a key frame and does not depend
 * on earlier ones.
 *
 * @throws RenderError encode_failed if segments are missing, duplicated, or encoded with different settings
 */
export async function joinSegments(
  renderInput: InputFile,
  segments: readonly RenderedSegment[],
  sound: RenderedSound,
): Promise<RenderedFile> {
  const { width, height, fps, frameCount, output } = renderInput;
  const ordered = [...segments].sort((a, b) => a.first - b.first);
  const track = joinTracks(renderInput, ordered);
  const codec = output.codec ?? defaultCodec(output.format);
  // Loaded on demand: most tasks render segments, and do not join them.
  const { muxMp4 } = await import('./writers/mux.ts');
  const video = await muxMp4(track, { sound: sound.track, fingerprint: output.fingerprint, codec });
  return {
    video,
    format: output.format,
    width,
    height,
    frameCount,
    stills: namedStills(renderInput, ordered),
    findings: [...distinct(ordered.flatMap(({ findings }) => findings)), ...sound.findings],
    durationSeconds: frameTimeSeconds(frameRateOf(fps), frameCount),
  };
}

function joinTracks(renderInput: InputFile, ordered: readonly RenderedSegment[]): EncodedTrack {
  const ranges = segmentRanges(renderInput);
  const [head] = ordered;
  const isWhole =
    ranges.length === ordered.length &&
    ranges.every(({ first, end }, at) => {
      return ordered[at]!.first === first && ordered[at]!.end === end;
    });
  if (head === undefined || !isWhole) {
    const frames = ordered.map(({ first, end }) => `${first} to ${end - 1}`).join(', ');
    throw new RenderError(
      'encode_failed',
      `The video has ${ranges.length} segments, but segments of these frames were provided: ${frames}`,
    );
  }
  const { configuration } = head;
  for (const segment of ordered) {
    const { first, end, packets } = segment;
    // The decoder reads the parameter sets once, for all segments.
    const hasSameConfiguration = Buffer.compare(segment.configuration, configuration) === 0;
    if (!hasSameConfiguration || packets[0]?.isKey !== true || packets.length !== end - first) {
      throw new RenderError('encode_failed', `The segment from frame ${first} was encoded with different settings`);
    }
  }
  const packets = ordered.flatMap((segment) =>
    segment.packets.map(({ bytes, frame, isKey }) => ({ bytes, frame: segment.first + frame, isKey })),
  );
  return {
    format: { width: renderInput.width, height: renderInput.height, rate: frameRateOf(renderInput.fps) },
    configuration,
    packets,
  };
}

function namedStills({ stills, width, height }: InputFile, segments: readonly RenderedSegment[]): RenderedStill[] {
  const byFrame = new Map(segments.flatMap((segment) => segment.stills.map(({ frame, bytes }) => [frame, bytes])));
  return stills.map(({ name, frame }) => {
    const bytes = byFrame.get(frame);
    if (bytes === undefined)
      throw new RenderError('encode_failed', `The stillcut ${name} at frame ${frame} is missing`);
    return { name, bytes, width, height };
  });
}

/** Removes duplicates: each segment that shows a text reports it. */
function distinct(findings: readonly TextFinding[]): TextFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
