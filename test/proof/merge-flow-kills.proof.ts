import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { expectSettled, type MergeFigures, newMergeFigures } from '../support/merge-audit.ts';
import { COMMIT, holdRequest, LOCK, type MergeFlow, randomMerges, startMergeFlow } from '../support/merge-flow.ts';
import { type MergeRunner, type RunnerEnd, startRunner } from '../support/merge-runner.ts';
import { count, tell } from '../support/proof.ts';

const PUSH = ['--commit=push', '--allow-empty', '--checkpoint=2'];
const KILLS = count(72, 2);
/** Duration of a job, so that kills hit any of its moments. */
const JOB_MS = 3_000;
/** Grace periods of a cancelled GitHub job: SIGINT, then SIGTERM, then SIGKILL. */
const GRACE = { termMs: count(7_500, 2_000), killMs: count(2_500, 700) };

/** Moments at which a runner is killed. */
const MOMENTS = [
  /** At a random moment. */
  'anywhere',
  /** The service has reported a finished video, and no commit has been requested. */
  'rendered',
  /** The commit has been requested; GitHub completes it later regardless of the kill. */
  'asked',
  /** The commit has been made, and its answer has not arrived. */
  'made',
] as const;
type Moment = (typeof MOMENTS)[number];

it(`kill -9 of the runner, ${KILLS} times with its checkout lost: the next one continues, and nothing is paid twice or lost`, async () => {
  const figures = newMergeFigures();
  const killed: Record<Moment, number> = { anywhere: 0, rendered: 0, asked: 0, made: 0 };
  while (figures.kills < KILLS) await killJobs(figures, killed);
  tell(`${KILLS} kills: ${JSON.stringify({ ...figures, ...killed })}`);
});

/** One repository in which jobs of four merges are killed up to three times each. */
async function killJobs(figures: MergeFigures, killed: Record<Moment, number>): Promise<void> {
  let ended = 0;
  const flow = await startMergeFlow({
    journal: true,
    service: { hasEnded: () => Math.random() < 0.5, onEnded: () => void ++ended },
  });
  const merges = randomMerges();
  for (let merge = 0; merge < count(4, 1); merge++) {
    await flow.merge(merges.next());
    for (let kill = 0; ; kill++) {
      const moment = kill === 3 || figures.kills >= KILLS ? null : MOMENTS[figures.kills % MOMENTS.length]!;
      const end = await job(flow, moment, () => ended);
      figures.runs += 1;
      if (end.signal !== 'SIGKILL') {
        expect(end).toMatchObject({ exitCode: 0 });
        break;
      }
      figures.kills += 1;
      killed[moment!] += 1;
    }
  }
  await expectSettled(flow, figures, { startsJob: true });
  await flow.close();
}

/** Starts a job and kills it at a moment, if it reaches that moment. */
async function job(flow: MergeFlow, moment: Moment | null, ended: () => number): Promise<RunnerEnd> {
  const { github } = flow;
  const before = ended();
  const asked = github.count(COMMIT);
  const hold = holdRequest({ afterDoing: moment === 'made' });
  if (moment === 'asked' || moment === 'made') github.force(COMMIT, hold.fault);
  const forge = moment === 'anywhere' && Math.random() < 0.5 ? 'git' : 'github';
  const runner = await startRunner(flow, PUSH, { forge });
  const what = Math.random() < 0.5 ? 'machine' : 'program';
  switch (moment) {
    case 'anywhere':
      await Promise.race([setTimeout(Math.random() * JOB_MS), runner.ended]);
      break;
    case 'rendered':
      await runner.until(() => ended() > before).catch(() => undefined);
      if (Math.random() < 0.7) await setTimeout(Math.random() * 150);
      // The job sometimes commits before the kill.
      if (github.count(COMMIT) > asked) return runner.ended;
      break;
    case 'asked':
    case 'made':
      await Promise.race([hold.held, runner.ended]);
      break;
    case null:
  }
  const end = await (moment === null ? runner.ended : runner.kill(what));
  github.calm();
  // Completes the commit at once, during the next job, or after it.
  void setTimeout(Math.random() < 0.5 ? 0 : Math.random() * 2 * JOB_MS).then(hold.release);
  return end;
}

/** State of a job when it is cancelled. */
const CANCELLED = {
  /** Its sessions take long, so they continue on the service and the next job resumes them. */
  'renders that take long': { hasEnded: () => false, at: 'rendering' },
  /** They end within the grace period. */
  'renders that end meanwhile': { hasEnded: (_: string, ageMs: number) => ageMs > 0.3 * GRACE.termMs, at: 'rendering' },
  /** GitHub answers its commit only after the job has ended. */
  'a commit that is not answered': { hasEnded: () => true, at: 'commit' },
} as const;

it.each(Object.keys(CANCELLED).slice(0, count(3, 1)))(
  'a cancelled job with %s: finished renders are in the lockfile or the journal',
  async (name) => {
    const { hasEnded, at } = CANCELLED[name as keyof typeof CANCELLED];
    const figures = newMergeFigures();
    const flow = await startMergeFlow({ journal: true, service: { hasEnded } });
    await flow.merge({ berlin: 'berlin 1', rome: 'rome 1', oslo: 'oslo 1' });
    const hold = holdRequest();
    if (at === 'commit') flow.github.force(COMMIT, hold.fault);
    const runner = await startRunner(flow, [...PUSH, '--concurrency=2']);
    await (at === 'commit' ? hold.held : runner.until(() => flow.service.sessions.size === 2));
    const end = await cancel(runner);
    figures.runs += 1;
    if (end.signal === 'SIGKILL') figures.kills += 1;
    await expectKept(flow);
    hold.release();
    flow.service.finish();
    expect(await (await startRunner(flow, PUSH)).ended).toMatchObject({ exitCode: 0 });
    figures.runs += 1;
    await expectSettled(flow, figures);
    tell(`cancelled, with ${name}, ended by ${end.signal ?? end.exitCode}: ${JSON.stringify(figures)}`);
  },
);

/** Sends the same signals as GitHub to the first process of a step. */
async function cancel(runner: MergeRunner): Promise<RunnerEnd> {
  runner.signal('SIGINT');
  await Promise.race([runner.ended, setTimeout(GRACE.termMs)]);
  if (!runner.isOver()) runner.signal('SIGTERM');
  await Promise.race([runner.ended, setTimeout(GRACE.killMs)]);
  return runner.isOver() ? runner.ended : runner.kill();
}

/** Expects every paid session in main's lockfile or in the journal. */
async function expectKept({ remote, service }: MergeFlow): Promise<void> {
  const texts = ['reelform-journal:journal.ndjson', `main:${LOCK}`].map((path) =>
    remote.git('show', path).catch(() => ''),
  );
  const known = (await Promise.all(texts)).join('\n');
  const isKnown = (id: string): boolean => new RegExp(`"session": ?"${id}"`).test(known);
  expect([...service.sessions.keys()].filter((id) => !isKnown(id))).toEqual([]);
}
