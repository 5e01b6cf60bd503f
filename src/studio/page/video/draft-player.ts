import type { DraftState } from '../../protocol.ts';
import { fetchDraftSegment } from '../server.ts';

interface DraftPlayerOptions {
  readonly fingerprint: string;
  readonly isMuted: boolean;
  /** Called for each frame that is shown. */
  readonly onTime: (seconds: number) => void;
  /** Called with true while the player waits for a segment to be rendered. */
  readonly onWaiting: (isWaiting: boolean) => void;
  readonly onEnd: () => void;
  readonly onError: (message: string) => void;
}

/** Seconds after the current time for which segments are loaded. */
const AHEAD_SECONDS = 20;
/** Seconds before the current time that stay loaded. */
const BEHIND_SECONDS = 10;
/** Seconds by which a browser rounds the time of a frame. */
const ROUNDING_SECONDS = 0.001;

/**
 * Plays a draft while it is being rendered. All segments go into the source buffer of a single `<video>`, so that pictures and sound
 * continue without a gap. Only segments near the current time are in memory.
 */
export class DraftPlayer {
  readonly #options: DraftPlayerOptions;
  readonly #video = document.createElement('video');
  readonly #source = new MediaSource();
  readonly #stop = new AbortController();
  readonly #start: number;
  #buffer: SourceBuffer | null = null;
  #draft: DraftState | null = null;
  /** Index of the segment to load next; null until the draft is known. */
  #next: number | null = null;
  #isLoading = false;

  /** Plays from a time in seconds as soon as the draft has it. */
  constructor(container: HTMLElement, start: number, options: DraftPlayerOptions) {
    this.#options = options;
    this.#start = start;
    const video = this.#video;
    const { signal } = this.#stop;
    video.playsInline = true;
    video.muted = options.isMuted;
    video.style.opacity = '0';
    video.addEventListener('waiting', () => this.#reportWaiting(), { signal });
    video.addEventListener('playing', () => options.onWaiting(false), { signal });
    video.addEventListener('ended', () => options.onEnd(), { signal });
    video.addEventListener('error', () => this.#fail(video.error?.message), { signal });
    this.#source.addEventListener('sourceopen', () => void this.#load(), { signal });
    video.src = URL.createObjectURL(this.#source);
    container.prepend(video);
    video.requestVideoFrameCallback(this.#onFrame);
    this.#play();
  }

  /** Receives the draft when its state changes. */
  update(draft: DraftState): void {
    this.#draft = draft;
    if (draft.error !== null) {
      this.#options.onError(draft.error.message);
      return;
    }
    if (this.#next === null) {
      const frame = Math.floor(this.#start * draft.fps + 0.01);
      this.#next = Math.max(
        0,
        draft.segments.findIndex(({ end }) => frame < end),
      );
      this.#reportWaiting();
    }
    void this.#load();
  }

  setMuted(isMuted: boolean): void {
    this.#video.muted = isMuted;
  }

  dispose(): void {
    this.#stop.abort();
    this.#video.pause();
    URL.revokeObjectURL(this.#video.src);
    // Frees its buffers, too.
    this.#video.removeAttribute('src');
    this.#video.load();
    this.#video.remove();
  }

  #play(): void {
    const video = this.#video;
    video.play().catch((error: unknown) => {
      if (this.#stop.signal.aborted) return;
      if (error instanceof DOMException && error.name === 'NotAllowedError' && !video.muted) {
        video.muted = true;
        this.#play();
      } else this.#fail(error instanceof Error ? error.message : undefined);
    });
  }

  readonly #onFrame = (_: DOMHighResTimeStamp, { mediaTime }: VideoFrameCallbackMetadata): void => {
    if (this.#stop.signal.aborted) return;
    // A browser may show the first frame of its buffer before it seeks. The video stays transparent until then.
    const endSeconds = mediaTime + 1 / this.#draft!.fps;
    if (endSeconds > this.#start + ROUNDING_SECONDS) {
      this.#video.style.opacity = '';
      this.#options.onTime(mediaTime);
    }
    void this.#load();
    this.#video.requestVideoFrameCallback(this.#onFrame);
  };

  /** Loads segments that are rendered, in their order, until enough is loaded. */
  async #load(): Promise<void> {
    if (this.#isLoading || this.#source.readyState !== 'open') return;
    this.#isLoading = true;
    try {
      for (let index = this.#wanted(); index !== null; index = this.#wanted()) {
        await this.#append(index);
        if (this.#stop.signal.aborted) return;
        this.#next = index + 1;
        if (this.#next === this.#draft!.segments.length) this.#source.endOfStream();
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error instanceof Error ? error.message : undefined);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Returns the segment to load now; null if it is not rendered, or if it is not needed yet. */
  #wanted(): number | null {
    const [draft, next] = [this.#draft, this.#next];
    const segment = draft?.segments[next ?? 0];
    if (!draft || next === null || segment?.isReady !== true) return null;
    return segment.first / draft.fps < this.#time + AHEAD_SECONDS ? next : null;
  }

  async #append(index: number): Promise<void> {
    const { signal } = this.#stop;
    const { fps, frameCount, leadSeconds } = this.#draft!;
    const { bytes, type } = await fetchDraftSegment(this.#options.fingerprint, index, signal);
    if (signal.aborted) return;
    if (this.#buffer === null) {
      this.#buffer = this.#source.addSourceBuffer(type);
      this.#source.duration = frameCount / fps;
      this.#buffer.timestampOffset = -leadSeconds;
      this.#buffer.appendWindowEnd = frameCount / fps;
      this.#video.currentTime = this.#start;
    }
    const kept = this.#time - BEHIND_SECONDS;
    if (kept > 0) await this.#change((buffer) => buffer.remove(0, kept));
    await this.#change((buffer) => buffer.appendBuffer(bytes));
  }

  /** Changes the buffer, which allows one change at a time. */
  async #change(change: (buffer: SourceBuffer) => void): Promise<void> {
    const [buffer, { signal }] = [this.#buffer!, this.#stop];
    if (signal.aborted) return;
    const done = new Promise<void>((resolve, reject) => {
      buffer.addEventListener('updateend', () => resolve(), { once: true });
      buffer.addEventListener('error', () => reject(new Error('The browser cannot play this draft.')), { once: true });
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    change(buffer);
    await done;
  }

  get #time(): number {
    return this.#buffer === null ? this.#start : this.#video.currentTime;
  }

  #reportWaiting(): void {
    this.#options.onWaiting(this.#draft?.segments[this.#next ?? 0]?.isReady === false);
  }

  #fail(message = 'The browser cannot play this draft.'): void {
    if (!this.#stop.signal.aborted) this.#options.onError(message);
  }
}
