import { describe, expect, it, onTestFinished } from 'vitest';
import { branchName } from '../../../src/cli/arguments.ts';
import { pullBranchName } from '../../../src/cli/commit/commit-options.ts';
import { PullLockBranch } from '../../../src/cli/commit/github-lock-branch.ts';
import { openGitHub } from '../../../src/cli/forge/github/github.ts';
import type { Fingerprint, Lock } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { LockPublisher, type Published } from '../../../src/reconciler/lock/publish-lock.ts';
import { cloneOf, type GitRepository, newRemote } from '../../support/git-repository.ts';
import { type GitHubFault, type GitHubServer, startGitHub } from '../../support/github-server.ts';
import { lockOf } from '../../support/lock-branches.ts';

const FILE = 'reelform.lock.json';
const BRANCH = 'reelform/lock';
const USERS = { bot: { login: 'github-actions[bot]', rights: 'write' } } as const;
const SWAP = 'GraphQL updateRefs';

/** Versions of renderings by id. */
type Versions = Readonly<Record<string, number>>;

const locked = (versions: Versions): Lock => lockOf(new Map(Object.entries(versions)));

interface Place {
  readonly remote: GitRepository;
  readonly person: GitRepository;
  readonly server: GitHubServer;
  /** Returns the branch of a run that wants and has these videos. */
  branch(wanted: Versions, name?: string): PullLockBranch;
  publish(wanted: Versions, base?: Versions): Promise<Published>;
  /** Returns the versions on a branch, by id. */
  read(branch?: string): Promise<Versions>;
  /** Commits to main as another user. */
  push(versions: Versions): Promise<string>;
}

async function newPlace(start: Versions = {}): Promise<Place> {
  const remote = await newRemote();
  const person = await cloneOf(remote);
  const server = await startGitHub({ users: USERS, remote });
  onTestFinished(() => server.close());
  // A clock that never waits.
  const clock = { now: Date.now, wait: async () => {}, random: () => 0.5 };
  const github = openGitHub(server, 'bot', clock);
  const place: Place = {
    remote,
    person,
    server,
    branch(wanted, name = BRANCH) {
      const entries = [...locked(wanted).videos].map(([id, { fingerprint }]) => [id, fingerprint] as const);
      return new PullLockBranch({
        github,
        branch: name,
        target: 'main',
        path: FILE,
        wanted: new Map<string, Fingerprint>(entries),
      });
    },
    publish(wanted, base = start) {
      const options = { branch: place.branch(wanted), file: FILE, present: async () => null, wait: clock.wait };
      return new LockPublisher({ ...options, random: clock.random }, locked(base)).publish(locked(wanted));
    },
    async read(branch = BRANCH) {
      const { videos } = JSON.parse(await remote.git('show', `${branch}:${FILE}`)) as {
        videos: Record<string, { session: string }>;
      };
      return Object.fromEntries(
        Object.entries(videos).map(([id, { session }]) => [id, Number(/\d+$/.exec(session)![0])]),
      );
    },
    async push(versions) {
      const commit = await person.commit({ [FILE]: serialiseLock(locked(versions)) });
      await person.git('push', '--quiet', 'origin', 'HEAD:main');
      return commit;
    },
  };
  await place.push(start);
  return place;
}

/** Whether git can merge the branch into main without conflicts. */
async function isMergeable({ remote }: Place): Promise<boolean> {
  return remote.git('merge-tree', '--write-tree', 'main', BRANCH).then(
    () => true,
    () => false,
  );
}

