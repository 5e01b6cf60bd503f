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

/** The callers that wait for renders of one digest or use their files. */
interface Users {
  readonly listeners: Set<Listener>;
  /** Open until all callers have left. */
  readonly files: RenderedFile[];
}

/** Shares one render among sessions with the same `renderingDigest`; it stops when no session needs it. */
export class SharedRenders {
  readonly #flight = createSingleFlight<readonly RenderedFile[]>();
  readonly #users = new Map<Sha256, Users>();

  has(digest: Sha256): boolean {
    return this.#users.has(digest);
  }

  /**
   * @param start begins the render unless one is running
   * @param use receives the files, which are closed when all callers have used them
   * @throws errors of the render; the signal's reason, promptly, when it is aborted
   */
  async render<Result>(
    digest: Sha256,
    { signal, ...listener }: WatchedOptions,
    start: (options: WatchedOptions) => Promise<readonly RenderedFile[]>,
    use: (files: readonly RenderedFile[]) => Promise<Result>,
  ): Promise<Result> {
    const users = this.#users.get(digest) ?? { listeners: new Set(), files: [] };
    const { listeners, files } = users;
    listeners.add(listener);
    this.#users.set(digest, users);
    const closeUnused = (): void => {
      if (listeners.size === 0) for (const { video } of files) video.close();
    };
    try {
      const rendered = await this.#flight(digest, signal, async (shared) => {
        const finished = await start({
          signal: shared,
          onProgress: (...progress) => {
            // A stopped render may still report while listeners wait for the next render.
            if (!shared.aborted) for (const { onProgress } of listeners) onProgress(...progress);
          },
          onStored: () => {
            for (const { onStored } of listeners) onStored();
          },
        });
        files.push(...finished);
        // All callers may have left while it ended.
        closeUnused();
        return finished;
      });
      return await use(rendered);
    } finally {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#users.get(digest) === users) this.#users.delete(digest);
      closeUnused();
    }
  }
}
