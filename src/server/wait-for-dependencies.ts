import { setTimeout as sleep } from 'node:timers/promises';
import { ReelformError } from '../diagnostic.ts';
import { type Backoff, backoffMs } from '../http/retry.ts';
import { isOutage } from '../service/service-error.ts';
import { errorMessage, type Log } from './telemetry/log.ts';

/** Between two tries; the first ones come sooner, since what is just being started soon answers. */
const BACKOFF: Backoff = { firstMs: 250, maxMs: 5000 };

export interface Patience {
  readonly patienceMs: number;
  readonly log: Log;
}

/**
 * Tries to open what other machines have a part in until they answer. EDGE. Each try that fails is said in the log.
 *
 * @throws what the last try threw, once the time is over; at once what waiting does not mend
 */
export async function waitForParts<T>(open: () => Promise<T>, { patienceMs, log }: Patience): Promise<T> {
  const begunAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      const pause = backoffMs(attempt, BACKOFF);
      if (!mayPass(error) || performance.now() - begunAt + pause > patienceMs) throw error;
      log.warn({ error: errorMessage(error) }, 'waiting for what does not answer yet');
      await sleep(pause);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (isOutage(error)) return true;
  return error instanceof ReelformError && /^(?:database|storage)_unavailable$/.test(error.code);
}
