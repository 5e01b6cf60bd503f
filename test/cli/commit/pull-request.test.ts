import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cloneOf, type GitRepository, gitIn, newRemote } from '../../support/git-repository.ts';
import { APP, APP_TOKEN, BOT, LOCK, POST, startMergeFlow } from '../../support/merge-flow.ts';
import { CONFIG, definition } from '../../support/repository.ts';
import { startS3Server } from '../../support/s3-server.ts';
import { smallPackageFiles } from '../../support/small-package.ts';
import { writeFiles } from '../../support/temporary-repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const SWAP = 'GraphQL updateRefs';
/** Satisfies the required image of the service's template. The URL is never fetched. */
const PHOTO = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';

describe('apply --commit=pr', () => {
  it('keeps one pull request up to date, renders nothing twice, and closes it when nothing is left', async () => {
    const flow = await startMergeFlow();
    const { github } = flow;
    github.protectedBranches.set('main', 'ruleset');
    await flow.merge({ berlin: 'Berlin' });
    expect(await flow.apply(['--commit=pr'])).toMatchObject({ exitCode: 0 });
    expect(github.issues).toMatchObject([{ title: 'Record 1 rendered video', state: 'open', pull: { base: 'main' } }]);
    // Another merge records an entry itself while the pull request waits.
    await flow.merge({ rome: 'Rome' });
    const { root, git, commit } = gitIn(await flow.checkout());
    expect(await flow.apply(['--target=rome'], { root })).toMatchObject({ exitCode: 0 });
    await commit({});
    await git('push', '--quiet', 'origin', 'HEAD:main');
    await flow.merge({ oslo: 'Oslo' });
    expect(await flow.apply(['--commit=pr'])).toMatchObject({ exitCode: 0 });
    expect(github.issues).toMatchObject([{ title: 'Record 2 rendered videos', state: 'open' }]);
    expect(github.issues[0]?.body).toContain('<code>berlin</code>');
    expect(Object.keys(await flow.lock('reelform/lock'))).toEqual(['berlin', 'oslo', 'rome']);
    expect(await flow.remote.git('rev-list', '--count', 'main..reelform/lock')).toBe('1');
    expect(await flow.remote.git('diff', '--name-only', 'main...reelform/lock')).toBe(LOCK);
    // A repeated run changes nothing.
    const swaps = github.count(SWAP);
    expect(await flow.apply(['--commit=pr'])).toMatchObject({ exitCode: 0 });
    expect([github.count(SWAP), flow.service.count(POST)]).toEqual([swaps, 3]);
    // The definitions are removed, so nothing is left to merge.
    await flow.merge({ berlin: null, oslo: null });
    expect(await flow.apply(['--commit=pr'])).toMatchObject({ exitCode: 0 });
    expect([github.issues.length, github.issues[0]?.state, flow.service.count(POST)]).toEqual([1, 'closed', 3]);
  });

  it('uses a separate token if given, because GitHub starts no checks for the token of a job', async () => {
    const flow = await startMergeFlow();
    const { github, service } = flow;
    await flow.merge({ berlin: 'Berlin', rome: 'Rome' });
    service.force(POST, { kind: 'answer', status: 422, body: '{}' });
    const flags = ['--commit=pr', '--report-failures', '--concurrency=1'];
    const env = { ...flow.env(), REELFORM_COMMIT_TOKEN: APP_TOKEN };
    expect(await flow.apply(flags, { env })).toMatchObject({ exitCode: 4 });
    const authors = github.issues.map(({ title, user }) => [title, user]);
    expect(authors.sort()).toEqual([
      ['Record 1 rendered video', APP],
      ['Reelform: failed renders', BOT],
    ]);
    expect(await flow.remote.git('log', '-1', '--format=%an', 'reelform/lock')).toBe(APP);
    // An empty secret counts as absent.
    expect(await flow.apply(flags, { env: { ...env, REELFORM_COMMIT_TOKEN: '' } })).toMatchObject({ exitCode: 0 });
    expect(await flow.remote.git('log', '-1', '--format=%an', 'reelform/lock')).toBe(BOT);
  });

  it('refuses a branch that is already in use', async () => {
    const flow = await startMergeFlow({ journal: true });
    const root = await flow.checkout();
    const refused = async (...flags: string[]): Promise<string> => (await flow.apply(flags, { root })).stderr;
    for (const name of ['main', 'reelform-journal']) {
      expect(await refused('--commit=pr', `--commit-branch=${name}`)).toContain('options_conflict');
    }
    expect(await refused('--commit=push', '--commit-branch=a')).toContain('Add --commit=pr');
  });
});

