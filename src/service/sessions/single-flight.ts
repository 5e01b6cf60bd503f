import type { RenderedFile } from '../../engine/rendered-file.ts';
import { abortable } from '../../kernel/abortable.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { RenderOptions } from './ports.ts';

/** Runs work under a key, or joins the running work of that key. */
type SingleFlight<T> = (key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

interface Flight<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Shares concurrent work by key. Each caller can leave by its signal; the work is stopped when all have left.
 *
 * @throws the error of the work, to all callers; the reason of a caller's signal, to that caller
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
    const leave = (): void => {
      flight.waiting -= 1;
      if (flight.waiting > 0) return;
      // Later callers start new work.
      if (flights.get(key) === flight) flights.delete(key);
      flight.stop.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    return abortable(flight.result, signal).finally(() => signal.removeEventListener('abort', leave));
  };
}

type Listener = Required<Pick<RenderOptions, 'onProgress' | 'onStored'>>;
type WatchedOptions = Listener & Required<Pick<RenderOptions, 'signal'>>;

/** Shares one render among sessions with the same `renderingDigest`; it stops when no session needs it. */
export class SharedRenders {
  readonly #flight = createSingleFlight<readonly RenderedFile[]>();
  readonly #listeners = new Map<Sha256, Set<Listener>>();

  has(digest: Sha256): boolean {
    return this.#listeners.has(digest);
  }

  /**
   * @param start begins the render unless one is running
   * @throws errors of the render; the signal's reason, promptly, when it is aborted
   */
  async render(
    digest: Sha256,
    { signal, ...listener }: WatchedOptions,
    start: (options: WatchedOptions) => Promise<readonly RenderedFile[]>,
  ): Promise<readonly RenderedFile[]> {
    const listeners = this.#listeners.get(digest) ?? new Set();
    this.#listeners.set(digest, listeners.add(listener));
    try {
      return await this.#flight(digest, signal, (shared) =>
        start({
          signal: shared,
          onProgress: (...progress) => {
            // A stopped render may still report while listeners wait for the next render.
            if (!shared.aborted) for (const { onProgress } of listeners) onProgress(...progress);
          },
          onStored: () => {
            for (const { onStored } of listeners) onStored();
          },
        }),
      );
    } finally {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(digest) === listeners) this.#listeners.delete(digest);
    }
  }
}
