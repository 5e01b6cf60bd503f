import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { defaultCodec } from '../contract/wire/output.ts';
import { defined } from '../kernel/defined.ts';
import type { TemporaryFile } from '../kernel/temporary-file.ts';
import type { InputFile, RenderOutput, VideoInput } from '../template/render-input.ts';
import { checkInput } from './check-input.ts';
import type { EncodedTrack, Encoder, EncoderFactory, VideoPacket } from './codec/encoded-track.ts';
import { readVideo } from './codec/packet-file.ts';
import { encoderOf, SOFTWARE } from './codec/video-encoder.ts';
import type { FrameRange } from './frame-rate.ts';
import { frameTimeSeconds } from './frame-rate.ts';
import { type RenderedSound, soundMeasures } from './input-media.ts';
import { distinctPixelFormats, pixelsOf } from './pixel-format.ts';
import { RenderError } from './render-error.ts';
import type { RenderedFile, RenderedStill, RenderFileOptions } from './rendered-file.ts';
import { nameScenes } from './scenes/name-scenes.ts';
import { sceneAt } from './scenes/scene-spans.ts';
import { drawingsOf, drawnSpans, type SegmentDrawing } from './segments/drawings.ts';
import type { RenderedSegment, SegmentStill, SpooledSegment, SpooledSegments } from './segments/rendered-segment.ts';
import { segmentRanges } from './segments/segment.ts';
import { distinctFindings, type TextFinding } from './text/text-findings.ts';
import { type FramePixels, supplyDrawing } from './threads/supply-frames.ts';

/**
 * Renders segments of an MP4 or MOV in sequence, each from an input restricted to its frames and with its own encoder. The
 * bytes of a segment do not depend on the process or on the other segments. Several outputs must have the same `drawingKey`: each
 * frame is drawn once, and the bytes of an output do not depend on the other outputs.
 *
 * @param renderInput of any of the outputs
 * @param ranges some of `segmentRanges`, in ascending order
 * @param options progress counts the frames of all ranges
 * @returns for each range, the segment of each output; only the first output's segments have stills
 * @throws RenderError, ReelformError as `renderFile`; the signal's reason, promptly
 */
export async function renderSegments(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  ranges: readonly FrameRange[],
  options: RenderSegmentsOptions = {},
): Promise<RenderedSegment[][]> {
  const segments: RenderedSegment[][] = [];
  for await (const ofRange of streamSegments(renderInput, outputs, ranges, options)) segments.push(ofRange);
  return segments;
}

export interface RenderSegmentsOptions extends RenderFileOptions {
  /** True to encode all ranges that share a drawing at once; otherwise in sequence. */
  readonly isAtOnce?: boolean;
}

