import { existsSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import {
  type InterfaceService,
  type InterfaceServiceOptions,
  startInterfaceService,
} from '../../support/interface-service.ts';
import { definition, makeRepository, NO_LINT } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { PROGRAM } from '../../support/spawned-program.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const VERSION: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const POST = 'POST /v2/render_sessions';
const APPLY = ['apply', '--auto-approve'];
const IDS = ['berlin', 'oslo', 'rome'];

interface Setup {
  readonly root: string;
  readonly old: InterfaceService;
  /** Starts the same service at another address; the old one ends. */
  moved(options?: InterfaceServiceOptions): Promise<InterfaceService>;
  run(args: readonly string[], token?: string): Promise<Ran>;
  /** Names a service in reelform.yaml. */
  configure(url: string): void;
  lockText(): string;
  entries(): Record<string, LockEntry>;
}

async function start(options: InterfaceServiceOptions): Promise<InterfaceService> {
  const service = await startInterfaceService({ looks: 1, styleVersions: [VERSION], ...options });
  onTestFinished(() => service.close());
  return service;
}

async function setUp(options: InterfaceServiceOptions = {}): Promise<Setup> {
  const old = await start(options);
  const photo = '  (Footage)/USER/photo.png: https://example.com/a.png\n';
  const root = makeRepository(Object.fromEntries(IDS.map((id) => [`videos/${id}.yaml`, definition(id, photo)])));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const configure = (url: string): void => {
    const config = `service: {url: "${url}"}\ntemplates:\n  small: tsv_stranger\n${NO_LINT}`;
    writeFileSync(join(root, 'reelform.yaml'), config);
  };
  configure(old.url);
  const run = (args: readonly string[], token = old.token): Promise<Ran> =>
    reelform(root, args, { env: { REELFORM_TOKEN: token }, now: Date.now });
  const lockText = (): string => readFileSync(join(root, 'reelform.lock.json'), 'utf8');
  expect(await run(['pull'])).toMatchObject({ exitCode: 0 });
  return {
    root,
    old,
    run,
    configure,
    lockText,
    entries: () => (JSON.parse(lockText()) as { videos: Record<string, LockEntry> }).videos,
    async moved(changes = {}) {
      await old.close();
      return start({ store: old.sessions, ...changes });
    },
  };
}

async function rendered(): Promise<Setup> {
  const repository = await setUp();
  expect(await repository.run(APPLY)).toMatchObject({ exitCode: 0 });
  return repository;
}

describe('reelform lock service', () => {
  test('moves all videos, after which nothing is rendered', async () => {
    const { old, run, moved, configure, entries } = await rendered();
    const before = entries();
    const service = await moved();
    const { exitCode, stdout, stderr } = await run(['lock', 'service', `${old.url}/`, service.url]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toBe(
      `✓ 3 videos moved from ${old.url} to ${service.url}\n` +
        `note reelform.yaml names ${old.url}. Set service.url to the new URL before the next plan\n`,
    );
    for (const [id, entry] of Object.entries(entries())) {
      const { session } = before[id]!;
      expect(entry).toEqual({
        ...before[id],
        service: service.url,
        fingerprint: expect.not.stringMatching(before[id]!.fingerprint),
        video_url: `${service.url}/videos/${session}.mp4`,
        thumbnails: [`${service.url}/videos/${session}.jpg`],
      });
    }

    configure(service.url);
    expect(await run(['plan'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('No changes') });
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(0);
    // A second run has nothing to do.
    expect(await run(['lock', 'service', old.url, service.url])).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  test('reports files that the service still names at the old address', async () => {
    const { old, run, moved } = await rendered();
    const service = await moved();
    service.end = { video_url: `${old.url}/videos/session-1.mp4` };
    const { exitCode, stdout } = await run(['lock', 'service', old.url, service.url]);
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`note The service still names URLs at ${old.url} for 3 videos: keep that address`);
  });

  test('leaves videos whose session is missing or has another content', async () => {
    const { root, old, run, moved, entries } = await rendered();
    const before = entries();
    const service = await moved();
    service.hides = (title) => title === 'berlin';
    service.alters = (_, session) => {
      if (session.title !== 'oslo') return session;
      const resources = { ...session.mapping.resources, t_01: { source: { text: 'Bergen' } } };
      return { ...session, mapping: { ...session.mapping, resources } };
    };
    const { exitCode, stdout } = await run(['lock', 'service', old.url, service.url]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✓ 1 video moved');
    expect(stdout).toContain(`left berlin: ${service.url} does not have the session ${before.berlin!.session}`);
    expect(stdout).toContain(
      `left oslo: the session ${before.oslo!.session} has a different content: t_01 is "Bergen"`,
    );
    expect(entries()).toMatchObject({ berlin: before.berlin, oslo: before.oslo, rome: { service: service.url } });
    expect(existsSync(join(root, '.reelform/apply.pid'))).toBe(false);
  });

  test('leaves videos that are unfinished, elsewhere, or of other bytes', async () => {
    const { root, old, run, moved, lockText } = await rendered();
    const service = await moved();
    const why = async (): Promise<string> => (await run(['lock', 'service', old.url, service.url])).stdout;
    service.end = { status: 'preview_failed' };
    expect(await why()).toContain('has no video; its status is preview_failed');
    expect(lockText()).toContain(old.url);
    service.end = { status: 'preview_rendered', video_url: 'https://cdn.example.com/new.mp4' };
    const text = lockText()
      .replaceAll(/http:[^"]*\.mp4/g, 'https://cdn.example.com/old.mp4')
      .replaceAll('"rendered_at"', `"sha256": "${'0'.repeat(64)}", "rendered_at"`);
    writeFileSync(join(root, 'reelform.lock.json'), text);
    expect(await why()).toContain(
      'its video is at https://cdn.example.com/new.mp4, but https://cdn.example.com/old.mp4',
    );
    service.end = { ...service.end, video_sha256: '1'.repeat(64) };
    expect(await why()).toContain('does not have the recorded SHA-256');
    expect(lockText()).not.toContain(service.url);
    // Equal bytes prove that the file was only moved.
    service.end = { ...service.end, video_sha256: '0'.repeat(64) };
    expect(await why()).toContain('✓ 3 videos moved');
    expect(lockText()).toContain('https://cdn.example.com/new.mp4');
  });

  test('leaves videos whose definition has changed', async () => {
    const { root, old, run, moved, entries } = await rendered();
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Naples'));
    const service = await moved();
    const { exitCode, stdout } = await run(['lock', 'service', old.url, service.url]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✓ 2 videos moved');
    expect(stdout).toContain('left rome: no definition has exactly its content any more');
    expect(entries().rome).toMatchObject({ service: old.url });
  });

  test('moves renders of the journal, and names those that are unknown', async () => {
    const { root, old, run, moved, configure, entries } = await setUp({ hasEnded: () => false });
    const apply = execa(process.execPath, [PROGRAM, ...APPLY], {
      cwd: root,
      reject: false,
      env: { REELFORM_TOKEN: old.token, CI: 'true' },
    });
    const journal = join(root, '.reelform/journal.ndjson');
    const created = (): number =>
      existsSync(journal) ? readFileSync(journal, 'utf8').split('"created"').length - 1 : 0;
    await expect.poll(created, { timeout: 60_000 }).toBe(3);
    apply.kill('SIGKILL');
    await apply;
    const service = await moved();
    const { exitCode, stdout } = await run(['lock', 'service', old.url, service.url]);
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('✓ 0 videos, and 3 pending renders moved'),
    });
    // Nothing is in the lockfile yet, so the journal shows that they have been moved.
    const again = await run(['lock', 'service', old.url, service.url]);
    expect(again).toEqual({ exitCode: 0, stdout: expect.stringMatching(/^note .*\n$/), stderr: '' });
    configure(service.url);
    const plan = JSON.parse((await run(['plan', '--json'])).stdout) as { estimate: { renders: number } };
    expect(plan.estimate.renders).toBe(0);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(0);
    expect(Object.values(entries()).map((entry) => entry.service)).toEqual(IDS.map(() => service.url));
    expect((await run(['plan'])).stdout).toContain('No changes');
  });

  test('names a render of which nobody knows whether it was accepted', async () => {
    const { old, run, moved } = await setUp();
    old.force(POST, { kind: 'cut', afterDoing: true });
    expect(await run(APPLY)).toMatchObject({ exitCode: 4 });
    const service = await moved();
    const { exitCode, stdout } = await run(['lock', 'service', old.url, service.url]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('✓ 2 videos moved');
    expect(stdout).toMatch(/left \w+: it is unknown whether .* run reelform resolve/);
  });

  test('changes nothing without an answer, with a wrong token, or for a wrong URL', async () => {
    const { root, old, run, moved, lockText } = await rendered();
    const before = lockText();
    const service = await moved();
    const move = (from: string, to: string, token?: string): Promise<Ran> => run(['lock', 'service', from, to], token);
    expect(await move(old.url, service.url, 'rf_wrong')).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('service_unauthorized'),
    });
    expect(await move(old.url, 'http://127.0.0.1:9')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('service_unreachable'),
    });
    expect((await move('https://typo.example.com', service.url)).stderr).toContain(`It has videos of ${old.url}`);
    expect((await move(old.url, old.url)).stderr).toContain('options_conflict');
    expect((await move(old.url, 'http://render.example.com')).stderr).toContain('unencrypted');
    expect((await move(old.url, 'render.example.com')).stderr).toContain('It must be a URL');
    const env = { REELFORM_TOKEN: old.token, REELFORM_TOKEN_ORIGIN: old.url };
    const refused = await reelform(root, ['lock', 'service', old.url, service.url], { env });
    expect(refused).toMatchObject({ exitCode: 3, stderr: expect.stringContaining('token_origin') });
    expect(lockText()).toBe(before);
  });

  test('leaves the old or the new lockfile when it is interrupted, whenever that is', async () => {
    const { root, old, run, moved, lockText } = await rendered();
    // Large enough for a write that takes longer than a signal.
    const lock = JSON.parse(lockText()) as { videos: Record<string, LockEntry> };
    const others = Array.from({ length: 3000 }, (_, at) => {
      return [`other-${at}`, { ...lock.videos.rome!, service: 'https://other.example.com', session: `other-${at}` }];
    });
    Object.assign(lock.videos, Object.fromEntries(others));
    const path = join(root, 'reelform.lock.json');
    writeFileSync(path, JSON.stringify(lock, null, 2));
    expect(await run(['lock', 'migrate'])).toMatchObject({ exitCode: 0 });
    const before = lockText();
    const service = await moved();
    const move = ['lock', 'service', old.url, service.url];
    expect((await run(move)).stdout).toContain('✓ 3 videos moved');
    const after = lockText();
    expect(after).not.toBe(before);

    const interruptedAt = async (moment: (interrupt: () => void) => () => void): Promise<string | undefined> => {
      writeFileSync(path, before);
      const child = execa(process.execPath, [PROGRAM, ...move], {
        cwd: root,
        reject: false,
        env: { REELFORM_TOKEN: old.token },
      });
      const stop = moment(() => void child.kill('SIGINT'));
      const { exitCode, signal } = await child;
      stop();
      expect(exitCode === 0 || signal === 'SIGINT').toBe(true);
      return signal;
    };
    for (const answered of [1, 2, 3]) {
      const signal = await interruptedAt((interrupt) => {
        let count = 0;
        service.alters = (_, session) => {
          count += 1;
          if (count === answered) interrupt();
          return session;
        };
        return () => {
          service.alters = (_, session) => session;
        };
      });
      expect({ answered, signal, isUnchanged: lockText() === before }).toEqual({
        answered,
        signal: 'SIGINT',
        isUnchanged: true,
      });
    }
    const found: { signal: string | undefined; isComplete: boolean }[] = [];
    for (const name of [/^\.unfinished-/, /^\.unfinished-/, /^reelform\.lock\.json$/]) {
      const signal = await interruptedAt((interrupt) => {
        const watcher = watch(root, (_, file) => {
          // The test itself has written the lockfile just before.
          if (file !== null && name.test(file) && (file.startsWith('.') || lockText() !== before)) interrupt();
        });
        return () => watcher.close();
      });
      found.push({ signal, isComplete: lockText() === after });
      expect([before, after]).toContain(lockText());
    }
    // The write was reached, and at least once it was interrupted.
    expect(found.map(({ signal }) => signal)).toContain('SIGINT');
    expect((await run(move)).exitCode).toBe(0);
    expect(lockText()).toBe(after);
    expect(service.count(POST)).toBe(0);
  });

  test('keeps the journal when it is interrupted between its records', async () => {
    const { root, old, run, moved, configure } = await setUp({ hasEnded: () => false });
    const env = { REELFORM_TOKEN: old.token, CI: 'true' };
    const apply = execa(process.execPath, [PROGRAM, ...APPLY], { cwd: root, reject: false, env });
    const journal = join(root, '.reelform/journal.ndjson');
    const lines = (): string[] => (existsSync(journal) ? readFileSync(journal, 'utf8').split('\n') : []);
    const created = (): number => lines().filter((line) => line.includes('"created"')).length;
    await expect.poll(created, { timeout: 60_000 }).toBe(3);
    apply.kill('SIGKILL');
    await apply;
    const service = await moved();
    const move = ['lock', 'service', old.url, service.url];
    const known = lines().length;
    const child = execa(process.execPath, [PROGRAM, ...move], { cwd: root, reject: false, env });
    const watcher = watch(join(root, '.reelform'), () => {
      if (lines().length > known) child.kill('SIGINT');
    });
    await child;
    watcher.close();
    expect(lines().length).toBeGreaterThan(known);
    expect((await run(move)).exitCode).toBe(0);
    configure(service.url);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(service.count(POST)).toBe(0);
    expect((await run(['plan'])).stdout).toContain('No changes');
  });
});
