import { setTimeout as sleep } from 'node:timers/promises';
import { type Farm, openFarm } from '../../test/support/farm.ts';
import { type FarmSession, farmSessions } from '../../test/support/farm-sessions.ts';
import { percentile } from '../../test/support/proof.ts';

/** Concurrent clients. */
const CLIENTS = 8;

/** Measures a picture of one frame with an empty queue, with a busy worker, and behind a long queue of videos. */
export async function measureStills(depth: number, stills: number): Promise<void> {
  console.log(`a picture of one frame with ${depth} renders queued, one worker of one place, ${stills} pictures each`);
  const farm = await openFarm();
  try {
    await farm.hire('worker');
    const sessions = farmSessions(depth + 3 * stills);
    await takePictures(farm, sessions.slice(0, 2));
    const alone = await takePictures(farm, sessions.slice(depth, depth + stills));
    const first = await createAll(farm, sessions.slice(0, 200));
    const busy = await takePictures(farm, sessions.slice(depth + stills, depth + 2 * stills));
    await createAll(farm, sessions.slice(200, depth - 200));
    const last = await createAll(farm, sessions.slice(depth - 200, depth));
    const behind = await takePictures(farm, sessions.slice(depth + 2 * stills));
    const told = (ms: readonly number[]): string =>
      `p50 ${percentile(ms, 0.5).toFixed(0)} ms, p99 ${percentile(ms, 0.99).toFixed(0)} ms`;
    const ratio = (a: readonly number[], b: readonly number[]): string =>
      (percentile(a, 0.5) / percentile(b, 0.5)).toFixed(2);
    const tell = (what: string, figures: string): void => console.log(`  ${what.padEnd(46)}${figures}`);
    tell('POST to the picture, nothing else to do', told(alone));
    tell('the same beside a busy worker', told(busy));
    tell(`the same with ${depth} renders that wait`, `${told(behind)}, ratio to a busy worker ${ratio(behind, busy)}`);
    tell('POST of a video, the first 200', `${told(first)} (${CLIENTS} at once)`);
    tell(`the same behind ${depth - 200}`, `${told(last)}, ratio ${ratio(last, first)}`);
  } finally {
    await farm.close();
  }
}

/** Creates the sessions; returns the milliseconds of each POST. */
async function createAll(farm: Farm, sessions: readonly FarmSession[]): Promise<number[]> {
  const left = [...sessions];
  const taken: number[] = [];
  const client = async (): Promise<void> => {
    for (let session = left.pop(); session !== undefined; session = left.pop()) {
      const { title, mapping } = session;
      const begunAt = performance.now();
      const { status } = await farm.api('POST', '/v2/render_sessions', { body: { title, mapping, render: 'preview' } });
      if (status !== 201) throw new Error(`A session was answered with ${status}`);
      taken.push(performance.now() - begunAt);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return taken;
}

/** Creates pictures one after the other; returns the milliseconds of each, from its POST to its rendered status. */
async function takePictures(farm: Farm, sessions: readonly FarmSession[]): Promise<number[]> {
  const taken: number[] = [];
  for (const { title, mapping } of sessions) {
    const begunAt = performance.now();
    const { body } = await farm.api('POST', '/v2/render_sessions', {
      body: { title, mapping, render: 'preview', output: { format: 'png' } },
    });
    await ended(farm, body.render_session.id);
    taken.push(performance.now() - begunAt);
    await sleep(20);
  }
  return taken;
}

/** Polls more often than a client would. */
async function ended(farm: Farm, id: string): Promise<void> {
  for (;;) {
    const { body } = await farm.api('GET', `/v2/render_sessions/${id}`);
    const { status, errors } = body.render_session;
    if (status === 'preview_rendered') return;
    if (status !== 'preview_rendering') throw new Error(JSON.stringify(errors));
    await sleep(10);
  }
}
