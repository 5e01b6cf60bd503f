import { describe, expect, it, onTestFinished } from 'vitest';
import { type SeenPipeline, startGitLab } from '../../support/gitlab-server.ts';
import { newVideo, planText } from '../../support/plan-files.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const MARKER = '<!-- reelform:plan:plan -->';

it('reelform comment gitlab writes one note, updates it, and changes no other', async () => {
  const server = await startGitLab({ secret: 1 });
  onTestFinished(() => server.close());
  const comment = (plan: string, ...flags: string[]) => {
    const root = temporaryRepository({ 'plan.json': plan });
    const args = ['comment', 'gitlab', '--plan', 'plan.json', ...flags];
    return reelform(root, args, { env: server.env('secret'), isLate: true });
  };
  for (let i = 0; i < 110; i++) {
    server.notes.push({ id: i, author: { id: i % 2 === 0 ? 2 : 1 }, system: i % 2 === 1, body: `${MARKER}\nNot ours` });
  }
  const [ONE, TWO] = [planText([newVideo('berlin')]), planText([newVideo('berlin'), newVideo('rome')])];
  expect(await comment(planText([]))).toMatchObject({ exitCode: 0 });
  expect(await comment(ONE)).toMatchObject({ exitCode: 0, stdout: '', stderr: 'The comment was created\n' });
  expect((await comment(ONE)).stderr).toContain('already up to date');
  await comment(TWO);
  expect(server.notes).toHaveLength(111);
  expect(server.notes.at(-1)?.body.split('\n').slice(0, 2)).toEqual([
    MARKER,
    expect.stringContaining(`"head_sha":"${'c'.repeat(40)}","base_sha":"${'b'.repeat(40)}"`),
  ]);
  expect(server.notes.at(-1)?.body).toContain('rome');
  await comment(ONE, '--behavior', 'delete-and-new');
  expect(server.notes).toHaveLength(111);
  server.refuseWith(403);
  const refused = await comment(TWO);
  expect(refused).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/^warning: forge_refused: PUT /) });
  expect(refused.stderr).not.toContain('secret');
  expect(await comment(TWO, '--strict')).toMatchObject({ exitCode: 1 });
  expect((await comment(TWO, '--dry-run', '--mr', '4')).stdout).toContain(MARKER);
  expect(server.notes.filter(({ body }) => body.endsWith('Not ours'))).toHaveLength(110);
});

const FILE = '.reelform/gitlab/plan/plan.json';
const HEAD = 'a'.repeat(40);
const NOW = Date.parse('2026-03-09T12:00:00Z');

/** Returns a merge request pipeline with a job `plan`. */
function pipeline(
  id: number,
  plan: string | null,
  more: Partial<SeenPipeline> & { status?: string } = {},
): SeenPipeline {
  const { status = 'success', ...rest } = more;
  const files = plan === null ? {} : { [FILE]: plan };
  const jobs = [
    { id: id * 10, name: 'test', status: 'success' },
    { id: id * 10 + 1, name: 'plan', status, files },
  ];
  return { id, ref: 'refs/merge-requests/1/head', sha: HEAD, jobs, ...rest };
}

async function setUp() {
  const server = await startGitLab({ secret: 1, other: 2 });
  onTestFinished(() => server.close());
  // A scheduled pipeline belongs to no merge request.
  const { CI_MERGE_REQUEST_IID: _, ...env } = server.env('secret');
  const root = temporaryRepository({});
  return {
    server,
    open(number: number, ...pipelines: SeenPipeline[]) {
      server.requests.set(number, { sha: HEAD, updatedAt: '2026-03-02T12:00:01Z', pipelines, notes: [] });
    },
    bodies: (number: number) => server.requests.get(number)!.notes.map(({ body }) => body),
    downloads: () => server.seen.filter((route) => route.includes('/artifacts/')).length,
    async run(...flags: string[]) {
      const args = ['comment', 'gitlab', '--open-merge-requests', '--plan', FILE, ...flags];
      const ran = await reelform(root, args, { env, now: NOW, isLate: true });
      expect(ran.stdout + ran.stderr).not.toContain('secret');
      return ran;
    },
  };
}

