import { availableParallelism } from 'node:os';
import { untilEnded } from '../../test/support/api.ts';
import { type Farm, openFarm } from '../../test/support/farm.ts';
import { type FarmTemplate, farmSession } from '../../test/support/farm-sessions.ts';
import { percentile } from '../../test/support/proof.ts';
import { type S3Server, startS3Server } from '../../test/support/s3-server.ts';
import { type BenchWorkerOptions, hireBenchWorker } from './bench-worker.ts';

const SEGMENTS = 24;
const SEGMENT_MS = 1_000;
const WORKERS = 3;
const PLACES = 2;

/**
 * Measures the overhead of rendering in segments: 24 segments that take a second each without processor time, on six
 * slots, through the real queue, database, bucket and join.
 */
export async function measureSlots(rounds: number): Promise<void> {
  const slots = WORKERS * PLACES;
  const ideal = (SEGMENTS * SEGMENT_MS) / slots / 1000;
  const workers = { count: WORKERS, places: PLACES, parts: true, sleepMs: SEGMENT_MS };
  const seconds = await withWorkers(workers, ['segments'], (farm) => renderEach(farm, 'segments', rounds));
  const typical = percentile(seconds, 0.5);
  console.log(`${SEGMENTS} segments that sleep 1 s (nothing is drawn), ${slots} places of ${WORKERS} processes`);
  console.log(
    `  POST to the joined video  ${seconds.map((each) => each.toFixed(2)).join(', ')} s; ` +
      `ideal ${ideal.toFixed(0)} s, ratio ${(typical / ideal).toFixed(2)}`,
  );
}

/** Measures two minutes of video in segments against one piece, with two workers of one slot each. */
export async function measureParts(): Promise<void> {
  console.log(`120 s of video in two parts by two workers beside one piece, ${availableParallelism()} cores`);
  for (const template of ['light', 'full'] as const) {
    const measure = async (parts: boolean): Promise<number> => {
      const workers = { count: 2, places: 1, parts, sleepMs: null };
      const seconds = await withWorkers(workers, [template, 'short'], async (farm) => {
        // Warms up a render process of each worker.
        await Promise.all([1, 2].map((number) => renderOne(farm, 'short', 1_000 + number)));
        return renderEach(farm, template, 3);
      });
      return percentile(seconds, 0.5);
    };
    const [whole, split] = [await measure(false), await measure(true)];
    const what = template === 'light' ? '320 × 180, 10 fps' : '640 × 360, 30 fps';
    console.log(
      `  ${what}  one piece ${whole.toFixed(2)} s, in parts ${split.toFixed(2)} s, ` +
        `${(whole / split).toFixed(2)} times as fast (a render in one piece keeps more than one core busy)`,
    );
  }
}

async function withWorkers<T>(
  { count, ...options }: Pick<BenchWorkerOptions, 'places' | 'parts' | 'sleepMs'> & { readonly count: number },
  templates: readonly FarmTemplate[],
  work: (farm: Farm) => Promise<T>,
): Promise<T> {
  const bucket: S3Server = await startS3Server({ buckets: ['storage', 'deliveries'] });
  const farm = await openFarm({ bucket, templates });
  const ends: (() => Promise<void>)[] = [];
  try {
    for (let index = 0; index < count; index++) ends.push(await hireBenchWorker(farm, bucket, options));
    return await work(farm);
  } finally {
    await Promise.all(ends.map((end) => end()));
    await farm.close();
    await bucket.close();
  }
}

/** Returns the seconds of each render, one after the other. */
async function renderEach(farm: Farm, template: FarmTemplate, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let number = 0; number < count; number++) {
    // The record of busy workers is at most a second old.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const begunAt = performance.now();
    await renderOne(farm, template, number);
    taken.push((performance.now() - begunAt) / 1000);
  }
  return taken;
}

async function renderOne(farm: Farm, template: FarmTemplate, number: number): Promise<void> {
  const { title, mapping } = farmSession(template, number);
  const { body } = await farm.api('POST', '/v2/render_sessions', { body: { title, mapping, render: 'preview' } });
  const { status, errors } = await untilEnded(farm.api, body.render_session.id);
  if (status !== 'preview_rendered') throw new Error(JSON.stringify(errors));
}
