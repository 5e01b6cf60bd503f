import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import type { Attempt } from '../../../src/reconciler/lock/journal.ts';
import { openJournalFile } from '../../../src/reconciler/lock/journal-file.ts';
import { cloneOf, gitIn, newRemote } from '../../support/git-repository.ts';
import { type InterfaceService, startInterfaceService } from '../../support/interface-service.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../support/test-io.ts';

const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const POST = 'POST /v2/render_sessions';
const APPLY = ['apply', '--auto-approve'];
const ASKED_MS = Date.parse('2026-01-01T10:00:00.000Z');

interface Setup {
  readonly root: string;
  readonly server: InterfaceService;
  run(args: readonly string[], options?: TestIoOptions): Promise<Ran>;
  attempts(): Promise<Attempt[]>;
}

/** Creates a repository whose service keeps no keys and accepted `berlin` without answering. */
async function setUp(journal = ''): Promise<Setup> {
  const server = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
  onTestFinished(() => server.close());
  const config = `service: {url: "${server.url}", token_env: SHOP_TOKEN}\ntemplates:\n  small: tsv_stranger\n${journal}`;
  const root = makeRepository({ 'reelform.yaml': config });
  const photo = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';
  mkdirSync(join(root, 'videos'), { recursive: true });
  writeFileSync(join(root, 'videos/berlin.yaml'), definition('berlin', photo));
  writeFileSync(join(root, 'videos/rome.yaml'), definition('rome', photo));
  rmSync(join(root, 'videos/oslo.yaml'));
  if (journal !== '') {
    const remote = await newRemote();
    const seed = await cloneOf(remote);
    await seed.commit({ a: '1' });
    await seed.git('push', '--quiet', 'origin', 'main');
    await gitIn(root).git('init', '--quiet');
    await gitIn(root).git('remote', 'add', 'origin', `file://${remote.root}`);
  }
  const run = (args: readonly string[], options: TestIoOptions = {}): Promise<Ran> =>
    reelform(root, args, { env: { SHOP_TOKEN: server.token }, now: ASKED_MS, ...options });
  expect(await run(['pull'])).toMatchObject({ exitCode: 0 });
  expect(await run([...APPLY, '--target', 'rome'])).toMatchObject({ exitCode: 0 });
  server.force(POST, { kind: 'cut', afterDoing: true });
  expect(await run(APPLY)).toMatchObject({ exitCode: 4 });
  expect(server.count(POST)).toBe(2);
  return {
    root,
    server,
    run,
    attempts: async () => {
      const path = join(root, '.reelform/journal.ndjson');
      return [...(await openJournalFile(path, { file: 'journal' })).state.attempts.values()];
    },
  };
}

const DONE = { exitCode: 0, stderr: '' };

describe('reelform resolve', () => {
  it('lists unknown attempts with what to look for', async () => {
    const { run, attempts, server } = await setUp();
    const key = (await attempts())[0]!.intent.key.slice(0, 8);
    const { exitCode, stdout } = await run(['resolve']);
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`1 render is unresolved.

  ? berlin
    requested  ${server.url} at 2026-01-01 10:00:00 UTC
    look for   a session created between 2026-01-01 09:59:00 UTC and 2026-01-01 10:03:00 UTC
    titled     berlin
    attempt    ${key}

Check the service, then run for each:
  reelform resolve berlin --session ID   the service has the session
  reelform resolve berlin --retry        request again, even if it may be paid for twice
  reelform resolve berlin --abandon      forget the attempt
`);
  });

  it('--session lets the next apply resume it without paying again', async () => {
    const { run, server } = await setUp();
    const session = [...server.sessions.values()].find(({ title }) => title === 'berlin')!.id;
    expect(await run(['resolve', 'berlin', '--session', session])).toMatchObject(DONE);
    expect((await run(['resolve'])).stdout).toMatch(/^There are no unresolved renders/);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.count(POST)).toBe(2);
    expect((await run(['output', 'berlin'])).stdout).toContain(session);
  });

  it('--session refuses a session that differs, is gone, or belongs to different service', async () => {
    const { run, server, attempts, root } = await setUp();
    const rome = [...server.sessions.values()].find(({ title }) => title === 'rome')!.id;
    const other = await run(['resolve', 'berlin', '--session', rome]);
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toContain('session_differs');
    expect(other.stderr).toContain('title is "rome", but "berlin" was requested');
    expect((await run(['resolve', 'berlin', '--session', 'nowhere'])).stderr).toContain('session_gone');
    expect((await attempts()).map(({ state }) => state)).toEqual(['unknown']);
    writeFileSync(
      join(root, 'reelform.yaml'),
      'service: {url: "http://127.0.0.1:1"}\ntemplates: {small: tsv_stranger}\n',
    );
    const elsewhere = await run(['resolve', 'berlin', '--session', rome], { env: { REELFORM_TOKEN: 'x' } });
    expect(elsewhere.stderr).toContain('session_differs');
  });

  it('--retry repeats the same request once', async () => {
    const { run, server } = await setUp();
    expect(await run(['resolve', 'berlin', '--retry'])).toMatchObject(DONE);
    expect((await run(['resolve'])).stdout).toContain('retry by the next apply');
    server.force(POST, { kind: 'cut', afterDoing: true });
    expect(await run(APPLY)).toMatchObject({ exitCode: 4 });
    expect(await run(APPLY)).toMatchObject({ exitCode: 4 });
    expect(server.count(POST)).toBe(3);
    const posts = server.seen.filter(({ method }) => method === 'POST').slice(1);
    expect(posts[1]!.body).toEqual(posts[0]!.body);
    expect(posts[1]!.headers['idempotency-key']).toBe(posts[0]!.headers['idempotency-key']);
  });

  it('--abandon lets the video be planned like any other', async () => {
    const { run, server } = await setUp();
    expect(await run(['resolve', 'berlin', '--abandon'])).toMatchObject(DONE);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.count(POST)).toBe(3);
    const [first, second] = server.seen.filter(({ method }) => method === 'POST').slice(1);
    expect(second!.headers['idempotency-key']).not.toBe(first!.headers['idempotency-key']);
  });

  it.each([
    [['berlin'], 'options_conflict'],
    [['berlin', '--retry', '--abandon'], 'options_conflict'],
    [['rome', '--retry'], 'unknown_video'],
    [['berlin', '--retry', '--attempt', 'x'], 'unknown_video'],
  ])('refuses %j', async (args, code) => {
    const { run, attempts } = await setUp();
    const { exitCode, stderr } = await run(['resolve', ...args]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(code);
    expect((await attempts()).map(({ state }) => state)).toEqual(['unknown']);
  });

  it('distinguishes several attempts of a video by their keys', async () => {
    const { run, attempts, server, root } = await setUp();
    writeFileSync(
      join(root, 'videos/berlin.yaml'),
      definition('berlin 2', '  (Footage)/USER/photo.png: https://example.com/b.png\n'),
    );
    server.force(POST, { kind: 'cut', afterDoing: true });
    await run(APPLY);
    const [first, second] = await attempts();
    const { stderr } = await run(['resolve', 'berlin', '--abandon']);
    expect(stderr).toContain(first!.intent.key.slice(0, 8));
    expect(stderr).toContain(second!.intent.fingerprint.slice(0, 11));
    expect(await run(['resolve', 'berlin', '--abandon', '--attempt', second!.intent.key.slice(0, 8)])).toMatchObject(
      DONE,
    );
    expect((await attempts()).map(({ state }) => state)).toEqual(['unknown', 'closed']);
  });

  it('works with a journal on a branch, and refuses to abandon an attempt that another run may be using', async () => {
    const { run, server } = await setUp('journal: {git: reelform-journal}\n');
    const early = await run(['resolve', 'berlin', '--abandon'], { now: ASKED_MS + 60_000 });
    expect(early).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('already_running') });
    const session = [...server.sessions.values()].find(({ title }) => title === 'berlin')!.id;
    expect(await run(['resolve', 'berlin', '--session', session])).toMatchObject(DONE);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.count(POST)).toBe(2);
  });
});

