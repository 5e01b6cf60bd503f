import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '../../contract/service-error.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { errorMessage, type Log } from './log.ts';

/** Pause between two attempts. The first pauses are short because a starting database responds soon. */
const BACKOFF: Backoff = { firstMs: 250, maxMs: 5000 };

interface WaitOptions {
  readonly patienceMs: number;
  readonly log: Log;
}

/**
 * Retries `open` until the remote dependencies respond. Logs each failed attempt.
 *
 * @throws the last error once the time is over, and any error that waiting cannot fix immediately
 */
export async function waitForDependencies<T>(open: () => Promise<T>, { patienceMs, log }: WaitOptions): Promise<T> {
  const begunAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      const pause = backoffMs(attempt, BACKOFF);
      if (!mayPass(error) || performance.now() - begunAt + pause > patienceMs) throw error;
      log.warn({ error: errorMessage(error) }, 'waiting for dependencies');
      await sleep(pause);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (isOutage(error)) return true;
  return error instanceof ReelformError && /^(?:database|storage)_unavailable$/.test(error.code);
}
