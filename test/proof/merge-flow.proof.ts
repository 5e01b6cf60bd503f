import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { expectSettled, type MergeFigures, newMergeFigures } from '../support/merge-audit.ts';
import { holdRequest, type MergeFlow, randomMerges, startMergeFlow } from '../support/merge-flow.ts';
import { type MergeRunner, startRunner } from '../support/merge-runner.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';

const PUSH = ['--commit=push', '--allow-empty'];
/** Time between two merges by people. */
const GAP_MS = count(5_000, 700);
/** Rounds of overlapping jobs, one per merge. */
const ROUNDS = 12;
const JOBS = 6;

/** The commit interface, and the job that finishes first. */
const ORDERS = [
  ['github', 'second'],
  ['github', 'first'],
  ['git', 'second'],
  ['git', 'first'],
] as const;

it.each(ORDERS.slice(0, count(4, 1)))(
  `two merges ${GAP_MS} ms apart with overlapping jobs: by %s, the %s finishes first`,
  async (forge, order) => {
    const figures = newMergeFigures();
    const late = order === 'first' ? ['rome 2', 'bern 1'] : ['rome 1'];
    let areAtWork = false;
    let isThrough = false;
    const hasEnded = (title: string): boolean => areAtWork && (isThrough || !late.includes(title));
    const flow = await startMergeFlow({ journal: true, service: { hasEnded } });
    await flow.merge({ berlin: 'berlin 1', rome: 'rome 1', oslo: 'oslo 1' });
    const first = await startRunner(flow, PUSH, { forge });
    await Promise.all([setTimeout(GAP_MS), first.until(() => isPaid(flow, 'rome 1'))]);
    await flow.merge({ rome: 'rome 2', bern: 'bern 1', oslo: null });
    const second = await startRunner(flow, PUSH, { forge });
    await second.until(() => isPaid(flow, 'bern 1'));
    expect([first.isOver(), second.isOver()]).toEqual([false, false]);
    areAtWork = true;
    const [quick, slow] = order === 'first' ? [first, second] : [second, first];
    expect(await quick.ended).toMatchObject({ exitCode: 0 });
    expect(slow.isOver()).toBe(false);
    isThrough = true;
    expect(await slow.ended).toMatchObject({ exitCode: 0 });
    figures.runs += 2;
    await expectSettled(flow, figures, { startsJob: true });
    tell(`two merges ${GAP_MS} ms apart by ${forge}, the ${order} through first: ${JSON.stringify(figures)}`);
  },
);

it('a job behind another pays for nothing that the other has rendered, recorded and removed', async () => {
  const figures = newMergeFigures();
  let isThrough = false;
  // The other job finishes while this one, already started, renders its first video.
  const hasEnded = (title: string): boolean => (title === 'aix 1' ? isThrough : isPaid(flow, 'aix 1'));
  const flow = await startMergeFlow({ journal: true, service: { hasEnded } });
  await flow.merge({ berlin: 'berlin 1', bern: 'bern 1', oslo: 'oslo 1' });
  const fast = await startRunner(flow, [...PUSH, '--concurrency=1']);
  await fast.until(() => isPaid(flow, 'berlin 1'));
  await flow.merge({ aix: 'aix 1' });
  const slow = await startRunner(flow, [...PUSH, '--concurrency=1']);
  await fast.ended;
  isThrough = true;
  for (const { ended } of [fast, slow]) expect(await ended).toMatchObject({ exitCode: 0 });
  figures.runs += 2;
  await expectSettled(flow, figures);
  tell(`one job behind another: ${JSON.stringify(figures)}`);
});

it.runIf(IS_WHOLE)(
  `${JOBS} overlapping jobs, one per merge, ${ROUNDS} rounds: main has the result of the last merge`,
  async () => {
    const figures = newMergeFigures();
    for (let round = 0; round < ROUNDS; round++) await overlap(figures, round % 2 === 0 ? 'github' : 'git');
    tell(`${JOBS} jobs at once, ${ROUNDS} rounds: ${JSON.stringify(figures)}`);
  },
);