describe('reelform resolve for a missing session', () => {
  /** Creates an attempt whose session was created and then returned 404 until an apply gave up. */
  async function missing(): Promise<Setup & { readonly session: string }> {
    const here = await setUp();
    const [{ intent }] = (await here.attempts()) as [Attempt];
    const session = [...here.server.sessions.values()].find(({ title }) => title === 'berlin')!.id;
    const journal = await openJournalFile(join(here.root, '.reelform/journal.ndjson'), { file: 'journal' });
    await journal.append({ type: 'created', key: intent.key, session, at: intent.at });
    await journal.append({ type: 'missing', key: intent.key, at: intent.at });
    await journal.close();
    here.server.hides = () => true;
    return { ...here, session };
  }

  /** Returns a clock on which every time limit expires at the next poll. */
  const impatient = (): (() => number) => {
    let nowMs = ASKED_MS;
    return () => {
      nowMs += 600_000;
      return nowMs;
    };
  };

  it('lists it, and plan, doctor and explain report it', async () => {
    const { run, session } = await missing();
    expect((await run(['resolve'])).stdout).toContain(
      `look for   the session ${session}, of which the service had no usable video`,
    );
    const plan = JSON.parse((await run(['plan', '--json'])).stdout) as { readonly diagnostics: readonly object[] };
    expect(plan.diagnostics).toMatchObject([{ code: 'session_gone', hint: expect.stringContaining('resolve berlin') }]);
    expect((await run(['doctor'])).stdout).toContain(
      `"berlin" was requested, but the service no longer has its session ${session}`,
    );
    expect((await run(['explain', 'berlin'])).stdout).toContain('reads it again and requests no new render');
  });

  it('is suggested by an apply that does not find the session either and pays for nothing', async () => {
    const { run, server, attempts } = await missing();
    const { exitCode, stderr } = await run(APPLY, { now: impatient() });
    expect(exitCode).toBe(4);
    expect(stderr).toContain('session_gone');
    expect(stderr).toContain('reelform resolve berlin --session ID');
    expect((await attempts()).map(({ state }) => state)).toEqual(['missing']);
    expect(server.count(POST)).toBe(2);
  });

  it('--session accepts a session that reappeared, --abandon renders again', async () => {
    const { run, server, session } = await missing();
    expect((await run(['resolve', 'berlin', '--session', session])).stderr).toContain('session_gone');
    server.hides = () => false;
    expect(await run(['resolve', 'berlin', '--session', session])).toMatchObject(DONE);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.count(POST)).toBe(2);
    const lost = await missing();
    expect(await lost.run(['resolve', 'berlin', '--abandon'])).toMatchObject(DONE);
    lost.server.hides = () => false;
    expect(await lost.run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(lost.server.count(POST)).toBe(3);
  });
});

describe('--session', () => {
  it.each(['resolve', 'import'])('of %s requires an id', async (command) => {
    const { exitCode, stderr } = await reelform('/', [command, 'a', '--session', ' ']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('It must be the id of a session');
  });
});
