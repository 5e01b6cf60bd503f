import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cloneOf, type GitRepository } from '../support/git-repository.ts';
import type { SeenIssue } from '../support/github-server.ts';
import { BOT, FORK_TOKEN, type MergeFlow, startMergeFlow } from '../support/merge-flow.ts';
import { type RunnerEnd, startRunner } from '../support/merge-runner.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';
import { definition } from '../support/repository.ts';

const MARKER = '<!-- reelform:plan:plan -->';
/** Comments of other users, a hundred per page. */
const OTHERS = count(3_150, 130);
const PUSHES = count(8, 2);
const EDITS = count(8, 1);

/** A pull request from a fork with the inputs of its jobs. */
interface Fork {
  readonly flow: MergeFlow;
  readonly pull: SeenIssue;
  /** Pushes to its branch and plans it in a job with a read-only token. @returns the artifact and the commit */
  push(text: string): Promise<Planned>;
  /** Runs the job that a `workflow_run` starts from the default branch. */
  comment(planned: Planned): Promise<RunnerEnd>;
  /** Our visible comments. */
  ours(): readonly string[];
}

interface Planned {
  readonly commit: string;
  readonly plan: string;
}

it(`a fork pushes ${PUSHES} times to a pull request with ${OTHERS} comments: one comment with the last plan`, async () => {
  const { flow, pull, push, comment, ours } = await openFork();
  const { github, service } = flow;
  for (let index = 0; index < OTHERS; index++) github.comment(pull.number, 'someone', `${MARKER}\nNot ours: ${index}`);
  const planned: Planned[] = [];
  for (let index = 1; index <= PUSHES; index++) planned.push(await push(`fork ${index}`));
  expect(github.comments).toHaveLength(OTHERS);

  // Plans all of them at once; a concurrency group runs one job and keeps one waiting.
  const group = concurrencyGroup();
  for (const one of planned) group.start(() => comment(one));
  const ended = await group.ended();
  // Rerunning an outdated plan changes nothing.
  for (const end of [...ended, await comment(planned[0]!)]) expect(end).toMatchObject({ exitCode: 0 });
  expect(ours()).toEqual([expect.stringContaining((JSON.parse(planned.at(-1)!.plan) as { plan_id: string }).plan_id)]);

  // Sequential runs edit the comment.
  for (let index = 1; index <= EDITS; index++) {
    expect(await comment(await push(`again ${index}`))).toMatchObject({ exitCode: 0 });
    if (index % 2 === 0) github.comment(pull.number, 'someone', 'Looks good');
  }
  expect(ours()).toEqual([expect.stringContaining(`again ${EDITS}`)]);
  const { plan, commit } = await push(`again ${EDITS}`);
  expect(await comment({ plan, commit })).toMatchObject({ exitCode: 0 });
  const written = github.comments.filter(({ user }) => user === BOT).length;
  expect(written).toBe(1);

  // A concurrency group prevents this: two jobs for the same commit at the same moment, before any comment exists.
  github.comments.splice(0);
  for (const end of await Promise.all([comment({ plan, commit }), comment({ plan, commit })])) {
    expect(end).toMatchObject({ exitCode: 0 });
  }
  const atOnce = ours().length;
  const last = await push('at last');
  expect(await comment(last)).toMatchObject({ exitCode: 0 });
  expect(ours()).toEqual([expect.stringContaining('at last')]);
  expect(service.sessions.size).toBe(0);
  const figures = {
    others: OTHERS,
    pushes: PUSHES + EDITS + 2,
    inGroup: ended.length,
    written,
    atOnce,
    left: ours().length,
  };
  tell(`pull request of a fork: ${JSON.stringify(figures)}`);
});

async function openFork(): Promise<Fork> {
  const flow = await startMergeFlow();
  const { github, remote } = flow;
  await flow.merge({ berlin: 'berlin 1', rome: 'rome 1' });
  const fork = await cloneOf(remote);
  const place = { headOwner: 'stranger', headBranch: 'change', base: 'main' };
  const pull = github.open({ pull: { ...place, headSha: await fork.git('rev-parse', 'HEAD') } });
  return {
    flow,
    pull,
    async push(text) {
      const commit = await fork.commit({ 'videos/berlin.yaml': definition(text) });
      pull.pull!.headSha = commit;
      return { commit, plan: await planJob(flow, fork, pull, commit) };
    },
    async comment({ commit, plan }) {
      const root = await flow.checkout();
      const run = {
        id: 78,
        event: 'pull_request',
        head_sha: commit,
        head_branch: place.headBranch,
        head_repository: { owner: { login: place.headOwner } },
        pull_requests: [],
      };
      return commentJob(flow, root, { plan, event: { workflow_run: run } });
    },
    ours: () =>
      github.comments
        .filter(({ user, body, isMinimized }) => user === BOT && body.startsWith(MARKER) && !isMinimized)
        .map(({ body }) => body),
  };
}

/** A job without secrets and with a read-only token cannot comment, and succeeds anyway. */
async function planJob(flow: MergeFlow, fork: GitRepository, pull: SeenIssue, commit: string): Promise<string> {
  const { root } = await cloneOf(fork);
  const env = { GITHUB_TOKEN: FORK_TOKEN, SHOP_TOKEN: '' };
  const args = ['plan', '--ignore-missing-outputs', '--json'];
  const { exitCode, stdout, text } = await (await startRunner(flow, args, { root, env, isKept: true })).ended;
  expect({ exitCode, text }).toMatchObject({ exitCode: 0 });
  if (IS_WHOLE || flow.github.count('POST issues/{n}/comments') === 0) {
    const event = { pull_request: { number: pull.number, head: { sha: commit } } };
    const refused = await commentJob(flow, root, { plan: stdout, event }, env);
    expect(refused).toMatchObject({ exitCode: 0, text: expect.stringContaining('Resource not accessible') });
  } else rmSync(root, { recursive: true });
  return stdout;
}

async function commentJob(
  flow: MergeFlow,
  root: string,
  { plan, event }: { readonly plan: string; readonly event: object },
  env: Readonly<Record<string, string>> = {},
): Promise<RunnerEnd> {
  const [planPath, eventPath] = [join(root, '.git/plan.json'), join(root, '.git/event.json')];
  writeFileSync(planPath, plan);
  writeFileSync(eventPath, JSON.stringify(event));
  const args = ['comment', 'github', '--check', '--plan', planPath];
  return (await startRunner(flow, args, { root, env: { GITHUB_EVENT_PATH: eventPath, ...env } })).ended;
}

/** A GitHub concurrency group without `cancel-in-progress`: one job runs and one waits, which the next one replaces. */
function concurrencyGroup() {
  const ends: RunnerEnd[] = [];
  let waiting: (() => Promise<RunnerEnd>) | null = null;
  let work: Promise<void> | null = null;
  const go = async (first: () => Promise<RunnerEnd>): Promise<void> => {
    for (let job: typeof waiting = first; job !== null; ) {
      ends.push(await job());
      [job, waiting] = [waiting, null];
    }
    work = null;
  };
  return {
    start(job: () => Promise<RunnerEnd>) {
      if (work === null) work = go(job);
      else waiting = job;
    },
    async ended(): Promise<readonly RunnerEnd[]> {
      await work;
      return ends;
    },
  };
}
