import type { OutputRequest } from '../contract/wire/output.ts';
import type { FrameRange } from '../engine/frame-rate.ts';
import { intoMemory } from '../engine/rendered-file.ts';
import type { RenderedSegment } from '../engine/segments/rendered-segment.ts';
import { segmentRanges } from '../engine/segments/segment.ts';
import { defined } from '../kernel/defined.ts';
import { piecesOf } from '../service/sessions/segments/pieces.ts';
import type { SegmentCache } from '../service/sessions/segments/segment-cache.ts';
import { createSegmentRenderer, type SegmentRenderer } from '../service/sessions/segments/segment-renderer.ts';
import type { VideoInput } from '../template/render-input.ts';
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

/** A draft, from its first segment to the whole file. */
class Draft {
  readonly fingerprint: string;
  readonly #ports: DraftPorts;
  readonly #format: Pick<DraftState, 'width' | 'height' | 'fps' | 'frameCount'>;
  readonly #ranges: readonly FrameRange[];
  readonly #files: readonly Promise<Uint8Array>[];
  readonly #ready: boolean[];
  readonly #whole: Promise<Uint8Array>;
  readonly #stop = new AbortController();
  #error: DraftState['error'] = null;
  #isWhole = false;

  constructor(subject: DrawSubject, renderInput: Promise<VideoInput>, ports: DraftPorts) {
    this.fingerprint = subject.fingerprint;
    this.#ports = ports;
    const output = draftOutput(subject);
    const file = resolvePicture(subject, output);
    const { width, height, fps, frameCount } = file;
    this.#format = { width, height, fps, frameCount };
    this.#ranges = segmentRanges({ ...file, output: { format: 'mp4' } });
    this.#ready = this.#ranges.map(() => false);
    const segments = this.#ranges.map((range) => this.#render(renderInput, range));
    this.#files = segments.map((segment, index) => this.#file(renderInput, segment, index));
    this.#whole = this.#join(renderInput, segments);
    for (const file of [...segments, ...this.#files]) file.catch(() => undefined);
    this.#whole.catch((error: unknown) => {
      if (this.isStopped) return;
      this.#error = previewError(error);
      ports.onChange(this.state);
    });
  }

  get state(): DraftState {
    return {
      fingerprint: this.fingerprint,
      ...this.#format,
      segments: this.#ranges.map(({ first, end }, index) => ({ first, end, isReady: this.#ready[index]! })),
      isReady: this.#isWhole,
      error: this.#error,
    };
  }

  get isDone(): boolean {
    return this.#isWhole || this.#error !== null;
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** Does not begin further segments. Running ones end, for the cache. */
  stop(): void {
    this.#stop.abort(new RequestError('gone', 'This draft is not rendered any more'));
  }

  /** Returns a segment as an MP4 without sound. @throws RequestError `not_found`; errors of the engine */
  segment(index: number): Promise<Uint8Array> {
    const file = this.#files[index];
    if (file === undefined)
      throw new RequestError('not_found', `The draft has ${this.#files.length} segments, from 0 on`);
    return file;
  }

  /** Returns the whole draft as an MP4 with sound. */
  whole(): Promise<Uint8Array> {
    return this.#whole;
  }

  async #render(renderInput: Promise<VideoInput>, range: FrameRange): Promise<RenderedSegment> {
    const { queue, renderer } = this.#ports;
    const bound = { ...(await renderInput), stills: [] };
    const pieces = [{ kind: 'segment' as const, files: [0], range }];
    const render = () => renderer.renderPieces({ renderInput: bound, others: [] }, pieces);
    const [file] = await queue.run(render, this.#stop.signal, false);
    return file!.segments[0]!;
  }

  async #file(renderInput: Promise<VideoInput>, segment: Promise<RenderedSegment>, index: number): Promise<Uint8Array> {
    const rendered = await segment;
    const { first, end } = rendered;
    const alone = { ...(await renderInput), frameCount: end - first, stills: [] };
    const { renderer } = this.#ports;
    const pieces = { segments: [{ ...rendered, first: 0, end: end - first }], sound: SILENCE, whole: null };
    const [file] = await renderer.join({ renderInput: alone, others: [] }, [[pieces]]);
    this.#ready[index] = true;
    this.#ports.onChange(this.state);
    return (await intoMemory(file!)).video;
  }

  async #join(renderInput: Promise<VideoInput>, segments: readonly Promise<RenderedSegment>[]): Promise<Uint8Array> {
    const bound = { ...(await renderInput), stills: [] };
    const { queue, renderer } = this.#ports;
    // Pictures come first: the page plays segments without sound until the whole draft is there.
    const rendered = await Promise.all(segments);
    const draft = { renderInput: bound, others: [] };
    const sounds = piecesOf(draft).filter(({ kind }) => kind === 'sound');
    const [file] = await queue.run(() => renderer.renderPieces(draft, sounds), this.#stop.signal, false);
    const [whole] = await renderer.join(draft, [[{ ...file!, segments: rendered }]]);
    this.#isWhole = true;
    this.#ports.onChange(this.state);
    return (await intoMemory(whole!)).video;
  }
}

const SILENCE = { track: null, findings: [] };

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
