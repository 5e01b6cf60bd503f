import type { DraftState } from '../../protocol.ts';
import { draftAddress } from '../server.ts';

interface DraftPlayerOptions {
  readonly fingerprint: string;
  readonly isMuted: boolean;
  readonly onTime: (seconds: number) => void;
  /** Called with true while the player waits for a segment to be rendered. */
  readonly onWaiting: (isWaiting: boolean) => void;
  readonly onEnd: () => void;
  readonly onError: (message: string) => void;
}

/**
 * Plays a draft while it is being rendered: segment after segment, each in a `<video>` of its own, and the whole file with its
 * sound as soon as it is ready. The next segment loads while the current segment plays.
 */
export class DraftPlayer {
  readonly #container: HTMLElement;
  readonly #options: DraftPlayerOptions;
  #draft: DraftState | null = null;
  #isMuted: boolean;
  /** Time at which to continue once more is rendered; null if nothing is awaited. */
  #awaited: number | null = null;
  #current: { readonly video: HTMLVideoElement; readonly segment: number | null } | null = null;
  #next: { readonly video: HTMLVideoElement; readonly segment: number } | null = null;
  #timer = 0;
  #isDisposed = false;

  constructor(container: HTMLElement, options: DraftPlayerOptions) {
    this.#container = container;
    this.#options = options;
    this.#isMuted = options.isMuted;
  }

  /** Receives the draft when its state changes. */
  update(draft: DraftState): void {
    this.#draft = draft;
    if (draft.error !== null) {
      this.#options.onError(draft.error.message);
      return;
    }
    if (this.#awaited !== null) this.play(this.#awaited);
    else this.#preload();
  }

  setMuted(isMuted: boolean): void {
    this.#isMuted = isMuted;
    if (this.#current !== null) this.#current.video.muted = isMuted;
  }

  /** Plays from a time, or waits until the draft has it. */
  play(seconds: number): void {
    const draft = this.#draft;
    this.#awaited = seconds;
    const index = draft?.segments.findIndex(({ end }) => seconds * draft.fps < end - 0.01) ?? -1;
    if (draft?.isReady) this.#start(null, seconds);
    else if (draft?.segments[index]?.isReady)
      this.#start(index, Math.max(0, seconds - draft.segments[index].first / draft.fps));
    else this.#options.onWaiting(true);
  }

  dispose(): void {
    this.#isDisposed = true;
    cancelAnimationFrame(this.#timer);
    for (const segment of [this.#current, this.#next]) removeVideo(segment?.video);
  }

  #start(segment: number | null, offset: number): void {
    this.#awaited = null;
    this.#options.onWaiting(false);
    const isPreloaded = segment !== null && this.#next?.segment === segment;
    const video = isPreloaded ? this.#next!.video : this.#createVideo(segment);
    const previous = this.#current?.video;
    this.#current = { video, segment };
    if (isPreloaded) this.#next = null;
    video.muted = this.#isMuted;
    if (offset > 0) video.currentTime = offset;
    video.addEventListener('ended', () => this.#continue(), { once: true });
    video.addEventListener('error', () => this.#fail(video.error?.message), { once: true });
    // The previous segment stays visible until this segment has a picture.
    video.addEventListener('playing', () => removeVideo(previous), { once: true });
    video.play().catch((error: unknown) => {
      if (error instanceof DOMException && error.name === 'NotAllowedError' && !video.muted) {
        video.muted = true;
        void video.play();
      } else if (!this.#isDisposed) this.#fail(error instanceof Error ? error.message : undefined);
    });
    this.#preload();
    cancelAnimationFrame(this.#timer);
    this.#follow();
  }

  #continue(): void {
    const draft = this.#draft;
    const segment = this.#current?.segment ?? null;
    if (draft === null || segment === null || segment === draft.segments.length - 1) this.#options.onEnd();
    else this.play(draft.segments[segment]!.end / draft.fps);
  }

  #preload(): void {
    const segment = (this.#current?.segment ?? Number.NaN) + 1;
    if (this.#next !== null || this.#draft?.isReady || !this.#draft?.segments[segment]?.isReady) return;
    this.#next = { video: this.#createVideo(segment), segment };
  }

  #createVideo(segment: number | null): HTMLVideoElement {
    const video = document.createElement('video');
    video.playsInline = true;
    video.preload = 'auto';
    video.src = draftAddress(this.#options.fingerprint, segment);
    this.#container.prepend(video);
    return video;
  }

  #follow(): void {
    if (this.#isDisposed || this.#current === null) return;
    const { video, segment } = this.#current;
    const first = segment === null ? 0 : this.#draft!.segments[segment]!.first / this.#draft!.fps;
    if (!video.ended) this.#options.onTime(first + video.currentTime);
    this.#timer = requestAnimationFrame(() => this.#follow());
  }

  #fail(message = 'The browser cannot play this draft.'): void {
    if (!this.#isDisposed) this.#options.onError(message);
  }
}

function removeVideo(video: HTMLVideoElement | undefined): void {
  if (video === undefined) return;
  video.pause();
  // Ends its download, too.
  video.removeAttribute('src');
  video.load();
  video.remove();
}
