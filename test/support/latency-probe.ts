import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Requests a URL repeatedly on a separate thread. */
export interface LatencyProbe {
  /** Returns the milliseconds of each request answered since the last call. @throws when a status was not 200 */
  take(): Promise<number[]>;
  stop(): Promise<unknown>;
}

/** @param everyMs pause between two requests */
export function startLatencyProbe(options: { url: string; token: string; everyMs: number }): LatencyProbe {
  const thread = new Worker(new URL('./latency-probe.mjs', import.meta.url), { workerData: options });
  return {
    async take() {
      thread.postMessage('take');
      const [{ milliseconds, failures }] = (await once(thread, 'message')) as [
        { milliseconds: number[]; failures: string[] },
      ];
      if (failures.length > 0) throw new Error(`The probe was answered: ${failures.join(', ')}`);
      return milliseconds;
    },
    stop: () => thread.terminate(),
  };
}
