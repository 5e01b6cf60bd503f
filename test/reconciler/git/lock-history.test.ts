import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formerEntries } from '../../../src/reconciler/git/lock-history.ts';
import type { Fingerprint, Lock, LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { runs } from '../../support/full-run.ts';
import {
  cloneOf,
  type GitRepository,
  gitIn,
  makeCommits,
  newRemote,
  newRepository,
} from '../../support/git-repository.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { temporaryRepository, writeFiles } from '../../support/temporary-repository.ts';

const LOCK = 'reelform.lock.json';
const fingerprintOf = (digit: string): Fingerprint => `v1:${digit.repeat(64)}` as Fingerprint;

/** Renderings of later sessions, in alphabetical order, are later. */
const entryOf = (digit: string, session: string): LockEntry => ({
  fingerprint: fingerprintOf(digit),
  title: 'V',
  service: 'https://api.example.com',
  template: 'launch',
  style_version: 'tsv_1',
  inputs: { t_01: '-    "fingerprint": "v1:no"' },
  session,
  video_url: 'https://x.test/v.mp4',
  thumbnails: [],
  rendered_at: `2026-01-01T00:00:00.${(session.charCodeAt(0) - 97) * 30 + 100}Z`,
});

/** @param videos id → digit of its fingerprint */
const lockText = (videos: Readonly<Record<string, string>>, session = 's'): string => {
  const lock: Lock = {
    videos: new Map(Object.entries(videos).map(([id, digit]) => [id, entryOf(digit, session)])),
    extra: {},
  };
  return serialiseLock(lock);
};

const indexOf = ({ root }: Pick<GitRepository, 'root'>): string => join(root, '.reelform/history.idx');
const search = (repository: Pick<GitRepository, 'root'>, digits: readonly string[], indexFile: string | null = null) =>
  formerEntries({
    root: repository.root,
    lockFile: LOCK,
    indexFile,
    fingerprints: new Set(digits.map(fingerprintOf)),
  });

/** Searches without an index, and twice with one, and expects the same result. */
async function look(repository: Pick<GitRepository, 'root'>, ...digits: string[]) {
  const found = await search(repository, digits);
  expect(await search(repository, digits, indexOf(repository))).toEqual(found);
  expect(await search(repository, digits, indexOf(repository))).toEqual(found);
  return found.entries;
}

describe('formerEntries()', () => {
  test('finds the latest version of entries that were replaced or removed, including uncommitted removals', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a', y: 'b' }, 'early') });
    await repository.commit({ [LOCK]: lockText({ x: 'c', y: 'b' }) });
    const commit = await repository.commit({ [LOCK]: lockText({ x: 'c', z: 'a' }, 'late') });
    await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
    await repository.commit({ other: '1' });
    const found = await look(repository, 'a', 'b', 'c', 'd');
    expect(found.get(fingerprintOf('a'))).toEqual({ commit, isMerged: true, id: 'z', entry: entryOf('a', 'late') });
    expect(found.get(fingerprintOf('b'))).toMatchObject({ id: 'y' });
    expect(found.get(fingerprintOf('c'))).toMatchObject({ id: 'x', entry: { session: 's' } });
    expect(found.has(fingerprintOf('d'))).toBe(false);
  });

  test('finds entries that a merge dropped from either side', async () => {
    for (const kept of ['b', 'c']) {
      const repository = await newRepository();
      await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
      await repository.git('checkout', '--quiet', '-b', 'theirs');
      const theirs = await repository.commit({ [LOCK]: lockText({ x: 'b' }) });
      await repository.git('checkout', '--quiet', '-');
      const ours = await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
      await repository.git('merge', '--quiet', '--strategy=ours', '--no-commit', 'theirs');
      await repository.commit({ [LOCK]: lockText({ x: kept }) });
      await repository.commit({ other: '1' });
      const found = await look(repository, 'a', 'b', 'c');
      expect([...found.keys()].sort()).toEqual(['a', 'b', 'c'].map(fingerprintOf));
      expect(found.get(fingerprintOf(kept === 'b' ? 'c' : 'b'))?.commit).toBe(kept === 'b' ? ours : theirs);
    }
  });

  test('searches any number of commits', async () => {
    const repository = await newRepository();
    const first = await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await repository.git('branch', 'first');
    await makeCommits(repository, 300, (index) => lockText({ x: 'b' }, `s${index}`));
    expect((await look(repository, 'a')).get(fingerprintOf('a'))?.commit).toBe(first);
  });

  test('finds the entries of other branches and of remote-tracking branches', async () => {
    const remote = await newRemote();
    const [ours, theirs] = [await cloneOf(remote), await cloneOf(remote)];
    await ours.commit({ [LOCK]: lockText({}) });
    await ours.git('push', '--quiet', 'origin', 'main');
    await theirs.git('pull', '--quiet', 'origin', 'main');
    await theirs.commit({ [LOCK]: lockText({ x: 'a' }) });
    await theirs.git('push', '--quiet', 'origin', 'main');
    expect(await look(ours, 'a')).toEqual(new Map());
    await ours.git('fetch', '--quiet', 'origin');
    expect((await look(ours, 'a')).get(fingerprintOf('a'))).toMatchObject({ id: 'x', isMerged: false });
    await ours.git('checkout', '--quiet', '-b', 'side');
    await ours.commit({ [LOCK]: lockText({ x: 'b' }) });
    await ours.git('checkout', '--quiet', 'main');
    expect((await look(ours, 'a', 'b')).size).toBe(2);
    // An entry of the checked-out branch has precedence over a later one of another branch.
    await ours.commit({ [LOCK]: lockText({ y: 'a' }, 'early') });
    expect((await look(ours, 'a')).get(fingerprintOf('a'))).toMatchObject({ id: 'y', isMerged: true });
  });

  test('finds the entries of other branches while that of HEAD has no commit', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await repository.git('checkout', '--quiet', '--orphan', 'new');
    expect((await look(repository, 'a')).get(fingerprintOf('a'))).toMatchObject({ id: 'x', isMerged: false });
  });

  test('forgets what no branch contains any more', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
    await repository.git('checkout', '--quiet', '-b', 'side');
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    expect((await look(repository, 'a', 'c')).size).toBe(2);
    await repository.git('checkout', '--quiet', 'main');
    await repository.git('branch', '--quiet', '-D', 'side');
    expect([...(await look(repository, 'a', 'c')).keys()]).toEqual([fingerprintOf('c')]);
    await repository.git('reflog', 'expire', '--expire=now', '--all');
    await repository.git('gc', '--quiet', '--prune=now');
    expect([...(await look(repository, 'a', 'c')).keys()]).toEqual([fingerprintOf('c')]);
  });

  test('follows the lockfile when the repository is moved into a folder or merged as a subtree', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await repository.commit({ [LOCK]: lockText({ x: 'b' }) });
    mkdirSync(`${repository.root}/site`);
    await repository.git('mv', LOCK, `site/${LOCK}`);
    await repository.commit({});
    const site = { root: `${repository.root}/site` };
    expect((await look(site, 'a', 'b')).size).toBe(2);

    const house = await newRepository();
    await house.commit({ other: '1' });
    await house.git('fetch', '--quiet', repository.root, 'HEAD:refs/heads/theirs');
    await house.git('merge', '--quiet', '--allow-unrelated-histories', '-s', 'ours', '--no-commit', 'theirs');
    await house.git('read-tree', '--prefix=part/', '-u', 'theirs:site');
    await house.commit({});
    expect((await look({ root: `${house.root}/part` }, 'a', 'b')).size).toBe(2);
  });

  test('prefers the own lockfile to those of other folders', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a', y: 'b' }, 'ours') });
    await repository.commit({ [`sub/${LOCK}`]: lockText({ z: 'a', w: 'c' }, 'theirs'), [LOCK]: lockText({}) });
    await repository.commit({ [`sub/${LOCK}`]: lockText({}) });
    const found = await look(repository, 'a', 'b', 'c');
    const sessions = [...found].map(([fingerprint, { entry }]) => [fingerprint, entry.session]);
    expect(Object.fromEntries(sessions)).toEqual({
      [fingerprintOf('a')]: 'ours',
      [fingerprintOf('b')]: 'ours',
      [fingerprintOf('c')]: 'theirs',
    });
    expect((await look({ root: `${repository.root}/sub` }, 'a')).get(fingerprintOf('a'))?.entry.session).toBe('theirs');
  });

  test('finds the replaced rendering of an unchanged fingerprint, and none that was lost', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a', y: 'b' }, 'early') });
    await repository.commit({ [LOCK]: lockText({ x: 'a', y: 'b' }, 'late') });
    const lost = lockText({ x: 'a', y: 'b' }, 'late').replace(
      '"session": "late",',
      '"session": "late",\n      "lost": true,',
    );
    await repository.commit({ [LOCK]: lost });
    await repository.commit({ [LOCK]: lockText({}) });
    expect((await look(repository, 'a')).get(fingerprintOf('a'))?.entry.session).toBe('early');
  });

  test('tries an earlier entry when one is not accepted', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }, 'early') });
    await repository.commit({ [LOCK]: lockText({ x: 'a' }, 'late') });
    const fingerprints = new Set([fingerprintOf('a')]);
    const accepts = ({ session }: LockEntry): boolean => session === 'early';
    const { entries } = await formerEntries({ ...repository, lockFile: LOCK, indexFile: null, fingerprints, accepts });
    expect(entries.get(fingerprintOf('a'))?.entry.session).toBe('early');
  });

  test('finds entries written in another layout, beside others that look like fingerprints', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: JSON.stringify(JSON.parse(lockText({ x: 'a', y: 'b' }))) });
    await repository.commit({ [LOCK]: lockText({}) });
    expect((await look(repository, 'a', 'b', 'c')).size).toBe(2);
  });

  test('reports a version that names a wanted fingerprint and cannot be read, and no other', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await repository.commit({ [LOCK]: `<<<<<<< ours\n${lockText({ x: 'b' })}` });
    await repository.commit({ [LOCK]: lockText({}) });
    expect([...(await look(repository, 'a', 'b')).keys()]).toEqual([fingerprintOf('a')]);
    expect((await search(repository, ['c'])).gap).toBeNull();
    expect((await search(repository, ['b'])).gap?.message).toMatch(
      /^reelform\.lock\.json of commit \w+ cannot be read$/,
    );
  });

  test('reports a version that is no text: encrypted, or a Git LFS pointer', async () => {
    for (const content of [
      '\0GITCRYPT\0abc',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\n`,
    ]) {
      const repository = await newRepository();
      await repository.commit({ [LOCK]: content });
      await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
      expect((await search(repository, ['a'])).gap).toBeNull();
      expect((await search(repository, ['b'], indexOf(repository))).gap?.message).toContain('cannot be read');
      expect((await search(repository, ['b'], indexOf(repository))).gap?.message).toContain('cannot be read');
    }
  });

  test('finds nothing without git or commits, and reports a shallow clone', async () => {
    const nothing = { entries: new Map(), gap: null };
    expect(await search(gitIn(temporaryRepository({})), ['a'])).toEqual(nothing);
    expect(await search(await newRepository(), ['a'])).toEqual(nothing);
    const remote = await newRemote();
    const clone = await cloneOf(remote);
    await clone.commit({ [LOCK]: lockText({ x: 'a' }) });
    await clone.commit({ [LOCK]: lockText({ x: 'b' }) });
    await clone.git('push', '--quiet', 'origin', 'main');
    expect((await look(clone, 'a')).size).toBe(1);
    const shallow = await cloneOf(remote, '--depth=1');
    const { entries, gap } = await search(shallow, ['a', 'b'], indexOf(shallow));
    expect([...entries.keys()]).toEqual([fingerprintOf('b')]);
    expect(gap?.message).toBe('this clone is shallow');
    expect((await search(shallow, ['b'])).gap).toBeNull();
    expect(existsSync(indexOf(shallow))).toBe(false);
  });

  test('fetches what a partial clone lacks, and reports what its remote does not send', async () => {
    const remote = await newRemote();
    const clone = await cloneOf(remote);
    await clone.commit({ [LOCK]: lockText({ x: 'a' }) });
    await clone.commit({ [LOCK]: lockText({ x: 'b' }) });
    await clone.commit({ [LOCK]: lockText({}) });
    await clone.git('push', '--quiet', 'origin', 'main');
    await remote.git('config', 'uploadpack.allowFilter', 'true');
    await remote.git('config', 'uploadpack.allowAnySHA1InWant', 'true');
    const partial = await newRepository();
    await partial.git('clone', '--quiet', '--filter=blob:none', `file://${remote.root}`, 'clone');
    const own = { root: `${partial.root}/clone` };
    renameSync(remote.root, `${remote.root}.away`);
    const { entries, gap } = await search(own, ['a'], indexOf(own));
    expect([entries.size, gap?.message]).toEqual([0, expect.stringContaining('lacks the content of 2 versions')]);
    expect(existsSync(indexOf(own))).toBe(false);
    renameSync(`${remote.root}.away`, remote.root);
    expect((await look(own, 'a', 'b')).size).toBe(2);
  });
});

