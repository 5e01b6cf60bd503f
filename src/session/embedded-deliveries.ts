import pLimit from 'p-limit';
import type { UploadJob } from './upload-ports.ts';
import type { UploadRunner } from './upload-runner.ts';

/** Deliveries at once. */
const PLACES = 4;
const CLOSED = 'The service was closed before it was delivered';

export interface EmbeddedDeliveries {
  /** Delivers it when its time has come. */
  plan(job: UploadJob, delayMs: number): void;
  /** Resolves when nothing of a session, or nothing at all, is planned or at work. */
  idle(session?: string): Promise<void>;
  /** Lets the tries at work come to their end, and fails what waits for one. */
  close(): Promise<void>;
}

/**
 * Does in this process what `reelform serve` does by a queue. Nothing of it outlives the process.
 *
 * @param wait rejects when the signal is aborted
 */
export function createEmbeddedDeliveries(
  runner: Pick<UploadRunner, 'run' | 'fail'>,
  wait: (milliseconds: number, signal: AbortSignal) => Promise<void>,
): EmbeddedDeliveries {
  const closing = new AbortController();
  const goesOn = new AbortController().signal;
  const atWork = new Map<Promise<void>, string>();
  const limit = pLimit(PLACES);

  const deliver = async (job: UploadJob, delayMs: number): Promise<void> => {
    try {
      if (delayMs > 0) await wait(delayMs, closing.signal);
      await limit(async () => {
        closing.signal.throwIfAborted();
        await runner.run(job, goesOn);
      });
    } catch (error) {
      await runner.fail(job, closing.signal.aborted ? CLOSED : nameOf(error));
    }
  };
  const idle = async (session?: string): Promise<void> => {
    for (;;) {
      const works = [...atWork].filter(([, of]) => session === undefined || of === session).map(([work]) => work);
      if (works.length === 0) return;
      // What ends may have planned a further try.
      await Promise.all(works);
    }
  };

  return {
    plan(job, delayMs) {
      const work = deliver(job, delayMs).finally(() => atWork.delete(work));
      atWork.set(work, job.session);
    },
    idle,
    close() {
      closing.abort();
      return idle();
    },
  };
}

function nameOf(error: unknown): string {
  return `Internal error: ${error instanceof Error ? error.name : 'unknown'}`;
}
