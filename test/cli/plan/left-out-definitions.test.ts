import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitIn } from '../../support/git-repository.ts';
import { type MergeFlow, POST, startMergeFlow } from '../../support/merge-flow.ts';
import { definition } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const PHOTO = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';
const CODE = 'definitions_left_out';

/** Three rendered videos, and a checkout that leaves out one of them. */
async function sparseCheckout(): Promise<{ flow: MergeFlow; root: string }> {
  const flow = await startMergeFlow();
  await flow.merge({ berlin: 'Berlin', oslo: 'Oslo', rome: 'Rome' });
  expect(await flow.apply(['--commit=push'], { forge: 'git' })).toMatchObject({ exitCode: 0 });
  return { flow, root: await leaveOut(await flow.checkout(), 'oslo') };
}

async function leaveOut(root: string, id: string): Promise<string> {
  await gitIn(root).git('sparse-checkout', 'set', '--no-cone', '/*', `!/videos/${id}.yaml`);
  return root;
}

const planOf = async (root: string, ...flags: string[]) => {
  const { stdout } = await reelform(root, ['plan', '--json', '--no-lint', ...flags]);
  const { complete, changes, diagnostics } = JSON.parse(stdout) as {
    complete: boolean;
    changes: { id: string; action: string }[];
    diagnostics: { code: string; severity: string; message: string }[];
  };
  return {
    complete,
    changes: changes.map(({ id, action }) => `${action} ${id}`),
    codes: diagnostics.map(({ code, severity }) => `${severity} ${code}`),
  };
};

describe('a definition that a sparse checkout leaves out', () => {
  it('is reported and keeps its entry, with and without the plan cache', async () => {
    const { root } = await sparseCheckout();
    const kept = { complete: false, changes: [], codes: [`warning ${CODE}`] };
    for (const flags of [[], [], ['--no-cache']]) expect(await planOf(root, ...flags)).toEqual(kept);
    const { stdout, stderr } = await reelform(root, ['plan']);
    expect(stderr).toContain('Git leaves 1 definition out of this checkout');
    expect(stderr).toContain('videos/oslo.yaml');
    expect(stdout).toContain('2 videos are up to date.\nPartial plan: not all videos were compared.');
    await gitIn(root).git('sparse-checkout', 'disable');
    for (const flags of [[], ['--no-cache']]) {
      expect(await planOf(root, ...flags)).toEqual({ complete: true, changes: [], codes: [] });
    }
  });

  it('is not mistaken for a moved one', async () => {
    const { root } = await sparseCheckout();
    writeFileSync(join(root, 'videos/copy.yaml'), definition('Oslo', PHOTO));
    renameSync(join(root, 'videos/rome.yaml'), join(root, 'videos/roma.yaml'));
    expect(await planOf(root)).toMatchObject({ changes: ['adopt copy', 'adopt roma'] });
  });

  it('is reported if all are left out, and if it has no entry yet', async () => {
    const { flow, root } = await sparseCheckout();
    await gitIn(root).git('sparse-checkout', 'set', '--no-cone', '/*', '!/videos/');
    expect(await planOf(root)).toMatchObject({ changes: [], codes: ['warning no_videos', `warning ${CODE}`] });
    await flow.merge({ paris: 'Paris' });
    const other = await leaveOut(await flow.checkout(), 'paris');
    expect(await planOf(other)).toMatchObject({ changes: [], codes: [`warning ${CODE}`] });
  });

  it('stays in the lockfile of the branch when another video is rendered', async () => {
    const { flow } = await sparseCheckout();
    await flow.merge({ berlin: 'Berlin, later' });
    const root = await leaveOut(await flow.checkout(), 'oslo');
    expect(await flow.apply(['--commit=push'], { root, forge: 'git' })).toMatchObject({ exitCode: 0 });
    expect(Object.keys(await flow.lock())).toEqual(['berlin', 'oslo', 'rome']);
    expect(flow.service.count(POST)).toBe(4);
  });

  it('is left out by its mark alone, and forgotten once git has removed it', async () => {
    const { flow } = await sparseCheckout();
    const root = await flow.checkout();
    await gitIn(root).git('update-index', '--skip-worktree', 'videos/oslo.yaml');
    await gitIn(root).git('rm', '--quiet', '--force', 'videos/rome.yaml');
    expect(await planOf(root)).toMatchObject({ changes: ['forget rome'], codes: [] });
    renameSync(join(root, 'videos/oslo.yaml'), join(root, 'oslo.aside'));
    expect(await planOf(root)).toMatchObject({ changes: [], codes: [`warning ${CODE}`] });
  });
});
