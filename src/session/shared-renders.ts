import type { Sha256 } from '../digest.ts';
import type { Rendering, RenderOptions } from './ports.ts';
import { createSingleFlight } from './single-flight.ts';

type WatchedOptions = Required<Pick<RenderOptions, 'onProgress' | 'signal'>>;
type OnProgress = WatchedOptions['onProgress'];

/** One render for all who want the same `renderingDigest` at the same time; it is stopped when nobody wants it any more. */
export class SharedRenders {
  readonly #flight = createSingleFlight<Rendering>();
  readonly #listeners = new Map<Sha256, Set<OnProgress>>();

  /** Whether a scene is being rendered. */
  has(scene: Sha256): boolean {
    return this.#listeners.has(scene);
  }

  /**
   * @param start begins the render, where none of the scene is at work
   * @throws whatever the render threw; the signal's reason, promptly, when it is aborted
   */
  async render(
    scene: Sha256,
    { onProgress, signal }: WatchedOptions,
    start: (options: WatchedOptions) => Promise<Rendering>,
  ): Promise<Rendering> {
    const listeners = this.#listeners.get(scene) ?? new Set();
    this.#listeners.set(scene, listeners.add(onProgress));
    try {
      return await this.#flight(scene, signal, (shared) =>
        start({
          signal: shared,
          onProgress: (done, count) => {
            // One that was stopped may still speak, when those who listen wait for the next.
            if (!shared.aborted) for (const listener of listeners) listener(done, count);
          },
        }),
      );
    } finally {
      listeners.delete(onProgress);
      if (listeners.size === 0 && this.#listeners.get(scene) === listeners) this.#listeners.delete(scene);
    }
  }
}
