import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneOf } from '../../support/git-repository.ts';
import { BOT, type MergeFlow, POST, startMergeFlow } from '../../support/merge-flow.ts';
import { definition } from '../../support/repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

type Texts = Readonly<Record<string, string | null>>;

interface Reviewed {
  readonly number: number;
  merge(): Promise<void>;
}

/** Opens a pull request on the present main, on which the job's account comments with its plan. */
async function review(flow: MergeFlow, texts: Texts): Promise<Reviewed> {
  const pull = flow.github.open({
    pull: { headOwner: 'acme', headBranch: `b${flow.github.issues.length}`, base: 'main' },
  });
  const root = await flow.checkout();
  for (const [id, text] of Object.entries(texts)) {
    const path = join(root, `videos/${id}.yaml`);
    if (text === null) rmSync(path);
    else writeFileSync(path, definition(text, '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'));
  }
  const env = flow.env();
  const { stdout } = await reelform(root, ['plan', '--json'], { env });
  writeFileSync(join(root, 'plan.json'), stdout);
  const args = ['comment', 'github', '--plan', 'plan.json', '--pr', String(pull.number)];
  expect(await reelform(root, args, { env, isLate: true })).toMatchObject({ exitCode: 0 });
  return {
    number: pull.number,
    async merge() {
      pull.pull!.mergedAs = await flow.merge(texts);
      Object.assign(pull, { state: 'closed' });
    },
  };
}

/** Applies main with its whole history, in which merges are found. */
async function applyReviewed(flow: MergeFlow, ...flags: string[]): Promise<Ran> {
  const root = await flow.checkout(await flow.remote.git('rev-parse', 'main'));
  return flow.apply(['--commit=push', '--expect-plan=reviewed', ...flags], { root });
}

describe('apply --expect-plan reviewed', () => {
  it('accepts a plan that was made before another merge was rendered and committed', async () => {
    const flow = await startMergeFlow();
    const first = await review(flow, { berlin: 'Berlin', oslo: 'Oslo' });
    await first.merge();
    // Its comment shows both merges.
    const second = await review(flow, { rome: 'Rome', oslo: 'Oslo, later' });
    expect(await applyReviewed(flow)).toMatchObject({ exitCode: 0 });
    await second.merge();
    const ran = await applyReviewed(flow);
    expect([ran.exitCode, ran.stderr]).toEqual([0, expect.any(String)]);
    expect(Object.keys(await flow.lock())).toEqual(['berlin', 'oslo', 'rome']);
    expect(flow.service.count(POST)).toBe(4);
  });

  it('accepts two pull requests that a merge queue merges together, each reviewed alone', async () => {
    const flow = await startMergeFlow();
    const pulls = [await review(flow, { berlin: 'Berlin' }), await review(flow, { rome: 'Rome' })];
    for (const pull of pulls) await pull.merge();
    expect(await applyReviewed(flow)).toMatchObject({ exitCode: 0 });
    expect(Object.keys(await flow.lock())).toEqual(['berlin', 'rome']);
  });

  it('accepts what earlier merges left over, after thirty commits of which some record rendered videos', async () => {
    const flow = await startMergeFlow();
    const first = await review(flow, { berlin: 'Berlin', rome: 'Rome' });
    await first.merge();
    expect(await applyReviewed(flow, '--target=berlin')).toMatchObject({ exitCode: 0 });
    for (let count = 0; count < 30; count++) await flow.merge({});
    const second = await review(flow, { oslo: 'Oslo' });
    await second.merge();
    expect(await applyReviewed(flow)).toMatchObject({ exitCode: 0 });
    expect(Object.keys(await flow.lock())).toEqual(['berlin', 'oslo', 'rome']);
    expect(flow.service.count(POST)).toBe(3);
  });

  it('names each change that was not approved, and renders nothing', async () => {
    const flow = await startMergeFlow();
    const pull = await review(flow, { berlin: 'Berlin' });
    await pull.merge();
    await flow.merge({ rome: 'Rome' });
    const { exitCode, stderr } = await applyReviewed(flow);
    expect(exitCode).toBe(6);
    expect(stderr).toMatch(/1 change of it is not approved by the comments "plan" of the merged pull requests #1/);
    expect(stderr).toContain('"rome" is not approved: no reviewed plan shows it');
    expect(stderr).not.toContain('"berlin" is not approved');
    expect(flow.service.count(POST)).toBe(0);
  });

  it('does not accept pull requests without a merge into the checked-out commit, outdated comments and strangers', async () => {
    const flow = await startMergeFlow();
    await review(flow, { berlin: 'Berlin' });
    const { number, merge } = await review(flow, { oslo: 'Oslo' });
    const shown = flow.github.comments.filter(({ user }) => user === BOT).map(({ body }) => body);
    flow.github.comment(number, 'stranger', shown[0]!);
    await merge();
    await flow.merge({ berlin: 'Berlin' });
    const refused = await applyReviewed(flow);
    expect(refused).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('"berlin" is not approved') });
    expect(refused.stderr).not.toContain('"oslo" is not approved');
    // A later plan of the pull request replaces what its comment showed before.
    flow.github.comment(number, BOT, shown[0]!);
    expect((await applyReviewed(flow)).stderr).toContain('"oslo" is not approved');
    const { root } = await cloneOf(flow.remote, '--depth=1');
    const shallow = await flow.apply(['--expect-plan=reviewed'], { root });
    expect(shallow.stderr).toContain('Check out the whole history (fetch-depth: 0)');
    expect(flow.service.count(POST)).toBe(0);
  });
});