describe('apply --report-failures', () => {
  it('reports failures on the merged pull request and in one issue, which later runs update and close', async () => {
    const flow = await startMergeFlow();
    const { github, service } = flow;
    const sha = await flow.merge({ berlin: 'Berlin @team', rome: 'Rome' });
    const pull = github.open({ pull: { headOwner: 'acme', headBranch: 'change', base: 'main', mergedAs: sha } });
    const stranger = github.open({ title: 'Reelform: failed renders', body: 'Mine' });
    const detail = 'Nothing at http://evil.test @all';
    const error = {
      code: 'source_unreadable',
      title: 'Unreadable',
      detail,
      severity: 'error' as const,
      retryable: false,
    };
    service.end = { status: 'failed', errors: [{ ...error, editable: 't_01', occurred_at: '' }] };
    const flags = ['--commit=push', '--report-failures'];
    expect(await flow.apply(flags)).toMatchObject({ exitCode: 4 });
    const ours = github.issues.filter((one) => one.pull === undefined && one !== stranger);
    const [issue] = ours;
    expect(ours).toMatchObject([{ title: 'Reelform: failed renders', state: 'open' }]);
    for (const words of [
      '<code>berlin</code>',
      `blob/${sha}/videos/berlin.yaml#L4`,
      'actions/runs/77',
      'Fix the problems above and merge the fix. If there is nothing to fix, run the workflow again.',
    ]) {
      expect(issue?.body).toContain(words);
    }
    expect(issue?.body).not.toMatch(/@all|http:\/\/evil/);
    const left = `Current state: [the issue](<https://github.com/acme/videos/issues/${issue?.number}>).`;
    expect(github.comments).toMatchObject([{ number: pull.number, body: `${issue?.body}\n\n${left}` }]);
    // One of the two failures is fixed.
    Object.defineProperty(service, 'end', {
      get: () => (service.count(POST) === 4 ? {} : { status: 'failed', errors: [error] }),
      configurable: true,
    });
    expect(await flow.apply([...flags, '--concurrency=1'])).toMatchObject({ exitCode: 4 });
    expect(issue?.body).toMatch(/could not finish 1 video.*1 other succeeded and is recorded/);
    expect([github.comments.length, service.count(POST)]).toEqual([1, 4]);
    Object.defineProperty(service, 'end', { value: {} });
    expect(await flow.apply(flags)).toMatchObject({ exitCode: 0 });
    expect(issue).toMatchObject({ state: 'closed', body: expect.stringContaining('All videos are up to date as of') });
    expect([service.count(POST), github.issues.length, stranger.body]).toEqual([5, 3, 'Mine']);
  });

  it('reports why a run could not start, but not that another run does its work', async () => {
    const flow = await startMergeFlow();
    const { github } = flow;
    const old = await flow.merge({ berlin: 'Berlin' });
    const flags = ['--commit=push', '--report-failures'];
    expect(await flow.apply(flags, { env: { ...flow.env('github'), SHOP_TOKEN: '' } })).toMatchObject({ exitCode: 3 });
    expect(github.issues).toMatchObject([{ body: expect.stringContaining('token&#95;missing') }]);
    await flow.merge({ berlin: 'Berlin!' });
    expect(await flow.apply(flags, { root: await flow.checkout(old) })).toMatchObject({ exitCode: 6 });
    expect(github.issues).toMatchObject([{ state: 'open' }]);
    // Everything is rendered, but the lockfile is not on its branch.
    github.protectedBranches.set('main', 'ruleset');
    expect(await flow.apply(flags)).toMatchObject({ exitCode: 1 });
    expect(github.issues).toMatchObject([{ state: 'open', body: expect.stringContaining('commit&#95;refused') }]);
  });

  it('never changes the exit code of the run', async () => {
    const flow = await startMergeFlow();
    await flow.merge({ berlin: 'Berlin' });
    flow.github.force('GraphQL viewer', { kind: 'answer', status: 403 });
    const ran = await flow.apply(['--report-failures']);
    expect(ran).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('forge_refused') });
    expect(await flow.apply(['--report-failures'], { forge: 'git' })).toMatchObject({ exitCode: 0 });
  });
});

