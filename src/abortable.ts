import { setMaxListeners } from 'node:events';

/**
 * Waits for a promise until the signal is aborted. The work behind the promise goes on.
 *
 * @returns what the promise settles with; rejects with the signal's reason when that comes first
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Any number of waits may share a signal; Node takes more than ten for a leak.
  setMaxListeners(0, signal);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