describe('the pull request of the lockfile', () => {
  it("has one commit on the tip, which is rebuilt with all waiting entries when the target's lockfile changes", async () => {
    const place = await newPlace({ m: 1 });
    expect(await place.publish({ m: 1, n: 1 })).toMatchObject({
      kind: 'committed',
      pull: expect.stringMatching(/pull\/1$/),
    });
    const tip = await place.push({ m: 1, nn: 1 });
    expect(await isMergeable(place)).toBe(false);
    // A run without new entries repairs it as well.
    const mended = await place.publish({ m: 1, n: 1, nn: 1 }, { m: 1, nn: 1 });
    expect(mended).toMatchObject({ kind: 'committed', change: { recorded: [] } });
    expect(await isMergeable(place)).toBe(true);
    expect(await place.read()).toEqual({ m: 1, n: 1, nn: 1 });
    expect(await place.remote.git('rev-list', '--parents', '-1', BRANCH)).toMatch(new RegExp(` ${tip}$`));
    expect(place.server.issues).toMatchObject([{ state: 'open', title: 'Record 1 rendered video' }]);
    // A change outside the lockfile needs no new commit.
    await place.person.commit({ 'a.txt': 'a' });
    await place.person.git('push', '--quiet', 'origin', 'HEAD:main');
    expect(await place.publish({ m: 1, n: 1, nn: 1 }, { m: 1, nn: 1 })).toMatchObject({
      kind: 'unchanged',
      pull: expect.stringMatching(/pull\/1$/),
    });
    // Main has recorded the same, so nothing is left.
    await place.push({ m: 1, n: 1, nn: 1 });
    expect(await place.publish({ m: 1, n: 1, nn: 1 }, { m: 1, n: 1, nn: 1 })).toMatchObject({ kind: 'closed' });
    expect(place.server.issues).toMatchObject([{ state: 'closed' }]);
  });

  it('keeps entries of other runs that opened it at the same time, however many', async () => {
    const place = await newPlace();
    const [first, second] = [place.branch({ a: 1, b: 1 }), place.branch({ a: 1, b: 1 })];
    await first.read();
    await second.read();
    expect(await second.write(serialiseLock(locked({ b: 1 })))).toMatchObject({ kind: 'committed' });
    expect(await first.write(serialiseLock(locked({ a: 1 })))).toEqual({ kind: 'moved' });
    const ids = ['c', 'd'];
    const all = Object.fromEntries(['b', ...ids].map((id) => [id, 1]));
    const own = ids.map((id) => {
      const options = { branch: place.branch(all), file: FILE, present: async () => null };
      // Each run waits for a different time, as on different machines.
      const wait = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
      return new LockPublisher({ ...options, wait, random: Math.random }, locked({})).publish(locked({ [id]: 1 }));
    });
    expect((await Promise.all(own)).map(({ kind }) => kind)).toEqual(ids.map(() => 'committed'));
    expect(await place.read()).toEqual(all);
    expect(place.server.issues).toHaveLength(1);
    expect(await place.remote.git('rev-list', '--count', `main..${BRANCH}`)).toBe('1');
  });

  it('is opened by the next run if this one ended before, with the entries waiting in its branch', async () => {
    const place = await newPlace();
    place.server.force('POST pulls', { kind: 'answer', status: 502 }, { kind: 'answer', status: 502 });
    await expect(place.publish({ a: 1 })).rejects.toMatchObject({ status: 502 });
    expect(place.server.issues).toEqual([]);
    expect((await place.branch({ a: 1, b: 1 }).waiting())?.lock.videos.has('a')).toBe(true);
    expect(await place.publish({ a: 1, b: 1 }, { a: 1 })).toMatchObject({ change: { recorded: ['b'] } });
    expect(place.server.issues).toMatchObject([{ state: 'open', title: 'Record 2 rendered videos' }]);
    // Merged by squash: the old branch remains, but none of it is restored.
    place.server.issues[0]!.state = 'closed';
    await place.push({ a: 1, b: 1 });
    expect(await place.publish({ a: 2, b: 1 }, { a: 1, b: 1 })).toMatchObject({ change: { recorded: ['a'] } });
    expect([await place.read(), place.server.issues.length]).toEqual([{ a: 2, b: 1 }, 2]);
  });

  it('reports a refusal, and the next run completes the work', async () => {
    const place = await newPlace();
    const refusals: [string, Extract<GitHubFault, { kind: 'answer' }>, object][] = [
      ['GET pulls', { kind: 'answer', status: 410 }, { code: 'forge_refused', status: 410 }],
      ['GET pulls', { kind: 'answer', status: 429, headers: { 'retry-after': '3600' } }, { code: 'forge_limited' }],
      ['POST git/trees', { kind: 'answer', status: 403 }, { hint: expect.stringContaining('permissions') }],
      ['POST git/commits', { kind: 'answer', status: 404 }, { code: 'forge_refused', status: 404 }],
      [SWAP, { kind: 'answer', status: 403 }, { code: 'forge_refused', status: 403 }],
      ['POST pulls', { kind: 'answer', status: 422, body: { message: 'No' } }, { code: 'forge_refused', status: 422 }],
      ['POST pulls', { kind: 'answer', status: 403 }, { hint: expect.stringContaining('pull-requests: write') }],
    ];
    for (const [route, fault, error] of refusals) {
      place.server.force(route, fault);
      await expect(place.publish({ a: 1 }), route).rejects.toMatchObject(error);
    }
    place.server.protectedBranches.set(BRANCH, 'ruleset');
    const forced = { code: 'commit_refused', hint: expect.stringContaining('--commit-branch') };
    await expect(place.publish({ a: 2 })).rejects.toMatchObject(forced);
    place.server.protectedBranches.clear();
    expect(await place.publish({ a: 1 })).toMatchObject({ kind: 'committed' });
    expect([await place.read(), place.server.issues.length]).toEqual([{ a: 1 }, 1]);
  });

  it('tolerates lost responses and temporary limits', async () => {
    const place = await newPlace();
    const limit: GitHubFault = {
      kind: 'answer',
      status: 403,
      body: { message: 'secondary rate limit' },
      headers: { 'retry-after': '1' },
    };
    for (const route of ['POST git/trees', 'POST git/commits', SWAP, 'POST pulls']) {
      place.server.force(route, limit, { kind: 'cut', afterDoing: true });
    }
    expect(await place.publish({ a: 1 })).toMatchObject({ kind: 'committed', pull: expect.stringMatching(/pull\/1$/) });
    expect([await place.read(), place.server.issues.length]).toEqual([{ a: 1 }, 1]);
  });

  it('never overwrites an unreadable lockfile, except on its own branch', async () => {
    const place = await newPlace({ a: 1 });
    expect(await place.publish({ a: 1, b: 1 })).toMatchObject({ kind: 'committed' });
    const own = place.branch({});
    await own.read();
    expect(await own.write('{')).toMatchObject({ kind: 'committed' });
    expect(await place.publish({ a: 1, b: 1 })).toMatchObject({ kind: 'committed' });
    expect(await place.read()).toEqual({ a: 1, b: 1 });
    await place.person.commit({ [FILE]: '{' });
    await place.person.git('push', '--quiet', 'origin', 'HEAD:main');
    await expect(place.publish({ a: 1, b: 1 })).rejects.toMatchObject({ code: 'lock_unreadable' });
    expect(await place.read()).toEqual({ a: 1, b: 1 });
  });

  it('never uses the pull request of another branch or a fork', async () => {
    const place = await newPlace();
    const fork = place.server.open({
      pull: { headOwner: 'stranger', headBranch: BRANCH, headSha: 'f'.repeat(40), base: 'main' },
    });
    expect(await place.publish({ a: 1 })).toMatchObject({ kind: 'committed', pull: expect.stringMatching(/pull\/2$/) });
    expect(fork).toMatchObject({ title: 'Title', state: 'open' });
    place.server.issues[1]!.pull = { headOwner: 'acme', headBranch: BRANCH, base: 'release' };
    await expect(place.publish({ a: 2 })).rejects.toMatchObject({
      code: 'commit_refused',
      hint: expect.stringContaining('--commit-branch'),
    });
    expect(await place.read()).toEqual({ a: 1 });
  });
});

