import { describe, expect, it } from 'vitest';
import { pushPictures } from '../../../src/reconciler/git/image-branch.ts';
import { cloneOf, type GitRepository, newRemote } from '../../support/git-repository.ts';

const DAY = 86_400_000;
const NOON = Date.UTC(2026, 0, 31, 12);

async function repositories(): Promise<{ remote: GitRepository; one: GitRepository; other: GitRepository }> {
  const remote = await newRemote();
  const one = await cloneOf(remote);
  await one.commit({ 'a.txt': 'a' });
  await one.git('push', '--quiet', 'origin', 'main');
  return { remote, one, other: await cloneOf(remote, '--depth=1') };
}

function push({ root }: GitRepository, text: string, options: { now?: number; backOff?: () => Promise<void> } = {}) {
  const { now = NOON, backOff = async () => undefined } = options;
  const pictures = [{ bytes: new TextEncoder().encode(text), ending: 'jpg' as const }];
  return pushPictures(pictures, { root, remote: 'origin', branch: 'looks', keepDays: 30, now: () => now, backOff });
}

async function filesOf(remote: GitRepository): Promise<string[]> {
  return (await remote.git('ls-tree', '-r', '--name-only', 'looks')).split('\n');
}

describe('pushPictures()', () => {
  it('keeps images of other pushes in one commit without parents, and changes nothing else', async () => {
    const { remote, one, other } = await repositories();
    const before = await remote.git('rev-parse', 'main');
    const [first] = await push(one, 'first');
    expect(first).toMatch(/^2026-01-31\/[0-9a-f]{64}\.jpg$/);
    const [second] = await push(other, 'second');
    expect(await filesOf(remote)).toEqual([first, second].sort());
    expect(await remote.git('rev-list', '--count', 'looks')).toBe('1');
    expect(await remote.git('cat-file', 'blob', `looks:${first}`)).toBe('first');
    expect(await remote.git('rev-parse', 'main')).toBe(before);
    expect(await one.git('status', '--porcelain')).toBe('');
    expect(await one.git('branch', '--list', 'looks')).toBe('');
    // An image that exists is not pushed again.
    const tip = await remote.git('rev-parse', 'looks');
    expect(await push(one, 'second')).toEqual([second]);
    expect(await remote.git('rev-parse', 'looks')).toBe(tip);
  });

  it('keeps the images of all racing pushes', async () => {
    const { remote, one, other } = await repositories();
    const paths = (await Promise.all([push(one, 'first'), push(other, 'second'), push(one, 'third')])).flat();
    expect(await filesOf(remote)).toEqual([...paths].sort());
  });

  it('drops images older than the configured number of days', async () => {
    const { remote, one } = await repositories();
    await push(one, 'old', { now: NOON - 31 * DAY });
    const [kept] = await push(one, 'kept', { now: NOON - 30 * DAY });
    const [added] = await push(one, 'new');
    expect(await filesOf(remote)).toEqual([kept, added]);
  });

  it('refuses a branch with other content', async () => {
    const { remote, one } = await repositories();
    await one.git('push', '--quiet', 'origin', 'main:looks');
    await expect(push(one, 'first')).rejects.toMatchObject({ code: 'git_failed' });
    expect(await filesOf(remote)).toEqual(['a.txt']);
  });
});
