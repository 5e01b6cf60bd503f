import { setMaxListeners } from 'node:events';

/**
 * Waits for a promise until the signal is aborted, and then rejects with the signal's reason. Does not cancel the work
 * behind the promise.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  // Any number of waits may share a signal. Without this, Node warns of a leak above ten listeners.
  setMaxListeners(0, signal);
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