describe('commitBranchOf()', () => {
  it('returns a distinct branch for each folder', () => {
    const paths = [FILE, `shop/${FILE}`, `shop/videos/${FILE}`, `shop+videos/${FILE}`, `Läden & mehr/.x.lock/${FILE}`];
    const names = paths.map(pullBranchName);
    expect(names.slice(0, 3)).toEqual(['reelform/lock', 'reelform/lock-shop', 'reelform/lock-shop+videos']);
    expect(new Set(names).size).toBe(paths.length);
    for (const name of names) expect(branchName(name)).toBe(name);
  });

  it('accepts exactly the names that git accepts', async () => {
    const { person } = await newPlace();
    const isTaken = (name: string): Promise<boolean> =>
      person.git('check-ref-format', `refs/heads/${name}`).then(
        () => true,
        () => false,
      );
    const bad = ['a b', 'a..b', 'a~1', 'a:b', 'a*', 'a\\b', '/a', 'a/', 'a//b', 'a/.b', 'a.lock/b', 'a.', 'a@{b', ''];
    for (const name of bad) {
      expect(await isTaken(name), name).toBe(false);
      expect(() => branchName(name), name).toThrow('not a valid branch name');
    }
    for (const name of ['-a', '@', 'HEAD']) expect(() => branchName(name), name).toThrow('not a valid branch name');
    for (const name of ['release/lock', 'a@b', 'ä', 'a+b%20']) {
      expect(await isTaken(name), name).toBe(true);
      expect(branchName(name)).toBe(name);
    }
  });
});