describe('reelform comment gitlab --open-merge-requests', () => {
  it('writes the notes of all merge requests from their artifacts, and updates them only for newer jobs', async () => {
    const { server, open, bodies, downloads, run } = await setUp();
    open(1, pipeline(50, planText([newVideo('berlin')])));
    // The job fails, for example because a policy denies the plan, but leaves the plan.
    open(2, pipeline(51, planText([newVideo('rome')]), { status: 'failed' }));
    open(4, pipeline(52, planText([])));
    server.requests.set(5, { ...server.requests.get(1)!, updatedAt: '2026-03-02T11:59:59Z', notes: [] });
    const first = await run();
    expect(first).toMatchObject({ exitCode: 0, stdout: '' });
    expect(first.stderr.split('\n')).toEqual([
      '!1: The comment was created',
      '!2: The comment was created',
      '!4: The plan has no changes; no comment was created',
      '',
    ]);
    expect([bodies(1), bodies(2), bodies(4), bodies(5)].map(({ length }) => length)).toEqual([1, 1, 0, 0]);
    expect(bodies(1)[0]).toContain('berlin');
    expect(bodies(1)[0]).toContain(`"head_sha":"${HEAD}","base_sha":null,"job_id":"501"`);
    expect(bodies(1)[0]).toContain('/-/jobs/501/artifacts/file/.reelform/gitlab/plan/plan.html>)');

    // The plans of 1 and 2 are shown, so they are not downloaded again.
    const before = downloads();
    expect((await run()).stderr).toMatch(/^!1: .* up to date\n!2: .* up to date\n!4: /);
    expect(downloads()).toBe(before + 1);

    server.requests.get(1)!.pipelines.unshift(pipeline(60, planText([newVideo('paris')])));
    expect((await run()).stderr).toMatch(/^!1: The comment was updated\n!2: .* up to date\n/);
    expect(bodies(1)).toEqual([expect.stringContaining('paris')]);
    // A run that began earlier finds only the older pipeline: it does not replace the newer note.
    server.requests.get(1)!.pipelines.shift();
    expect((await run()).stderr).toMatch(/^!1: .* up to date\n/);
    expect(bodies(1)).toEqual([expect.stringContaining('paris')]);

    server.requests.clear();
    expect((await run()).stderr).toBe('No open merge request was updated in the last 7 days\n');
  });

  it('reports each merge request without a plan, and writes the notes of the others', async () => {
    const { server, open, bodies, run } = await setUp();
    const plan = planText([newVideo('berlin')]);
    open(1);
    open(2, pipeline(50, plan, { project_id: 8 }));
    open(3, pipeline(51, plan, { sha: 'b'.repeat(40) }));
    open(4, { ...pipeline(52, plan), jobs: [] });
    open(5, pipeline(53, plan, { status: 'running' }));
    open(6, pipeline(54, null));
    open(7, pipeline(55, plan.replace('berlin', 'madrid')));
    open(8, pipeline(56, '{"::error::x'));
    // A pipeline of the branch is not one of the merge request. Merged results run for a merge commit.
    open(
      9,
      pipeline(70, '{}', { ref: 'feature' }),
      pipeline(57, plan, { ref: 'refs/merge-requests/9/merge', sha: 'd'.repeat(40) }),
    );
    open(10, pipeline(58, plan, { ref: 'refs/merge-requests/10/merge', sha: 'e'.repeat(40) }));
    server.parents.set('d'.repeat(40), ['f'.repeat(40), HEAD]);
    server.parents.set('e'.repeat(40), ['f'.repeat(40), 'b'.repeat(40)]);
    open(11, pipeline(59, plan));
    const { exitCode, stderr } = await run();
    expect(exitCode).toBe(0);
    expect(stderr.split('\n')).toEqual([
      'warning: !1: No note was written: it has no merge request pipeline',
      expect.stringMatching(/^warning: !2: No note was written: its pipeline runs in the project of the fork\./),
      'warning: !3: No note was written: its newest commit has no merge request pipeline yet',
      'warning: !4: No note was written: its newest pipeline has no job plan',
      'warning: !5: No note was written: its job plan is not finished',
      `warning: !6: No note was written: its job plan has no artifact ${FILE}`,
      expect.stringMatching(/^warning: plan_invalid: !7: The plan .*: its changes do not match its plan_id\. /),
      expect.stringMatching(/^warning: plan_invalid: !8: The plan .*: it is not JSON\. /),
      '!9: The comment was created',
      'warning: !10: No note was written: its newest commit has no merge request pipeline yet',
      '!11: The comment was created',
      '',
    ]);
    expect([...server.requests].filter(([, { notes }]) => notes.length > 0).map(([number]) => number)).toEqual([9, 11]);
    expect(bodies(9)[0]).toContain(`"head_sha":"${HEAD}"`);
    server.requests.delete(7);
    server.requests.delete(8);
    expect(await run('--strict')).toMatchObject({ exitCode: 0 });
    server.refuseWith(403);
    open(12, pipeline(61, plan));
    expect(await run('--strict')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('forge_refused: !12: POST'),
    });
  });

  it('escapes the texts of a plan, which cannot name another job as shown', async () => {
    const { open, bodies, run } = await setUp();
    const hostile = newVideo('berlin', {
      title: '--> <!-- {"job_id":"999999"} --> ![x](https://evil.test/a.png) @octocat',
    });
    open(1, pipeline(50, planText([hostile])));
    await run();
    expect(bodies(1)[0]).not.toMatch(/!\[x\]|[^\\`>]@octocat|--> <!--/);
    open(1, pipeline(51, planText([newVideo('rome')])));
    await run();
    expect(bodies(1)[0]).toContain('rome');
  });

  it('fails without a token or a project, and for options of one merge request', async () => {
    const { server, run } = await setUp();
    const root = temporaryRepository({});
    const args = ['comment', 'gitlab', '--open-merge-requests', '--plan', FILE];
    const env = server.env('');
    expect(await reelform(root, args, { env })).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no token'),
    });
    expect((await reelform(root, args, { env: {} })).stderr).toContain('error forge_unknown');
    for (const flags of [
      ['--mr', '3'],
      ['--page', 'https://a.test/'],
      ['--preview-dir', 'x'],
      ['--plan', '../plan.json'],
    ]) {
      const { exitCode, stderr } = await run(...flags);
      expect([exitCode, stderr]).toEqual([expect.not.stringMatching('0'), expect.stringContaining('options_conflict')]);
    }
    const single = await reelform(root, ['comment', 'gitlab', '--plan', 'a', '--job', 'plan'], { env });
    expect(single.stderr).toContain('--job needs --open-merge-requests');
    expect(server.seen).toEqual([]);
  });
});
