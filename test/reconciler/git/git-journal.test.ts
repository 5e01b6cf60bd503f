import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fetchedJournal, openGitJournal } from '../../../src/reconciler/git/git-journal.ts';
import { JOURNAL_HEADER, type JournalRecord, journalLine } from '../../../src/reconciler/lock/journal.ts';
import { emptyLock, type Lock } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import type { SharedJournal } from '../../../src/reconciler/lock/shared-journal.ts';
import { cloneOf, type GitRepository, newRemote } from '../../support/git-repository.ts';
import { entryOf, intent } from '../lock/journal-arbitrary.ts';

const BRANCH = 'reelform-journal';
const at = '2026-01-01T00:00:00.000Z';
const created = (key: string): JournalRecord => ({ type: 'created', key, session: `s-${key}`, at });
const rendered = (key: string): JournalRecord => ({
  type: 'rendered',
  key,
  rendering: { session: `s-${key}`, video_url: 'https://x.test/v.mp4', thumbnails: [], rendered_at: at },
  at,
});

let marks = 0;
function open(
  clone: GitRepository,
  options: { branch?: string; root?: string; pauses?: number[] } = {},
): Promise<SharedJournal> {
  return openGitJournal({
    root: options.root ?? clone.root,
    remote: 'origin',
    branch: options.branch ?? BRANCH,
    lockFile: 'reelform.lock.json',
    wait: async (milliseconds) => void options.pauses?.push(milliseconds),
    random: () => 0.5,
    newMark: () => `mark-${marks++}`,
  });
}

const tipOf = (remote: GitRepository): Promise<string> => remote.git('rev-parse', BRANCH);
const linesOf = async (remote: GitRepository): Promise<JournalRecord[]> =>
  (await remote.git('show', `${BRANCH}:journal.ndjson`))
    .split('\n')
    .slice(1)
    .map((line) => (JSON.parse(line) as { record: JournalRecord }).record);

const lockWith = (digit: string): Lock => ({ ...emptyLock, videos: new Map([['v', entryOf(digit)]]) });

/** Creates a remote with one commit on main. */
async function remoteWith(files: Readonly<Record<string, string>>): Promise<GitRepository> {
  const remote = await newRemote();
  const clone = await cloneOf(remote);
  await clone.commit(files);
  await clone.git('push', '--quiet', 'origin', 'main');
  return remote;
}

describe('openGitJournal()', () => {
  test('works in a shallow checkout without its branch, and changes no work tree, index or branch', async () => {
    const remote = await remoteWith({ a: '1' });
    await (await cloneOf(remote)).commit({ a: '2' });
    const clone = await cloneOf(remote, '--depth=1');
    const journal = await open(clone);
    expect(journal.state.attempts.size).toBe(0);
    expect(await journal.begin(intent('k'))).toBeNull();
    await journal.append(created('k'));
    expect((await open(await cloneOf(remote))).state).toEqual(journal.state);
    expect(await clone.git('status', '--porcelain')).toBe('');
    expect(await clone.git('branch', '--list')).toBe('* main');
    expect(await clone.git('rev-parse', '--is-shallow-repository')).toBe('true');
    expect(await remote.git('log', '--format=%an %P', BRANCH)).toBe('Reelform ');
  });

  test('refuses a branch with other content and leaves it unchanged', async () => {
    const remote = await remoteWith({ a: '1' });
    const before = await remote.git('rev-parse', 'main');
    await expect(open(await cloneOf(remote), { branch: 'main' })).rejects.toMatchObject({ code: 'journal_unreadable' });
    expect(await remote.git('rev-parse', 'main')).toBe(before);
  });

  test.each([
    ['damage', `${JOURNAL_HEADER}x\n`],
    ['a torn last line, which a push never leaves', JOURNAL_HEADER + journalLine(created('k')).slice(0, -5)],
    ['an empty file', ''],
  ])('refuses %s', async (_, text) => {
    const remote = await remoteWith({ a: '1' });
    const clone = await cloneOf(remote);
    await clone.git('switch', '--quiet', '--orphan', BRANCH);
    await clone.commit({ 'journal.ndjson': text });
    await clone.git('push', '--quiet', 'origin', BRANCH);
    await expect(open(clone)).rejects.toMatchObject({ code: 'journal_unreadable' });
  });

  test.each(['--upload-pack=x', 'nowhere'])('reports the remote %j', async (remote) => {
    const clone = await cloneOf(await remoteWith({ a: '1' }));
    const options = { root: clone.root, remote, branch: BRANCH, lockFile: 'x' };
    const world = { wait: async () => undefined, random: () => 0, newMark: () => 'm' };
    await expect(openGitJournal({ ...options, ...world })).rejects.toMatchObject({ code: 'git_failed' });
  });
});