async function overlap(figures: MergeFigures, forge: 'github' | 'git'): Promise<void> {
  const flow = await startMergeFlow({ journal: true, service: { hasEnded: () => Math.random() < 0.3 } });
  const merges = randomMerges();
  const jobs: MergeRunner[] = [];
  for (let job = 0; job < JOBS; job++) {
    await flow.merge(merges.next());
    const flags = [...PUSH, `--concurrency=${1 + (job % 3)}`, ...(job % 2 === 0 ? ['--checkpoint=1'] : [])];
    const runner = await startRunner(flow, flags, { forge });
    jobs.push(runner);
    // Most are running when the next merge arrives; a job that has not started yet is rejected.
    const isAtWork = (): boolean => runner.text().includes('Plan:') || runner.isOver();
    if (Math.random() < 0.8) await runner.until(isAtWork);
    await setTimeout(Math.random() * 300);
  }
  for (const { ended } of jobs) {
    const { exitCode, text } = await ended;
    figures.runs += 1;
    if (exitCode === 6) figures.refused += 1;
    else expect(exitCode, text).toBe(0);
  }
  await expectSettled(flow, figures);
  await flow.close();
}

it.runIf(IS_WHOLE)(
  'each push starts a job, including pushes of the lockfile, as with an app token: the jobs come to an end',
  async () => {
    const figures = newMergeFigures();
    for (let round = 0; round < 5; round++) {
      const flow = await startMergeFlow({ journal: true, service: { hasEnded: () => Math.random() < 0.3 } });
      const merges = randomMerges();
      const jobs: MergeRunner[] = [];
      let seen = await flow.remote.git('rev-parse', 'main');
      for (let merge = 0; merge < 3 || jobs.some((job) => !job.isOver()); ) {
        if (merge < 3 && Math.random() < 0.1) {
          await flow.merge(merges.next());
          merge += 1;
        }
        // Reads the head before checking which jobs are over, so that no commit of a job is missed.
        const head = await flow.remote.git('rev-parse', 'main');
        if (head !== seen) jobs.push(await startRunner(flow, PUSH));
        seen = head;
        await setTimeout(100);
      }
      for (const { exitCode, text } of await Promise.all(jobs.map(({ ended }) => ended))) {
        expect([0, 6], text).toContain(exitCode);
        figures.runs += 1;
        if (exitCode === 6) figures.refused += 1;
      }
      await expectSettled(flow, figures);
      await flow.close();
    }
    // At most one commit per merge, and one job for each merge and commit.
    expect(figures.commits).toBeLessThanOrEqual(figures.merges);
    tell(`each push starts a job, 5 rounds: ${JSON.stringify(figures)}`);
  },
);

it('a workflow rerun from an old commit is rejected, and so is one that main overtakes', async () => {
  const figures = newMergeFigures();
  const flow = await startMergeFlow({ journal: true, service: { looks: 2 } });
  const old = await flow.merge({ berlin: 'berlin 1' });
  await flow.merge({ berlin: 'berlin 2' });
  const forges = (['github', 'git'] as const).slice(0, count(2, 1));
  for (const forge of forges) {
    const again = await startRunner(flow, PUSH, { root: await flow.checkout(old), forge });
    expect(await again.ended).toMatchObject({ exitCode: 6, text: expect.stringContaining('checkout_stale') });
  }
  // Overtaken between the checkout and its check of main.
  const { fault, held, release } = holdRequest();
  flow.github.force('GET git/ref/heads/{path}', fault);
  const left = await startRunner(flow, PUSH);
  await held;
  await flow.merge({ berlin: 'berlin 3' });
  release();
  expect(await left.ended).toMatchObject({ exitCode: 6 });
  expect(flow.service.sessions.size).toBe(0);
  // Overtaken while it renders.
  const overtaken = await startRunner(flow, PUSH);
  await overtaken.until(() => isPaid(flow, 'berlin 3'));
  await flow.merge({ rome: 'rome 1' });
  const waiting = await flow.checkout();
  expect(await overtaken.ended).toMatchObject({ exitCode: 0 });
  // The commit is newer than this checkout, but is not a newer merge.
  expect(await (await startRunner(flow, PUSH, { root: waiting })).ended).toMatchObject({ exitCode: 0 });
  figures.runs += forges.length + 3;
  figures.refused += forges.length + 1;
  await expectSettled(flow, figures);
  tell(`run again, left behind, overtaken: ${JSON.stringify(figures)}`);
});

/** Returns whether the service was asked to render a text. */
function isPaid({ service }: MergeFlow, text: string): boolean {
  return [...service.sessions.values()].some(({ title }) => title === text);
}
