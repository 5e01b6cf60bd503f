import { describe, expect, it } from 'vitest';
import { cloneOf } from '../../support/git-repository.ts';
import { POST, startMergeFlow } from '../../support/merge-flow.ts';
import { definition } from '../../support/repository.ts';

/** The image makes the video one of the strange template's, and is nothing that is fetched. */
const PHOTO = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';

describe('what was rendered for a pull request', () => {
  it('is adopted when that is merged by squash, from the journal on a branch: only what failed is rendered', async () => {
    const flow = await startMergeFlow({ journal: true });
    const change = await cloneOf(flow.remote);
    await change.git('checkout', '--quiet', '-b', 'change');
    await change.commit({ 'videos/berlin.yaml': definition('Berlin', PHOTO) }, 'First try');
    const files = {
      'videos/berlin.yaml': definition('Berlin!', PHOTO),
      'videos/oslo.yaml': definition('Oslo', PHOTO),
      'videos/rome.yaml': definition('Rome', PHOTO),
    };
    const head = await change.commit(files, 'Second try');
    await change.git('push', '--quiet', 'origin', 'change');
    // The job of the pull request: its checkout and its lockfile go with the machine.
    Object.defineProperty(flow.service, 'end', {
      get: () => (flow.service.count(POST) === 2 ? { status: 'failed', errors: [] } : {}),
      configurable: true,
    });
    const root = await flow.checkout(head);
    expect(await flow.apply(['--concurrency=1'], { root })).toMatchObject({ exitCode: 4 });
    expect([flow.service.count(POST), await flow.lock()]).toEqual([3, {}]);
    Object.defineProperty(flow.service, 'end', { value: {} });

    const person = await cloneOf(flow.remote);
    await person.git('merge', '--quiet', '--squash', 'origin/change');
    const squashed = await person.commit({}, 'Berlin, Oslo, Rome (#7)');
    await person.git('push', '--quiet', 'origin', 'main');
    await flow.remote.git('branch', '-D', 'change');
    expect(await flow.remote.git('rev-list', squashed)).not.toContain(head);

    const merged = await flow.apply(['--commit=push']);
    expect(merged).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('1 rendered, 2 recorded') });
    expect(flow.service.count(POST)).toBe(4);
    const sessions = Object.entries(await flow.lock()).map(([id, { session }]) => [id, session]);
    expect(sessions).toEqual([
      ['berlin', 'session-1'],
      ['oslo', 'session-4'],
      ['rome', 'session-3'],
    ]);
    // What is on the branch leaves the journal, and is looked for in the lockfile from now on.
    expect(await flow.remote.git('show', 'reelform-journal:journal.ndjson')).not.toContain('"rendered"');
    expect(await flow.apply(['--commit=push'])).toMatchObject({ exitCode: 0 });
    expect([flow.service.count(POST), await flow.lockCommits()]).toEqual([4, 1]);
  });
});