describe('the index of the history', () => {
  test('reads only new commits', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    const second = await repository.commit({ [LOCK]: lockText({ x: 'b' }) });
    await look(repository, 'a');
    // The object of an earlier version is not needed any more.
    const blob = await repository.git('rev-parse', `${second}^:${LOCK}`);
    rmSync(join(repository.root, '.git/objects', blob.slice(0, 2), blob.slice(2)));
    await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
    const found = await search(repository, ['b', 'c', 'd'], indexOf(repository));
    expect([...found.entries.keys()].sort()).toEqual(['b', 'c'].map(fingerprintOf));
    expect(found.gap).toBeNull();
    expect((await search(repository, ['b'])).gap?.message).toContain(`git has no object ${blob}`);
  });

  test('is made again if it was modified, cut or is that of another repository', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await look(repository, 'a');
    const sound = readFileSync(indexOf(repository), 'utf8');
    const other = await newRepository();
    await other.commit({ [LOCK]: lockText({ x: 'c' }) });
    await look(other, 'c');
    const damaged = [
      sound.replace('v1:aaaa', 'v1:cccc'),
      sound.slice(0, -1),
      sound.slice(0, 70),
      '',
      '\0',
      readFileSync(indexOf(other), 'utf8'),
    ];
    for (const content of damaged) {
      writeFileSync(indexOf(repository), content);
      const { entries, gap } = await search(repository, ['a', 'c'], indexOf(repository));
      expect([[...entries.keys()], gap]).toEqual([[fingerprintOf('a')], null]);
      expect(readFileSync(indexOf(repository), 'utf8')).toBe(sound);
    }
  });

  test('is made again when git replaces a commit of the history', async () => {
    const repository = await newRepository();
    const first = await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    const second = await repository.commit({ [LOCK]: lockText({ x: 'b' }) });
    expect(await look(repository, 'c')).toEqual(new Map());
    await repository.git('checkout', '--quiet', '--orphan', 'other');
    const other = await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
    await repository.git('checkout', '--quiet', '-B', 'main', second);
    await repository.git('branch', '--quiet', '-D', 'other');
    expect(await look(repository, 'c')).toEqual(new Map());
    await repository.git('replace', first, other);
    expect((await look(repository, 'c')).size).toBe(1);
  });

  test('gives the results of a full search after random commits, merges, moves and removed branches', async () => {
    const random = seededRandom(7);
    const repository = await newRepository();
    const digits = [...'abcdef0123'];
    writeFiles(repository.root, { '.git/info/exclude': '.reelform\n' });
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    for (let step = 0; step < runs(40); step++) {
      const branches = (await repository.git('branch', '--format=%(refname:short)')).split('\n');
      const action = random.pick(['commit', 'commit', 'commit', 'branch', 'switch', 'merge', 'remove', 'amend']);
      const videos = Object.fromEntries(['x', 'y'].map((id) => [id, random.pick(digits)]));
      const file = { [random.pick([LOCK, LOCK, `sub/${LOCK}`])]: lockText(videos, `s${step}`) };
      if (action === 'commit') await repository.commit(file);
      if (action === 'branch') await repository.git('checkout', '--quiet', '-b', `b${step}`);
      if (action === 'switch') await repository.git('checkout', '--quiet', random.pick(branches));
      if (action === 'amend') await repository.git('commit', '--quiet', '--amend', '--allow-empty', '-m', `${step}`);
      if (action === 'merge') {
        const side = random.pick(['ours', 'theirs']);
        await repository.git('merge', '--quiet', '-X', side, '--no-commit', random.pick(branches)).catch(() => '');
        await repository.commit(random.below(2) === 0 ? file : {});
      }
      const current = await repository.git('branch', '--show-current');
      const others = branches.filter((name) => name !== current && name !== 'main');
      if (action === 'remove' && others.length > 0)
        await repository.git('branch', '--quiet', '-D', random.pick(others));
      const found = await search(repository, digits, indexOf(repository));
      expect(found, `step ${step}: ${action}`).toEqual(await search(repository, digits));
    }
  });
});