describe('renderings of a pull request', () => {
  it('are adopted after a squash merge from the journal on a branch, so that only failures are rendered', async () => {
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
    // The job of the pull request, whose checkout and lockfile are lost with its machine.
    flow.service.endOf = ({ id }) => (id === 'session-2' ? { status: 'failed', errors: [] } : {});
    const root = await flow.checkout(head);
    expect(await flow.apply(['--concurrency=1'], { root })).toMatchObject({ exitCode: 4 });
    expect([flow.service.count(POST), await flow.lock()]).toEqual([3, {}]);

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
    // Entries on the branch leave the journal; later runs find them in the lockfile.
    expect(await flow.remote.git('show', 'reelform-journal:journal.ndjson')).not.toContain('"rendered"');
    expect(await flow.apply(['--commit=push'])).toMatchObject({ exitCode: 0 });
    expect([flow.service.count(POST), await flow.lockCommits()]).toEqual([4, 1]);
  });

  it('are adopted from the bucket after the machine that rendered them is gone', async () => {
    const bucket = await startS3Server();
    onTestFinished(() => bucket.close());
    const remote = await newRemote();
    const person = await cloneOf(remote);
    const keys = 'access_key_id_env: AWS_ACCESS_KEY_ID, secret_access_key_env: AWS_SECRET_ACCESS_KEY';
    const credential = `{kind: s3, endpoint: "${bucket.url}", region: us-east-1, path_style: true, ${keys}}`;
    const deliver = 'deliver: {to: "s3://videos/{id}-{fingerprint}.mp4", credential: main}';
    const lines = [`credentials: {main: ${credential}}`, deliver, 'journal: {git: reelform-journal}', ''];
    const template = [...smallPackageFiles()].map(([path, bytes]) => [`templates/small/${path}`, bytes] as const);
    writeFiles(person.root, { ...Object.fromEntries(template), 'reelform.yaml': `${CONFIG}${lines.join('\n')}` });
    await person.commit({ '.gitignore': '.reelform/\nrenders/\n' });
    await person.git('push', '--quiet', 'origin', 'main');
    await person.git('checkout', '--quiet', '-b', 'change');
    await person.commit({ 'videos/berlin.yaml': definition('Berlin'), 'videos/oslo.yaml': definition('Oslo') });
    await person.git('push', '--quiet', 'origin', 'change');
    const puts = (): number => bucket.requests.filter(({ method }) => method === 'PUT').length;
    const journal = (): Promise<string> => remote.git('show', 'reelform-journal:journal.ndjson');
    const command = (clone: GitRepository, ...args: string[]): Promise<Ran> =>
      reelform(clone.root, args, { isLate: true, env: bucket.env, now: Date.now });
    /** Runs a job whose disk is lost afterwards. */
    const job = async (branch: string, ...flags: string[]): Promise<Ran> => {
      const clone = await cloneOf(remote, '--depth=1', `--branch=${branch}`);
      const ran = await command(clone, 'apply', '--auto-approve', ...flags);
      rmSync(clone.root, { recursive: true });
      return ran;
    };

    bucket.fault(({ path }) => (path.includes('oslo') ? { kind: 'status', status: 403, code: 'AccessDenied' } : null));
    expect(await job('change')).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('2 rendered') });
    // The undelivered video exists on no machine anymore.
    bucket.fault(null);
    const again = await job('change');
    expect(again).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('Done: 1 rendered, 1 delivered, 1 recorded'),
    });
    expect((await bucket.keys('videos')).map((key) => key.split('-')[0])).toEqual(['berlin', 'oslo']);

    const sent = puts();
    await person.git('checkout', '--quiet', 'main');
    await person.git('merge', '--quiet', '--squash', 'change');
    await person.commit({}, 'Berlin, Oslo (#7)');
    await person.git('push', '--quiet', 'origin', 'main');
    const { stdout } = await command(person, 'plan');
    expect(stdout.replace(/\s+/g, ' ')).toContain('of an earlier run, which delivered it to s3://videos/berlin-');
    const merged = await job('main', '--commit=push');
    expect(merged).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Done: 0 rendered, 2 recorded') });
    expect(puts()).toBe(sent);
    const { videos } = JSON.parse(await remote.git('show', `main:${LOCK}`)) as { videos: Record<string, object> };
    expect(videos).toMatchObject({
      berlin: { deliveries: [{ to: expect.stringContaining('s3://videos/berlin-') }] },
      oslo: { deliveries: [{ to: expect.stringContaining('s3://videos/oslo-') }] },
    });
    // The journal no longer has the entries of the branch's lockfile.
    expect(await journal()).not.toMatch(/"delivered"|"rendered"/);
    await person.git('pull', '--quiet', 'origin', 'main');
    expect((await command(person, 'plan')).stdout).toContain('No changes');
  });
});