describe('SharedJournal', () => {
  test('begin() lets one of several racing runs claim a fingerprint and gives the others its attempt', async () => {
    const remote = await remoteWith({ a: '1' });
    const clones = await Promise.all([1, 2, 3].map(() => cloneOf(remote)));
    const journals = await Promise.all(clones.map((clone) => open(clone)));
    const answers = await Promise.all(
      journals.flatMap((journal, run) => ['a', 'b'].map((digit) => journal.begin(intent(`${digit}${run}`, digit)))),
    );
    for (const index of [0, 1]) {
      const mine = answers.filter((_, place) => place % 2 === index);
      expect(mine.filter((answer) => answer === null)).toHaveLength(1);
      expect(new Set(mine.filter((answer) => answer !== null).map((answer) => answer.intent.key)).size).toBe(1);
    }
    expect(await linesOf(remote)).toHaveLength(2);
  });

  test('begin() lets one of several racing runs use the permission to retry', async () => {
    const remote = await remoteWith({ a: '1' });
    const first = await open(await cloneOf(remote));
    await first.begin(intent('k'));
    await first.append({ type: 'retry', key: 'k', at });
    const others = await Promise.all([1, 2, 3].map(async () => open(await cloneOf(remote))));
    const answers = await Promise.all(
      others.map((journal, run) => journal.begin({ ...intent('k'), run: `run-${run}` })),
    );
    expect(answers.filter((answer) => answer === null)).toHaveLength(1);
  });

  test('combines calls made during a push into the next one', async () => {
    const remote = await remoteWith({ a: '1' });
    const pushes = join(remote.root, 'pushes');
    writeFileSync(join(remote.root, 'hooks/post-receive'), `#!/bin/sh\necho push >> ${pushes}\n`);
    chmodSync(join(remote.root, 'hooks/post-receive'), 0o755);
    const journal = await open(await cloneOf(remote));
    await Promise.all(Array.from({ length: 30 }, (_, index) => journal.append(created(`k${index}`))));
    expect(await linesOf(remote)).toHaveLength(30);
    expect(readFileSync(pushes, 'utf8')).toBe('push\n');
  });

  test('refresh() reads lines of other runs, and close() waits for pending writes', async () => {
    const remote = await remoteWith({ a: '1' });
    const [mine, theirs] = [await open(await cloneOf(remote)), await open(await cloneOf(remote))];
    void theirs.begin(intent('k'));
    await theirs.close();
    expect(mine.state.attempts.size).toBe(0);
    await mine.refresh();
    expect(mine.state).toEqual(theirs.state);
  });

  test('recognises its own lines if the answer of a push is lost and another run wrote after it', async () => {
    const remote = await remoteWith({ a: '1' });
    const journal = await open(await cloneOf(remote));
    await journal.begin(intent('a', 'a'));
    // Accepts the push, lets another push follow, and dies before it answers.
    const hook = join(remote.root, 'hooks/post-receive');
    const next = Buffer.from(journalLine(created('other'))).toString('base64');
    writeFileSync(
      hook,
      `#!/bin/sh
rm "$0"
unset GIT_QUARANTINE_PATH
blob=$( (git show ${BRANCH}:journal.ndjson; echo ${next} | base64 -d) | git hash-object -w --stdin)
tree=$(printf '100644 blob %s\\tjournal.ndjson\\n' $blob | git mktree)
git update-ref refs/heads/${BRANCH} $(GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x git commit-tree -m other $tree)
kill -9 $PPID
`,
    );
    chmodSync(hook, 0o755);
    expect(await journal.begin(intent('b', 'b'))).toBeNull();
    const lines = await linesOf(remote);
    expect(lines.map((line) => [line.type, 'key' in line && line.key])).toEqual([
      ['intent', 'a'],
      ['intent', 'b'],
      ['created', 'other'],
    ]);
  });

  test('reports the reason and claims nothing if the remote refuses every push', async () => {
    const remote = await remoteWith({ a: '1' });
    writeFileSync(join(remote.root, 'hooks/pre-receive'), '#!/bin/sh\necho "read-only for you" >&2\nexit 1\n');
    chmodSync(join(remote.root, 'hooks/pre-receive'), 0o755);
    const pauses: number[] = [];
    const journal = await open(await cloneOf(remote), { pauses });
    await expect(journal.begin(intent('k'))).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('read-only for you'),
    });
    expect(journal.state.attempts.size).toBe(0);
    expect(pauses).toEqual([50, 100, 200, 400]);
  });

  test('compact() drops attempts recorded on the default branch and keeps those of a pull request', async () => {
    const remote = await remoteWith({ 'videos/reelform.lock.json': serialiseLock(lockWith('a')) });
    const clone = await cloneOf(remote, '--depth=1');
    const journal = await open(clone, { root: join(clone.root, 'videos') });
    for (const digit of ['a', 'b', 'c', 'd']) await journal.begin(intent(digit, digit));
    await journal.append(rendered('a'));
    await journal.append(rendered('b'));
    await journal.append({ type: 'failed', key: 'c', at });
    await journal.compact();
    expect([...journal.state.attempts.keys()]).toEqual(['b', 'd']);
    // Merges the pull request.
    const person = await cloneOf(remote);
    await person.commit({ 'videos/reelform.lock.json': serialiseLock(lockWith('b')) });
    await person.git('push', '--quiet', 'origin', 'main');
    await journal.compact();
    expect([...journal.state.attempts.keys()]).toEqual(['d']);
    expect((await open(person)).state).toEqual(journal.state);
    expect(await clone.git('rev-parse', '--is-shallow-repository')).toBe('true');
  });

  test('compact() writes nothing if there is nothing to drop', async () => {
    const remote = await remoteWith({ a: '1' });
    const journal = await open(await cloneOf(remote));
    await journal.compact();
    await journal.begin(intent('k'));
    const before = await tipOf(remote);
    await journal.compact();
    expect(await tipOf(remote)).toBe(before);
  });
});

describe('fetchedJournal()', () => {
  test('returns the branch as last fetched, without contacting the remote', async () => {
    const remote = await remoteWith({ a: '1' });
    const writer = await open(await cloneOf(remote));
    await writer.append({ type: 'intent', ...intent('k') });
    const clone = await cloneOf(remote);
    await writer.append(created('k'));
    await clone.git('remote', 'set-url', 'origin', '/nowhere');
    const place = { root: clone.root, remote: 'origin', branch: BRANCH };
    expect([...(await fetchedJournal(place))!.attempts.values()]).toMatchObject([{ state: 'sending' }]);
    expect(await fetchedJournal({ ...place, branch: 'other' })).toBeNull();
    await expect(fetchedJournal({ ...place, branch: 'main' })).rejects.toMatchObject({ code: 'journal_unreadable' });
  });
});
