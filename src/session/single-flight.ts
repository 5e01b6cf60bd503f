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