/** Renders segments like `renderSegments`, and passes each on so that it need not stay in memory. */
export async function* streamSegments(
  renderInput: VideoInput,
  outputs: readonly RenderOutput[],
  ranges: readonly FrameRange[],
  { signal, encoder: openEncoder = encoderOf(SOFTWARE), onProgress, isAtOnce = false }: RenderSegmentsOptions = {},
): AsyncGenerator<RenderedSegment[]> {
  signal?.throwIfAborted();
  checkInput(renderInput);
  const frameCount = ranges.reduce((sum, { first, end }) => sum + end - first, 0);
  let done = 0;
  const encoding = new SegmentEncoding(renderInput, outputs, ranges, openEncoder);
  const stills: SegmentStill[] = [];
  const findings = ranges.map((): TextFinding[] => []);
  let passedOn = 0;
  try {
    for (const drawing of drawingsOf(renderInput, ranges)) {
      const supply = supplyDrawing(drawing, signal, distinctPixelFormats(outputs), isAtOnce);
      try {
        for (const { first } of isAtOnce ? drawing.ranges : drawing.ranges.slice(0, 1)) await encoding.open(first);
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
      for (const tracks of encoding.takeTracks()) {
        const { first, end } = ranges[passedOn]!;
        const found = distinctFindings(findings[passedOn++]!);
        yield tracks.map(({ configuration, packets }, output) => ({
          first,
          end,
          configuration,
          packets,
          findings: found,
          stills: output === 0 ? stills.filter(({ frame }) => frame >= first && frame < end) : [],
        }));
      }
    }
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  } finally {
    encoding.close();
  }
}

/** Encodes ranges of a video, the frames of each in order, for all outputs with encoders of its own. The caller must close it. */
class SegmentEncoding {
  /** By range: the track of each output, if it is finished and was not taken. */
  readonly #tracks = new Map<number, EncodedTrack[]>();
  /** By range that is not finished. */
  readonly #encoders = new Map<number, Encoder[]>();
  /** Number of ranges whose tracks were taken. */
  #taken = 0;
  readonly #renderInput: VideoInput;
  readonly #outputs: readonly RenderOutput[];
  readonly #ranges: readonly FrameRange[];
  readonly #openEncoder: EncoderFactory;

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

  /** Opens the encoders of the range of a frame unless they are open. */
  async open(frame: number): Promise<void> {
    const range = this.#rangeOf(frame);
    if (this.#encoders.has(range)) return;
    const { width, height, fps } = this.#renderInput;
    const encoders: Encoder[] = [];
    this.#encoders.set(range, encoders);
    for (const { format, quality, codec = defaultCodec(format) } of this.#outputs) {
      encoders.push(await this.#openEncoder({ width, height, rate: frameRateOf(fps) }, quality, codec));
    }
  }

  async encode(pixels: FramePixels, frame: number, signal: AbortSignal | undefined): Promise<void> {
    const range = this.#rangeOf(frame);
    const { first, end } = this.#ranges[range]!;
    await this.open(frame);
    for (const [at, encoder] of this.#encoders.get(range)!.entries()) {
      await encoder.encode(pixels[pixelsOf(this.#outputs[at]!)], frame - first);
      signal?.throwIfAborted();
    }
    if (frame + 1 === end) await this.#finish(range);
  }

  /** Returns the tracks of the ranges that were finished since the last call, in order. */
  takeTracks(): EncodedTrack[][] {
    const taken: EncodedTrack[][] = [];
    for (let next = this.#tracks.get(this.#taken); next !== undefined; next = this.#tracks.get(this.#taken)) {
      this.#tracks.delete(this.#taken++);
      taken.push(next);
    }
    return taken;
  }

  close(): void {
    for (const encoder of [...this.#encoders.values()].flat()) encoder.close();
    this.#encoders.clear();
  }

  async #finish(range: number): Promise<void> {
    const finished: EncodedTrack[] = [];
    const encoders = this.#encoders.get(range)!;
    for (const encoder of encoders) finished.push(await encoder.finish());
    for (const encoder of encoders) encoder.close();
    this.#encoders.delete(range);
    this.#tracks.set(range, finished);
  }

  #rangeOf(frame: number): number {
    return this.#ranges.findIndex(({ first, end }) => frame >= first && frame < end);
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
 * Joins all segments of a video without encoding again: each starts with a key frame and does not depend on earlier ones. Reads
 * their packets one after the other.
 *
 * @param onProgress called after each segment
 * @throws RenderError encode_failed if segments are missing, duplicated, or encoded with different settings
 */
export async function joinSegments(
  renderInput: InputFile,
  { file, segments }: SpooledSegments,
  sound: RenderedSound,
  onProgress: (segmentsDone: number, segmentCount: number) => void = () => undefined,
): Promise<RenderedFile> {
  const { width, height, fps, frameCount, output, captionTrack: captions } = renderInput;
  const ordered = [...segments].sort((a, b) => a.first - b.first);
  const { configuration } = checkSegments(renderInput, ordered);
  const rate = frameRateOf(fps);
  const track = { format: { width, height, rate }, configuration, packets: packetsOf(file, ordered, onProgress) };
  const codec = output.codec ?? defaultCodec(output.format);
  // Loaded on demand: most tasks render segments, and do not join them.
  const { muxMp4 } = await import('./writers/mux.ts');
  const stills = namedStills(renderInput, ordered);
  const { fingerprint, lang } = output;
  const video = await muxMp4(track, { sound: sound.track, fingerprint, captions, lang, codec });
  return {
    video,
    format: output.format,
    width,
    height,
    frameCount,
    stills,
    findings: [
      ...distinctFindings(
        ordered.flatMap((segment) =>
          nameScenes(segment.findings, renderInput.timeline, sceneAt(renderInput, segment.first)),
        ),
      ),
      ...sound.findings,
    ],
    durationSeconds: frameTimeSeconds(rate, frameCount),
    ...defined({ loudness: soundMeasures(sound.track?.loudness) }),
  };
}

/** Checks that segments are those of a video. Returns the first. */
function checkSegments(renderInput: InputFile, ordered: readonly SpooledSegment[]): SpooledSegment {
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
  for (const segment of ordered) {
    // The decoder reads the parameter sets once, for all segments.
    if (Buffer.compare(segment.configuration, head.configuration) !== 0) throw differentSettings(segment);
  }
  return head;
}

/** Yields the packets of all segments, with the index of their frame in the video. */
async function* packetsOf(
  file: TemporaryFile,
  ordered: readonly SpooledSegment[],
  onProgress: (segmentsDone: number, segmentCount: number) => void,
): AsyncGenerator<VideoPacket> {
  for (const [at, segment] of ordered.entries()) {
    let count = 0;
    for await (const packet of readVideo(file, segment.packets)) {
      if (count === 0 && !packet.isKey) throw differentSettings(segment);
      count += 1;
      yield { ...packet, frame: segment.first + packet.frame };
    }
    if (count !== segment.end - segment.first) throw differentSettings(segment);
    onProgress(at + 1, ordered.length);
  }
}

function differentSettings({ first }: FrameRange): RenderError {
  return new RenderError('encode_failed', `The segment from frame ${first} was encoded with different settings`);
}

function namedStills({ stills, width, height }: InputFile, segments: readonly SpooledSegment[]): RenderedStill[] {
  const byFrame = new Map(segments.flatMap((segment) => segment.stills.map(({ frame, bytes }) => [frame, bytes])));
  return stills.map(({ name, frame }) => {
    const bytes = byFrame.get(frame);
    if (bytes === undefined)
      throw new RenderError('encode_failed', `The stillcut ${name} at frame ${frame} is missing`);
    return { name, bytes, width, height };
  });
}
