import { availableParallelism } from 'node:os';
import { untilEnded } from '../../test/support/api.ts';
import { type Farm, openFarm } from '../../test/support/farm.ts';
import { type FarmSession, farmSessions } from '../../test/support/farm-sessions.ts';
import { processorSeconds } from '../../test/support/spawned-program.ts';
import { processorOf } from './processor.ts';

const WORKERS = [1, 2, 4];

/**
 * Renders a minute with increasing numbers of workers, and compares the rate with the cores and with one worker's rate.
 */
export async function measureRenders(count: number): Promise<void> {
  const cores = availableParallelism();
  console.log(`renders a minute, ${cores} cores, workers of one place each, ${count} videos of 4 s, 640 × 360, 10 fps`);
  let one = Number.NaN;
  let each = Number.NaN;
  for (const workers of WORKERS) {
    const { perMinute, processorSeconds: taken, free } = await measure(workers, count);
    if (workers === 1) {
      one = perMinute;
      each = taken / count;
      console.log(`  a render takes ${each.toFixed(2)} s of processor time, its worker's own included`);
    }
    const ideal = Math.min(workers * one, (60 * free) / each);
    console.log(
      `  ${workers} worker${workers === 1 ? ' ' : 's'}  ${perMinute.toFixed(0)} a minute, ` +
        `ideal ${ideal.toFixed(0)} (${workers} × one, or ${free.toFixed(2)} cores that others left), ` +
        `ratio ${(perMinute / ideal).toFixed(2)}`,
    );
  }
}

interface Measured {
  readonly perMinute: number;
  readonly processorSeconds: number;
  /** Cores not used by other processes. */
  readonly free: number;
}

async function measure(workers: number, count: number): Promise<Measured> {
  const farm = await openFarm();
  try {
    const hired = await Promise.all(Array.from({ length: workers }, (_, index) => farm.hire(`worker ${index}`)));
    const sessions = farmSessions(count + 2 * workers);
    // Warms up a render process of each worker.
    await renderAll(farm, sessions.slice(count));
    const pids = hired.map((worker) => worker.pid());
    const others = processorOf(() => pids.reduce((sum, pid) => sum + processorSeconds(pid), 0));
    const begunAt = performance.now();
    await renderAll(farm, sessions.slice(0, count));
    const seconds = (performance.now() - begunAt) / 1000;
    return { perMinute: (60 * count) / seconds, ...others.since() };
  } finally {
    await farm.close();
  }
}

async function renderAll(farm: Farm, sessions: readonly FarmSession[]): Promise<void> {
  const ids = await Promise.all(
    sessions.map(async ({ title, mapping }) => {
      const { body } = await farm.api('POST', '/v2/render_sessions', { body: { title, mapping, render: 'preview' } });
      return body.render_session.id as string;
    }),
  );
  for (const id of ids) {
    const { status, errors } = await untilEnded(farm.api, id);
    if (status !== 'preview_rendered') throw new Error(JSON.stringify(errors));
  }
}
