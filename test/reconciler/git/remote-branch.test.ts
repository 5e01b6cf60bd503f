import { expect, it } from 'vitest';
import { defaultBranchLock } from '../../../src/reconciler/git/git-journal.ts';
import { serializedFetch } from '../../../src/reconciler/git/remote-branch.ts';
import { fetchCommit } from '../../../src/reconciler/git/revisions.ts';
import { cloneOf, newRemote } from '../../support/git-repository.ts';

it('serializedFetch() runs one operation at a time in a shallow checkout and continues after a failure', async () => {
  const remote = await newRemote();
  const person = await cloneOf(remote);
  await person.commit({ 'a.txt': 'a' });
  await person.git('push', '--quiet', 'origin', 'main');
  const { root } = await cloneOf(remote, '--depth=1');
  const commit = await person.commit({ 'a.txt': 'b' });
  await person.git('push', '--quiet', 'origin', 'main');
  const failed = serializedFetch(root, 'origin', 'refs/heads/none');
  const fetched = Array.from({ length: 3 }, () => [
    serializedFetch(root, 'origin', 'refs/heads/main'),
    fetchCommit(root, 'origin', 'main', commit),
    defaultBranchLock(root, 'origin', 'lock.json'),
  ]);
  await expect(failed).rejects.toMatchObject({ code: 'git_failed' });
  await Promise.all(fetched.flat());
});

it('fetchCommit() fetches a commit that is no longer the tip, into a shallow checkout too', async () => {
  const remote = await newRemote();
  const person = await cloneOf(remote);
  await person.commit({ 'a.txt': 'a' });
  await person.git('push', '--quiet', 'origin', 'main');
  const { root, git } = await cloneOf(remote, '--depth=1');
  const told = await person.commit({ 'a.txt': 'b' });
  await person.commit({ 'a.txt': 'c' });
  await person.git('push', '--quiet', 'origin', 'main');
  await fetchCommit(root, 'origin', 'main', told);
  expect(await git('show', `${told}:a.txt`)).toBe('b');
  expect(await git('rev-parse', '--is-shallow-repository')).toBe('true');
});
