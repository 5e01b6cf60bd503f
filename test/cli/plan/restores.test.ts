import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const LOCK = 'reelform.lock.json';
const CI = '--ignore-missing-outputs';

/** Creates a repository with three rendered videos whose files are missing, as in a fresh clone. */
async function cloned(): Promise<string> {
  const root = makeRepository();
  await applied(root);
  rmSync(join(root, 'renders'), { recursive: true });
  rmSync(join(root, '.reelform'), { recursive: true });
  return root;
}

async function applied(root: string, ...flags: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await reelform(root, ['apply', '--auto-approve', ...flags]);
  if (exitCode !== 0) throw new Error(stderr);
  return stdout;
}

interface PlanJson {
  readonly changes: readonly { id: string; action: string }[];
  readonly summary: Readonly<Record<string, number>>;
  readonly estimate: { renders: number; restores?: { videos: number } };
  readonly diagnostics: readonly unknown[];
}

async function planned(root: string, ...flags: string[]): Promise<PlanJson> {
  return JSON.parse((await reelform(root, ['plan', '--json', ...flags])).stdout) as PlanJson;
}

function urlOf(root: string, id: string): string {
  const { videos } = JSON.parse(readFileSync(join(root, LOCK), 'utf8')) as {
    videos: Record<string, { video_url: string }>;
  };
  return videos[id]!.video_url;
}

describe('restores', () => {
  it('are listed separately from changes and do not count as renders', async () => {
    const root = await cloned();
    writeFileSync(join(root, 'reelform.yaml'), `${CONFIG}max_renders: 1\npolicies: {max_renders: {count: 1}}\n`);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    const { summary, estimate, diagnostics } = await planned(root);
    expect({ summary, estimate, diagnostics }).toMatchObject({
      summary: { update: 1, restore: 2 },
      estimate: { renders: 1, restores: { videos: 2 } },
      diagnostics: [{ code: 'schema_outdated' }],
    });
    const { exitCode, stdout } = await reelform(root, ['plan', '--max-renders', '1']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Plan: 1 to update, 2 unchanged · 1 render, /);
    expect(stdout).toMatch(/\n2 videos to restore, .*\n {2}↻ its video is missing: berlin, oslo\n$/s);
    expect(await applied(root)).toContain('3 rendered, 2 of them restored');
  });

  it('are the only work in a fresh clone and do not change the lockfile', async () => {
    const root = await cloned();
    const lock = readFileSync(join(root, LOCK), 'utf8');
    const { stdout } = await reelform(root, ['plan', '--max-renders', '0']);
    expect(stdout).toMatch(/^No changes\. 3 videos are unchanged\.\n\n3 videos to restore, /);
    expect(await reelform(root, ['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 2 });
    expect(await applied(root, '--max-renders', '0')).toContain('3 rendered, 3 of them restored');
    expect(readFileSync(join(root, LOCK), 'utf8')).toBe(lock);
    expect(await reelform(root, ['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
  });
});

describe('a comment on a pull request', () => {
  it('does not mention a plan that only restores', async () => {
    const root = await cloned();
    await reelform(root, ['pull']);
    writeFileSync(join(root, 'plan.json'), (await reelform(root, ['plan', '--json'])).stdout);
    const { stdout } = await reelform(root, ['comment', 'github', '--plan', 'plan.json', '--dry-run']);
    expect(stdout).toContain('Reelform: this pull request no longer changes any video.');
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    writeFileSync(join(root, 'plan.json'), (await reelform(root, ['plan', '--json'])).stdout);
    const changed = await reelform(root, ['comment', 'github', '--plan', 'plan.json', '--dry-run']);
    expect(changed.stdout).toMatch(/plan: 1 to update, 2 unchanged\n.*<details><summary>2 videos to restore, /s);
  });
});

describe('--ignore-missing-outputs', () => {
  it('lets CI render only changed videos', async () => {
    const root = await cloned();
    expect(await reelform(root, ['plan', CI, '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect((await planned(root, CI)).changes).toMatchObject([{ id: 'rome', action: 'update' }]);
    expect(await applied(root, CI)).toContain('1 rendered in');
    expect(existsSync(join(root, urlOf(root, 'rome')))).toBe(true);
    expect(existsSync(join(root, urlOf(root, 'oslo')))).toBe(false);
    expect((await planned(root, CI)).changes).toEqual([]);
  });

  it('restores a video whose file is needed for a delivery', async () => {
    const root = await cloned();
    writeFileSync(join(root, 'videos/rome.yaml'), `${definition('Rome')}deliver: "file:out/{id}.mp4"\n`);
    expect((await planned(root, CI)).changes).toMatchObject([{ id: 'rome', action: 'restore' }]);
    expect(await applied(root, CI)).toContain('1 rendered, 1 of them restored, 1 delivered');
    expect(existsSync(join(root, 'out/rome.mp4'))).toBe(true);
    expect((await planned(root, CI)).changes).toEqual([]);
  });

  it('is saved in a plan and used wherever it is applied', async () => {
    const root = await cloned();
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Rome').replace('title: Rome', 'title: Roma'));
    expect(await reelform(root, ['plan', CI, '--out', 'plan.json'])).toMatchObject({ exitCode: 0 });
    const { exitCode, stdout } = await reelform(root, ['apply', 'plan.json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining('0 rendered, 1 recorded') });
    expect(existsSync(join(root, 'renders'))).toBe(false);
  });
});
