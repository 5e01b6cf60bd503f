import { setMaxListeners } from 'node:events';
import { type FrameRate, frameRateOf } from '../contract/timeline/frame-rate.ts';
import type { OutputRequest } from '../contract/wire/output.ts';
import type { AudioPacket } from '../engine/codec/encoded-track.ts';
import { readSound } from '../engine/codec/packet-file.ts';
import { type FrameRange, frameTimeSeconds } from '../engine/frame-rate.ts';
import { segmentRanges } from '../engine/segments/segment.ts';
import type { HeldSound } from '../engine/writers/mux.ts';
import { defined } from '../kernel/defined.ts';
import { TemporaryFile } from '../kernel/temporary-file.ts';
import { piecesOf } from '../service/sessions/segments/pieces.ts';
import type { SegmentCache } from '../service/sessions/segments/segment-cache.ts';
import { createSegmentRenderer, type SegmentRenderer } from '../service/sessions/segments/segment-renderer.ts';
import type { InputFile, VideoInput } from '../template/render-input.ts';
import type { DrawQueue } from './draw-queue.ts';
import type { PreviewPorts } from './ports.ts';
import type { DraftState } from './protocol.ts';
import { previewError, RequestError } from './request-error.ts';
import type { Stills } from './stills.ts';
import { type DrawSubject, pictureOutput, resolvePicture } from './subjects.ts';

/** Pixels of a frame of a draft: about 640 × 360. */
const DRAFT_PIXELS = 640 * 360;
/** Drafts that are kept, the finished ones among them. */
const MAX_DRAFTS = 12;
/** Number of drafts that are rendered: a draft for each of two pages. */
const MAX_RUNNING = 2;

/** Small, quickly encoded videos for the page, rendered in segments. The segments are cached, so that an edit renders few. */
export class DraftRenderer {
  readonly #stills: Stills;
  readonly #queue: DrawQueue;
  readonly #renderer: SegmentRenderer;
  readonly #onChange: (state: DraftState) => void;
  readonly #drafts = new Map<string, Draft>();

  constructor(
    { pool, draftCache }: Pick<PreviewPorts, 'pool'> & { readonly draftCache: SegmentCache },
    stills: Stills,
    queue: DrawQueue,
    onChange: (state: DraftState) => void,
  ) {
    this.#stills = stills;
    this.#queue = queue;
    // The queue runs the segments in parallel.
    this.#renderer = createSegmentRenderer({ runner: pool, parallel: 1, cache: draftCache });
    this.#onChange = onChange;
  }

