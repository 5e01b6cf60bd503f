import { expect, it } from 'vitest';
import type { GitHubFault } from '../support/github-server.ts';
import { expectSettled, newMergeFigures } from '../support/merge-audit.ts';
import { COMMIT, holdRequest, LOCK, startMergeFlow } from '../support/merge-flow.ts';
import { startRunner } from '../support/merge-runner.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';

const PUSH = ['--commit=push', '--allow-empty'];
const TIP = 'GET git/ref/heads/{path}';
const READ = 'GET contents/{path}';

const answer = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): GitHubFault => {
  return { kind: 'answer', status, headers, body: { message } };
};
const refusal = (type: string, message: string): GitHubFault => {
  return { kind: 'answer', status: 200, body: { data: null, errors: [{ type, path: [], message }] } };
};
const SPENT = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0' };

interface Trouble {
  readonly faults: Readonly<Record<string, readonly GitHubFault[]>>;
  /** 0, or 1 where the next job has to commit. */
  readonly exitCode?: number;
}

/** GitHub's answers while a commit is made. */
const TROUBLES: Readonly<Record<string, Trouble>> = {
  '409, 502, and a cut after it was done': {
    faults: { [COMMIT]: [answer(409, 'Conflict'), answer(502, 'Bad gateway'), { kind: 'cut', afterDoing: true }] },
  },
  'STALE_DATA, thrice': {
    faults: { [COMMIT]: Array.from({ length: 3 }, () => refusal('STALE_DATA', 'Expected branch to point to "1"')) },
  },
  '422, which says no more': { faults: { [COMMIT]: [answer(422, 'Unprocessable')] }, exitCode: 1 },
  'an error that nobody knows': { faults: { [COMMIT]: [refusal('SOMETHING', 'Something went wrong')] }, exitCode: 1 },
  '502, before it was done and after': {
    faults: { [COMMIT]: [answer(502, 'Bad gateway'), { ...answer(502, ''), afterDoing: true } as GitHubFault] },
  },
  'a connection that is cut before it is done': { faults: { [COMMIT]: [{ kind: 'cut' }, { kind: 'cut' }] } },
  'a connection that is cut after it was done': { faults: { [COMMIT]: [{ kind: 'cut', afterDoing: true }] } },
  'a rate limit with retry-after': { faults: { [COMMIT]: [answer(403, 'Limit', { 'retry-after': '1' })] } },
  'a rate limit that ends at x-ratelimit-reset': { faults: { [COMMIT]: [answer(403, 'Limit', SPENT)] } },
  'a rate limit as GraphQL has it': {
    faults: {
      [COMMIT]: [{ ...refusal('RATE_LIMITED', 'Exceeded'), headers: SPENT } as GitHubFault, answer(429, '', SPENT)],
    },
  },
  // GitHub asks clients to wait a minute after a secondary limit.
  'a secondary limit': { faults: { [COMMIT]: [answer(403, 'You have exceeded a secondary rate limit')] } },
  'a limit that ends in an hour': {
    faults: { [COMMIT]: [answer(403, 'Limit', { 'retry-after': '3600' })] },
    exitCode: 1,
  },
  'trouble with the tip and the lockfile': {
    faults: {
      [TIP]: [answer(502, ''), { kind: 'cut' }, answer(403, 'Limit', { 'retry-after': '1' })],
      [READ]: [{ kind: 'cut' }, answer(500, '')],
    },
  },
};
const SCALED = ['409, 502, and a cut after it was done'];

it.each(IS_WHOLE ? Object.keys(TROUBLES) : SCALED)(
  'GitHub answers %s: finished renders are committed once',
  async (name) => {
    const { faults, exitCode = 0 } = TROUBLES[name]!;
    const figures = newMergeFigures();
    const flow = await startMergeFlow({ journal: true });
    for (const [route, some] of Object.entries(faults)) flow.github.force(route, ...some);
    await flow.merge({ berlin: 'berlin 1', rome: 'rome 1' });
    expect(await (await startRunner(flow, PUSH)).ended).toMatchObject({ exitCode });
    if (exitCode !== 0) expect(await (await startRunner(flow, PUSH)).ended).toMatchObject({ exitCode: 0 });
    figures.runs += exitCode === 0 ? 1 : 2;
    await expectSettled(flow, figures);
    expect(figures.commits).toBe(1);
    tell(`${name}, exit ${exitCode}: ${JSON.stringify(figures)}`);
  },
);

it('a person pushes during the commit: both commits are kept', async () => {
  const figures = newMergeFigures();
  const flow = await startMergeFlow({ journal: true });
  await flow.merge({ berlin: 'berlin 1', rome: 'rome 1' });
  const hold = holdRequest();
  flow.github.force(COMMIT, hold.fault);
  const runner = await startRunner(flow, PUSH);
  await hold.held;
  await flow.merge({ rome: null, oslo: 'oslo 1' });
  hold.release();
  expect(await runner.ended).toMatchObject({ exitCode: 0 });
  expect(Object.keys(await flow.lock())).toEqual(['berlin']);
  expect(await (await startRunner(flow, PUSH)).ended).toMatchObject({ exitCode: 0 });
  figures.runs += 2;
  await expectSettled(flow, figures);
  tell(`a push in between: ${JSON.stringify(figures)}`);
});

it.each(IS_WHOLE ? (['classic', 'ruleset'] as const) : (['ruleset'] as const))(
  'a protected branch, %s: the push is rejected, and one pull request is opened instead and merged',
  async (kind) => {
    const figures = newMergeFigures();
    const flow = await startMergeFlow({ journal: true });
    const { github, remote, service } = flow;
    github.protectedBranches.set('main', kind);
    await flow.merge({ berlin: 'berlin 1', rome: 'rome 1' });
    const refused = await (await startRunner(flow, PUSH)).ended;
    expect(refused).toMatchObject({ exitCode: 1, text: expect.stringContaining('--commit=pr') });
    const changes = [{}, { rome: 'rome 2' }, { oslo: 'oslo 1', berlin: null }, {}];
    for (const change of changes.slice(0, count(4, 1))) {
      if (Object.keys(change).length > 0) await flow.merge(change);
      expect(await (await startRunner(flow, ['--commit=pr'])).ended).toMatchObject({ exitCode: 0 });
      expect(github.issues.filter(({ pull }) => pull !== undefined)).toMatchObject([{ state: 'open' }]);
    }
    expect(await flow.lockCommits()).toBe(0);
    // Presses the merge button.
    await remote.git('update-ref', 'refs/heads/main', 'refs/heads/reelform/lock');
    github.issues[0]!.state = 'closed';
    expect(await (await startRunner(flow, ['--commit=pr'])).ended).toMatchObject({ exitCode: 0 });
    expect([github.issues.length, service.sessions.size]).toEqual([1, count(4, 2)]);
    expect(await remote.git('diff', '--name-only', 'main~1', 'main')).toBe(LOCK);
    figures.runs += count(6, 3);
    await expectSettled(flow, figures);
    tell(`protected, ${kind}: ${JSON.stringify(figures)}`);
  },
);
