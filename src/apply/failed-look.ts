import { ReelformError } from '../diagnostic.ts';
import { backoffMs } from '../service/retry.ts';
import { ServiceError } from '../service/service-error.ts';

/** A service that is moved to another machine is back by then. */
const PATIENCE_MS = 600_000;
/** An answer that cannot be read seldom becomes one that can. */
const MAX_UNREADABLE = 4;

/** Answers that another look may not get. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * How long to wait after a look at a session that failed; null when it was the last. The session goes on whether anybody
 * sees it or not: only what will not pass ends the watch.
 *
 * @param failures in a row, this one included
 * @param failingMs since the first of them
 * @param jitter 0..1
 */
export function lookAgainMs(
  error: unknown,
  { failures, failingMs, jitter }: { readonly failures: number; readonly failingMs: number; readonly jitter: number },
): number | null {
  if (!passes(error, failures) || failingMs > PATIENCE_MS) return null;
  return backoffMs(failures, jitter);
}

function passes(error: unknown, failures: number): boolean {
  if (error instanceof ServiceError) return error.status >= 500 || PASSING.has(error.status);
  if (!(error instanceof ReelformError)) return false;
  if (error.code === 'service_answer_invalid') return failures < MAX_UNREADABLE;
  return error.code === 'service_unreachable';
}
