/** Waits by signal. Adding a listener takes Node a step per listener of the signal, and a run has thousands of waits. */
const waits = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Waits for a promise until the signal is aborted, and then rejects with the signal's reason. Does not cancel the work
 * behind the promise.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    if (signal.aborted) abort();
    const waiting = waitsFor(signal);
    waiting.add(abort);
    promise.then(resolve, reject).finally(() => waiting.delete(abort));
  });
}

function waitsFor(signal: AbortSignal): Set<() => void> {
  const known = waits.get(signal);
  if (known !== undefined) return known;
  const waiting = new Set<() => void>();
  waits.set(signal, waiting);
  const abortAll = (): void => {
    for (const abort of waiting) abort();
  };
  signal.addEventListener('abort', abortAll, { once: true });
  return waiting;
}
