import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { defaultCodec } from '../contract/wire/output.ts';
import type { InputFile, RenderOutput, VideoInput } from '../template/render-input.ts';
import { checkInput } from './check-input.ts';
import type { EncodedTrack, Encoder, EncoderFactory, VideoPacket } from './codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from './codec/video-encoder.ts';
import type { FrameRange } from './frame-rate.ts';
import { frameTimeSeconds } from './frame-rate.ts';
import type { RenderedSound } from './input-media.ts';
import { distinctPixelFormats, pixelsOf } from './pixel-format.ts';
import { RenderError } from './render-error.ts';
import type { RenderedFile, RenderedStill, RenderFileOptions } from './rendered-file.ts';
import { nameScenes, sceneAt } from './scenes/name-scenes.ts';
import { drawingsOf, drawnSpans, type SegmentDrawing } from './segments/drawings.ts';
import { segmentRanges } from './segments/segment.ts';
import { distinctFindings, type TextFinding } from './text/text-findings.ts';
import { type FramePixels, supplyDrawing } from './threads/supply-frames.ts';

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
  renderInput: VideoInput,
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
 * @param ranges in ascending order
 * @returns for each range, the segment of each output; only the first output's segments have stills
 * @throws as `renderSegments`
 */
export async function renderOutputSegments(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  ranges: readonly FrameRange[],
  { signal, encoder: openEncoder = encoderOf(SOFTWARE), onProgress }: RenderFileOptions = {},
): Promise<RenderedSegment[][]> {
  signal?.throwIfAborted();
  checkInput(renderInput);
  const frameCount = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  let done = 0;
  const encoding = new SegmentEncoding(renderInput, outputs, ranges, openEncoder);
  const stills: SegmentStill[] = [];
  const findings = ranges.map((): TextFinding[] => []);
  try {
    for (const drawing of drawingsOf(renderInput, ranges)) {
      const supply = supplyDrawing(drawing, signal, distinctPixelFormats(outputs));
      try {
        await encoding.open();
        const drawn = await supply.deliver(async (pixels, frame) => {
          await encoding.encode(pixels, frame, signal);
          onProgress?.(++done, frameCount);
        });
        stills.push(...segmentStills(drawing, drawn.stills));
        for (const part of drawing.ranges) {
          const at = ranges.findIndex(({ first, end }) => part.first >= first && part.first < end);
          findings[at]!.push(...(await findingsOfRange(drawing, part, drawn.findings, signal)));
        }
      } finally {
        await supply.close();
      }
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    encoding.close();
  }
  return ranges.map(({ first, end }, at) =>
    encoding.tracks[at]!.map(({ configuration, packets }, output) => ({
      ...{ first, end, configuration, packets },
      findings: distinctFindings(findings[at]!),
      stills: output === 0 ? stills.filter(({ frame }) => frame >= first && frame < end) : [],
    })),
  );
}

/** Encodes ranges of a video in order, each for all outputs with encoders of its own. The caller must close it. */
class SegmentEncoding {
  /** For each finished range, the track of each output. */
  readonly tracks: EncodedTrack[][] = [];
  readonly #renderInput: VideoInput;
  readonly #outputs: readonly RenderOutput[];
  readonly #ranges: readonly FrameRange[];
  readonly #openEncoder: EncoderFactory;
  #encoders: Encoder[] = [];

  constructor(
    renderInput: VideoInput,
    outputs: readonly RenderOutput[],
    ranges: readonly FrameRange[],
    openEncoder: EncoderFactory,
  ) {
    this.#renderInput = renderInput;
    this.#outputs = outputs;
    this.#ranges = ranges;
    this.#openEncoder = openEncoder;
  }

  /** Opens the encoders of the next range unless they are open. */
  async open(): Promise<void> {
    if (this.#encoders.length > 0) return;
    const { width, height, fps } = this.#renderInput;
    for (const { format, quality, codec = defaultCodec(format) } of this.#outputs) {
      this.#encoders.push(await this.#openEncoder({ width, height, rate: frameRateOf(fps) }, quality, codec));
    }
  }

  async encode(pixels: FramePixels, frame: number, signal: AbortSignal | undefined): Promise<void> {
    const { first, end } = this.#ranges[this.tracks.length]!;
    await this.open();
    for (const [at, encoder] of this.#encoders.entries()) {
      await encoder.encode(pixels[pixelsOf(this.#outputs[at]!)], frame - first);
      signal?.throwIfAborted();
    }
    if (frame + 1 === end) await this.#finish();
  }

  close(): void {
    for (const encoder of this.#encoders) encoder.close();
  }

  async #finish(): Promise<void> {
    const finished: EncodedTrack[] = [];
    for (const encoder of this.#encoders) finished.push(await encoder.finish());
    this.close();
    this.#encoders = [];
    this.tracks.push(finished);
  }
}

/** Returns the stills of a drawing at frames of the video, a single still for each frame. */
function segmentStills({ renderInput, span }: SegmentDrawing, drawn: readonly RenderedStill[]): SegmentStill[] {
  const bytesOf = new Map(drawn.map(({ name, bytes }) => [name, bytes]));
  const wanted = renderInput.stills.filter(({ name }) => bytesOf.has(name));
  const frames = new Map(wanted.map(({ name, frame }) => [frame + span.offset, bytesOf.get(name)!]));
  return [...frames].map(([frame, bytes]) => ({ frame, bytes }));
}

/** Returns those findings of a drawing that belong to a range. Loads the range's input again only if there are any. */
async function findingsOfRange(
  { ranges, span }: SegmentDrawing,
  range: FrameRange,
  findings: readonly TextFinding[],
  signal: AbortSignal | undefined,
): Promise<readonly TextFinding[]> {
  if (findings.length === 0 || ranges.length === 1) return findings;
  const supply = supplyDrawing({ renderInput: span.cut([range]), ranges: [], span }, signal);
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
export async function renderSegmentStills(renderInput: VideoInput, frames: readonly number[]): Promise<SegmentStill[]> {
  checkInput(renderInput);
  const spans = drawnSpans(renderInput);
  const drawn: SegmentStill[] = [];
  for (const frame of frames) {
    const range = { first: frame, end: frame + 1 };
    const span = spans.find(({ first, end }) => frame >= first && frame < end)!;
    const stills = [{ name: 'still', frame: frame - span.offset }];
    const supply = supplyDrawing({ renderInput: { ...span.cut([range]), stills }, ranges: [range], span });
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
    findings: [
      ...distinctFindings(
        ordered.flatMap((segment) =>
          nameScenes(segment.findings, renderInput.timeline, sceneAt(renderInput, segment.first)),
        ),
      ),
      ...sound.findings,
    ],
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