  /** Returns the draft of a subject, and begins to render it. */
  open(subject: DrawSubject): Draft {
    const { fingerprint } = subject;
    const known = this.#drafts.get(fingerprint);
    const draft = known?.isStopped === false ? known : this.#begin(subject);
    this.#drafts.delete(fingerprint);
    this.#drafts.set(fingerprint, draft);
    const running = [...this.#drafts.values()].filter(({ isDone }) => !isDone);
    for (const oldest of running.slice(0, -MAX_RUNNING)) this.#remove(oldest);
    for (const oldest of [...this.#drafts.values()].slice(0, -MAX_DRAFTS)) this.#remove(oldest);
    return draft;
  }

  #begin(subject: DrawSubject): Draft {
    const renderInput = this.#stills.renderInput(subject, draftOutput(subject));
    return new Draft(subject, renderInput, { queue: this.#queue, renderer: this.#renderer, onChange: this.#onChange });
  }

  #remove(draft: Draft): void {
    draft.stop();
    this.#drafts.delete(draft.fingerprint);
  }
}

interface DraftPorts {
  readonly queue: DrawQueue;
  readonly renderer: SegmentRenderer;
  onChange(state: DraftState): void;
}

/** A part of a draft, for a source buffer of the page. */
interface DraftSegment {
  readonly bytes: Uint8Array;
  /** Content type with the codecs; the same for all segments of a draft. */
  readonly type: string;
}

/** A draft, in segments of pictures and sound. */
class Draft {
  readonly fingerprint: string;
  readonly #ports: DraftPorts;
  readonly #picture: InputFile;
  readonly #ranges: readonly FrameRange[];
  readonly #segments: readonly Promise<DraftSegment>[];
  readonly #ready: boolean[];
  readonly #stop = new AbortController();
  #error: DraftState['error'] = null;

  constructor(subject: DrawSubject, renderInput: Promise<VideoInput>, ports: DraftPorts) {
    this.fingerprint = subject.fingerprint;
    this.#ports = ports;
    this.#picture = resolvePicture(subject, draftOutput(subject));
    this.#ranges = segmentRanges({ ...this.#picture, output: { format: 'mp4' } });
    this.#ready = this.#ranges.map(() => false);
    // Each waiting segment listens.
    setMaxListeners(0, this.#stop.signal);
    const sound = this.#renderSound(renderInput);
    this.#segments = this.#ranges.map((range, index) => this.#render(renderInput, { range, index, sound }));
    for (const segment of this.#segments) segment.catch((error: unknown) => this.#fail(error));
  }

  get state(): DraftState {
    const { width, height, fps, frameCount } = this.#picture;
    return {
      fingerprint: this.fingerprint,
      width,
      height,
      fps,
      frameCount,
      leadSeconds: frameTimeSeconds(frameRateOf(fps), leadFrames(fps)),
      segments: this.#ranges.map(({ first, end }, index) => ({ first, end, isReady: this.#ready[index]! })),
      error: this.#error,
    };
  }

  get isDone(): boolean {
    return this.#error !== null || this.#ready.every(Boolean);
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Does not begin further segments. Running ones end, for the cache. */
  stop(): void {
    this.#stop.abort(new RequestError('gone', 'This draft is not rendered any more'));
  }

  /** Returns a segment with its part of the sound. @throws RequestError `not_found`; errors of the engine */
  segment(index: number): Promise<DraftSegment> {
    const segment = this.#segments[index];
    if (segment === undefined)
      throw new RequestError('not_found', `The draft has ${this.#segments.length} segments, from 0 on`);
    return segment;
  }

  #fail(error: unknown): void {
    if (this.isStopped || this.#error !== null) return;
    this.#error = previewError(error);
    this.#ports.onChange(this.state);
  }

  /** Mixes the whole sound, which has no seams; null for a silent video. */
  async #renderSound(renderInput: Promise<VideoInput>): Promise<HeldSound | null> {
    const draft = { renderInput: { ...(await renderInput), stills: [] }, others: [] };
    const pieces = piecesOf(draft).filter(({ kind }) => kind === 'sound');
    if (pieces.length === 0) return null;
    const { queue, renderer } = this.#ports;
    const [file] = await queue.run(() => renderer.renderPieces(draft, pieces), this.#stop.signal, false);
    const track = file?.sound?.track ?? null;
    return track && { track, packets: await soundPackets(track.packets) };
  }

  async #render(
    renderInput: Promise<VideoInput>,
    {
      range,
      index,
      sound,
    }: { readonly range: FrameRange; readonly index: number; readonly sound: Promise<HeldSound | null> },
  ): Promise<DraftSegment> {
    const { queue, renderer, onChange } = this.#ports;
    const bound = { ...(await renderInput), stills: [] };
    const pieces = [{ kind: 'segment' as const, files: [0], range }];
    const draw = () => renderer.renderPieces({ renderInput: bound, others: [] }, pieces);
    const [[file], whole] = await Promise.all([queue.run(draw, this.#stop.signal, false), sound]);
    const segment = file!.segments[0]!;
    const { width, height, fps } = this.#picture;
    const rate = frameRateOf(fps);
    // Loads the multiplexer, which a page that plays nothing does not need.
    const { muxFragment } = await import('../engine/writers/mux.ts');
    const muxed = await muxFragment({
      video: { ...segment, format: { width, height, rate } },
      first: range.first,
      sound: whole && { ...whole, packets: packetsIn(whole.packets, range, rate) },
      leadFrames: leadFrames(fps),
    });
    this.#ready[index] = true;
    onChange(this.state);
    return muxed;
  }
}

/** Frames of about a second, which is longer than the delay of any encoder. */
function leadFrames(fps: number): number {
  return Math.ceil(fps);
}

async function soundPackets(stored: Uint8Array): Promise<AudioPacket[]> {
  const file = await TemporaryFile.of(stored);
  const packets: AudioPacket[] = [];
  for await (const packet of readSound(file)) packets.push(packet);
  file.close();
  return packets;
}

/**
 * Returns the packets that begin in a range of frames, in the first range also those before the video. A range that is shorter than
 * a packet repeats the one before, because each segment has both tracks.
 */
function packetsIn(
  packets: readonly AudioPacket[],
  { first, end }: FrameRange,
  rate: FrameRate,
): readonly AudioPacket[] {
  const from = first === 0 ? Number.NEGATIVE_INFINITY : frameTimeSeconds(rate, first);
  const to = frameTimeSeconds(rate, end);
  const found = packets.filter(({ time }) => time >= from && time < to);
  return found.length > 0 ? found : packets.filter(({ time }) => time < to).slice(-1);
}

/** Returns an MP4 of low quality with about `DRAFT_PIXELS` pixels, and the frames of the video. */
function draftOutput(subject: DrawSubject): OutputRequest {
  const { fps } = pictureOutput(subject.video);
  const { width, height } = resolvePicture(subject);
  const scale = Math.min(1, Math.sqrt(DRAFT_PIXELS / (width * height)));
  return {
    format: 'mp4',
    quality: 'low',
    height: 2 * Math.max(1, Math.round((height * scale) / 2)),
    ...defined({ fps }),
  };
}
