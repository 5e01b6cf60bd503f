import { RenderError } from '../../../engine/render-error.ts';

/** Returns a signal that aborts with another signal or after a time. @param totalMs null for no limit */
export function timeLimit(
  totalMs: number | null,
  signal: AbortSignal | undefined,
): { signal: AbortSignal; clear(): void } {
  const ending = new AbortController();
  const expire = (): void =>
    ending.abort(new RenderError('render_timeout', `The render took longer than ${totalMs! / 1000} s`));
  const timer = totalMs === null ? undefined : setTimeout(expire, totalMs);
  const limited = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  return { signal: limited, clear: () => clearTimeout(timer) };
}

/** Processes items in order with several lanes. A lane ends at its first failure. */
export function inParallel<T>(items: readonly T[], lanes: number, work: (item: T) => Promise<void>): Promise<void>[] {
  const rest = items.values();
  const lane = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  return Array.from({ length: Math.min(lanes, items.length) }, lane);
}

/**
 * Waits for all promises. The first failure aborts the remaining work and is thrown when all promises have settled.
 *
 * @throws the first failure; the signal's reason
 */
export async function allOrNone<Work extends readonly Promise<unknown>[]>(
  signal: AbortSignal | undefined,
  start: (signal: AbortSignal) => readonly [...Work],
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  const ending = new AbortController();
  const shared = AbortSignal.any([ending.signal, ...(signal === undefined ? [] : [signal])]);
  const work = start(shared);
  for (const promise of work) promise.catch((error: unknown) => ending.abort(error));
  await Promise.allSettled(work);
  signal?.throwIfAborted();
  if (ending.signal.aborted) throw ending.signal.reason;
  return (await Promise.all(work)) as never;
}
