import { existsSync, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import type { Fingerprint } from '../../../src/reconciler/lock/lock.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

let root: string;

beforeAll(async () => {
  root = makeRepository({ 'videos/shop/bonn.yaml': definition('Bonn') });
  expect(await reelform(root, ['apply', '--auto-approve'])).toMatchObject({ exitCode: 0 });
});

async function listed(...args: string[]): Promise<Record<string, string>> {
  const { exitCode, stdout, stderr } = await reelform(root, ['list', '--json', ...args]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const { videos } = JSON.parse(stdout) as { videos: { id: string; state: string }[] };
  return Object.fromEntries(videos.map(({ id, state }) => [id, state]));
}

describe('reelform list', () => {
  it('selects by id, last part of an id, glob and filter', async () => {
    const all = { berlin: 'up_to_date', oslo: 'up_to_date', rome: 'up_to_date', 'shop/bonn': 'up_to_date' };
    expect(await listed()).toEqual(all);
    expect(Object.keys(await listed('bonn'))).toEqual(['shop/bonn']);
    expect(Object.keys(await listed('shop/bonn', 'r*'))).toEqual(['rome', 'shop/bonn']);
    expect(Object.keys(await listed('--target', '*', '--exclude', 'rome'))).toEqual(['berlin', 'oslo']);
    const { exitCode, stderr } = await reelform(root, ['list', 'bon']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('unknown_video');
    expect(stderr).toContain('Did you mean shop/bonn?');
  });

  it('reports new, changed, missing and removed videos with their URL', async () => {
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    writeFileSync(join(root, 'videos/pisa.yaml'), definition('Pisa'));
    renameSync(join(root, 'videos/oslo.yaml'), join(root, 'oslo.yaml'));
    const file = readdirSync(join(root, 'renders')).find((name) => /^berlin.*mp4$/.test(name))!;
    renameSync(join(root, 'renders', file), join(root, 'berlin.mp4'));
    expect(await listed()).toEqual({
      berlin: 'file_missing',
      oslo: 'no_definition',
      pisa: 'new',
      rome: 'changed',
      'shop/bonn': 'up_to_date',
    });
    const { stdout } = await reelform(root, ['list', 'berlin', 'pisa']);
    expect(stdout).toBe(`berlin  file missing  renders/${file}\npisa    new\n`);
    renameSync(join(root, 'berlin.mp4'), join(root, 'renders', file));
    renameSync(join(root, 'oslo.yaml'), join(root, 'videos/oslo.yaml'));
    rmSync(join(root, 'videos/pisa.yaml'));
  });

  it('prints the diagnostics of a repository with errors', async () => {
    writeFileSync(join(root, 'videos/wrong.yaml'), 'template: small\nresources: {t_99: x}\n');
    const { exitCode, stdout, stderr } = await reelform(root, ['list']);
    rmSync(join(root, 'videos/wrong.yaml'));
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr).toContain('unknown_editable');
  });
});

describe('reelform prune', () => {
  const DAY_MS = 86_400_000;

  async function prunable(...args: string[]): Promise<string[]> {
    const { exitCode, stdout } = await reelform(root, ['prune', '--json', ...args], { now: () => Date.now() });
    expect(exitCode).toBe(0);
    const { files } = JSON.parse(stdout) as { files: { kind: string; path: string }[] };
    return files.filter(({ kind }) => kind !== 'segment').map(({ path }) => path);
  }

  it('lists files of earlier renderings and old previews, and removes them with --yes', async () => {
    const before = readdirSync(join(root, 'renders'));
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma nova'));
    await reelform(root, ['apply', '--auto-approve']);
    await reelform(root, ['render', 'rome', '--frame', '0']);
    const preview = 'renders/looks/rome.frame-0.png';
    const earlier = before.filter((name) => name.startsWith('rome-')).map((name) => `renders/${name}`);
    expect(earlier.length).toBeGreaterThan(0);
    expect(await prunable()).toEqual(earlier.sort());
    const lastWeek = new Date(Date.now() - 8 * DAY_MS);
    utimesSync(join(root, preview), lastWeek, lastWeek);
    expect(await prunable('--older-than', '7d')).toEqual([...earlier, preview]);
    expect(existsSync(join(root, preview))).toBe(true);
    const { stdout } = await reelform(root, ['prune', '--older-than', '7d', '--yes'], { now: () => Date.now() });
    expect(stdout).toContain(`${preview}\n`);
    expect(stdout).toMatch(/Removed \d+ files, /);
    expect([...earlier, preview].filter((path) => existsSync(join(root, path)))).toEqual([]);
    expect(existsSync(join(root, 'renders/looks'))).toBe(false);
    expect((await listed()).rome).toBe('up_to_date');
  });

  it('removes unused segments', async () => {
    const later = { now: () => Date.now() + 40 * DAY_MS };
    const { stdout } = await reelform(root, ['prune', '--json'], later);
    const { files } = JSON.parse(stdout) as { files: { kind: string; path: string }[] };
    const segments = files.filter(({ kind }) => kind === 'segment').map(({ path }) => join(root, path));
    expect(segments.length).toBeGreaterThan(0);
    expect(segments.every(existsSync)).toBe(true);
    await reelform(root, ['prune', '--yes'], later);
    expect(segments.some(existsSync)).toBe(false);
    expect((await reelform(root, ['prune'], later)).stdout).toBe('There is nothing to remove.\n');
  });

  it('keeps files of pending renderings, and everything if the lockfile cannot be read', async () => {
    const pending = 'renders/rome-0123abcd.mp4';
    writeFileSync(join(root, pending), 'x');
    expect(await prunable()).toEqual([pending]);
    const journal = await openJournalFile(join(root, '.reelform/journal.ndjson'), { file: 'journal.ndjson' });
    await journal.begin({
      key: 'k',
      id: 'rome',
      fingerprint: `v1:${'0'.repeat(64)}` as Fingerprint,
      service: 'embedded',
      style_version: 's',
      output_name: 'rome-0123abcd',
      body: '{}',
      run: 'r',
      at: '2026-11-22T09:30:00Z',
    });
    await journal.close();
    expect(await prunable()).toEqual([]);
    writeFileSync(join(root, 'reelform.lock.json'), '{');
    const { exitCode, stderr } = await reelform(root, ['prune', '--yes']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('lock_unreadable');
    expect(existsSync(join(root, pending))).toBe(true);
  });
});
