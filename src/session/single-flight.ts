import type { Sha256 } from '../digest.ts';
import type { RenderedVideo, RenderOptions } from './ports.ts';

/** Runs work under a key, or joins the work that is under way for it. */
export type SingleFlight<T> = (
  key: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
) => Promise<T>;

interface Flight<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * What several want at the same time is done once. Whoever leaves does so alone; the work is stopped when all have left.
 *
 * @throws what the work throws, to everybody who waits; the reason of a signal, to whom it belongs
 */
export function createSingleFlight<T>(): SingleFlight<T> {
  const flights = new Map<string, Flight<T>>();

  const begin = (key: string, work: (signal: AbortSignal) => Promise<T>): Flight<T> => {
    const stop = new AbortController();
    const flight: Flight<T> = { result: work(stop.signal), stop, waiting: 0 };
    const end = (): void => void (flights.get(key) === flight && flights.delete(key));
    flights.set(key, flight);
    flight.result.then(end, end);
    return flight;
  };

  return async (key, signal, work) => {
    signal.throwIfAborted();
    const flight = flights.get(key) ?? begin(key, work);
    flight.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        flight.waiting -= 1;
        if (flight.waiting === 0) {
          // Who comes now starts anew.
          if (flights.get(key) === flight) flights.delete(key);
          flight.stop.abort(signal.reason);
        }
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      const settle = (): void => signal.removeEventListener('abort', leave);
      flight.result.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error);
        },
      );
    });
  };
}

type WatchedOptions = Required<Pick<RenderOptions, 'onProgress' | 'signal'>>;
type OnProgress = WatchedOptions['onProgress'];

/** One render for all who want the same `renderingDigest` at the same time; it is stopped when nobody wants it any more. */
export class SharedRenders {
  readonly #flight = createSingleFlight<RenderedVideo>();
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
    start: (options: WatchedOptions) => Promise<RenderedVideo>,
  ): Promise<RenderedVideo> {
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
