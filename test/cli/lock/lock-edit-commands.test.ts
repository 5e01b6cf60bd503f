import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import type { LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { type InterfaceService, startInterfaceService } from '../../support/interface-service.ts';
import { versionOf } from '../../support/lock-branches.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const FILE = 'reelform.lock.json';
const lockText = (entries: Record<string, LockEntry>): string =>
  serialiseLock({ videos: new Map(Object.entries(entries)), extra: {} });

/** Creates the small repository, with the videos berlin, oslo and rome, and this lockfile. */
function repository(entries: Record<string, LockEntry>): { root: string; text: () => string } {
  const root = makeRepository({ [FILE]: lockText(entries) });
  onTestFinished(() => rmSync(root, { recursive: true }));
  return { root, text: () => readFileSync(join(root, FILE), 'utf8') };
}

const rome = versionOf('rome', 1);
const old = versionOf('old', 2);

describe('reelform mv', () => {
  test('changes the id of an entry and keeps the rest', async () => {
    const { root, text } = repository({ a: versionOf('a', 1), old });
    expect(await reelform(root, ['mv', 'old', 'rome'])).toEqual({
      exitCode: 0,
      stdout: '✓ old is now rome\n',
      stderr: '',
    });
    expect(text()).toBe(lockText({ a: versionOf('a', 1), rome: old }));
  });

  test('describes the effect on the next plan', async () => {
    const { root } = repository({ rome });
    expect((await reelform(root, ['mv', 'rome', 'paris'])).stdout).toContain('the next plan moves it back');
    expect((await reelform(root, ['mv', 'paris', 'vienna'])).stdout).toContain('the next plan removes it');
  });

  test('can change only the case', async () => {
    const { root, text } = repository({ rome });
    expect((await reelform(root, ['mv', 'rome', 'Rome'])).exitCode).toBe(0);
    expect(text()).toBe(lockText({ Rome: rome }));
  });

  test.each([
    [['nobody', 'paris'], 'unknown_video'],
    [['rome', '../paris'], 'invalid_id'],
    [['rome', 'old'], 'duplicate_id'],
    [['rome', 'OLD'], 'duplicate_id'],
    [['rome', 'rome'], 'duplicate_id'],
  ])('refuses %j and writes nothing', async (ids, code) => {
    const { root, text } = repository({ rome, old });
    const before = text();
    expect(await reelform(root, ['mv', ...ids])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(code) });
    expect(text()).toBe(before);
  });

  test('refuses an unreadable lockfile', async () => {
    const { root } = repository({ rome });
    writeFileSync(join(root, FILE), '{');
    expect((await reelform(root, ['mv', 'rome', 'paris'])).stderr).toContain('lock_unreadable');
  });
});

describe('reelform rm', () => {
  test('removes the named entries', async () => {
    const { root, text } = repository({ old, rome, other: versionOf('other', 1) });
    expect(await reelform(root, ['rm', 'old', 'other'])).toEqual({
      exitCode: 0,
      stdout:
        '✓ old was removed from the lockfile; its video was not deleted\n✓ other was removed from the lockfile; its video was not deleted\n',
      stderr: '',
    });
    expect(text()).toBe(lockText({ rome }));
    expect((await reelform(root, ['rm', 'rome'])).stdout).toContain('Still defined: rome. The next plan creates');
  });

  test.each([
    [['old', 'nobody'], 1, 'unknown_video'],
    [['old', 'kept'], 5, 'protected_video'],
  ])('removes all of %j or none', async (ids, exitCode, code) => {
    const { root, text } = repository({ old, kept: { ...rome, protect: true } });
    const before = text();
    expect(await reelform(root, ['rm', ...ids])).toMatchObject({ exitCode, stderr: expect.stringContaining(code) });
    expect(text()).toBe(before);
  });
});

describe('reelform import', () => {
  const VERSION: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };

  async function setUp(): Promise<{
    root: string;
    server: InterfaceService;
    run(...args: string[]): Promise<Ran>;
    entry(id: string): LockEntry | undefined;
  }> {
    const server = await startInterfaceService({ looks: 1, styleVersions: [VERSION] });
    onTestFinished(() => server.close());
    const photo = '  (Footage)/USER/photo.png: https://example.com/a.png\n';
    const root = makeRepository({
      'reelform.yaml': `service: {url: "${server.url}"}\ntemplates:\n  small: tsv_stranger\n`,
      ...Object.fromEntries(['berlin', 'oslo', 'rome'].map((id) => [`videos/${id}.yaml`, definition(id, photo)])),
    });
    onTestFinished(() => rmSync(root, { recursive: true }));
    const run = (...args: string[]): Promise<Ran> => reelform(root, args, { env: { REELFORM_TOKEN: server.token } });
    await run('pull');
    const entry = (id: string): LockEntry | undefined =>
      (JSON.parse(readFileSync(join(root, FILE), 'utf8')) as { videos: Record<string, LockEntry> }).videos[id];
    return { root, server, run, entry };
  }

  /** Requests a session as another client would. */
  async function askFor(server: InterfaceService, text: string): Promise<string> {
    const answer = await fetch(`${server.url}/v2/render_sessions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        title: 'Made by hand',
        render: 'preview',
        mapping: {
          template_style_version_id: 'tsv_stranger',
          resources: {
            t_01: { source: { text } },
            c_01: { source: { text: '#eeada7' } },
            '(Footage)/USER/photo.png': { source: { remote_url: 'https://example.com/a.png' } },
          },
        },
      }),
    });
    return ((await answer.json()) as { render_session: { id: string } }).render_session.id;
  }

  test('records the result of a session, after which the plan is empty', async () => {
    const { server, run, entry } = await setUp();
    const session = await askFor(server, 'rome');
    const url = `${server.url}/videos/${session}.mp4`;
    expect(await run('import', 'rome', '--session', session)).toEqual({
      exitCode: 0,
      stdout: `✓ rome is recorded with the session ${session}: ${url}\n`,
      stderr: '',
    });
    expect(entry('rome')).toMatchObject({ session, video_url: url, title: 'rome', service: server.url });
    const plan = JSON.parse((await run('plan', '--json')).stdout) as { summary: Record<string, number> };
    expect(plan.summary).toMatchObject({ create: 2, noop: 1 });
  });

  test('reports a signed URL', async () => {
    const { server, run } = await setUp();
    server.end = { video_url: 'https://cdn.example.com/a.mp4?X-Amz-Signature=abc' };
    const session = await askFor(server, 'rome');
    expect((await run('import', 'rome', '--session', session)).stdout).toContain('signed');
  });

  test('refuses a session that does not match the definition', async () => {
    const { server, run } = await setUp();
    const session = await askFor(server, 'Paris');
    const { exitCode, stderr } = await run('import', 'rome', '--session', session);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringContaining('session_differs') });
    expect(stderr).toContain('t_01 is "Paris"');
  });

  test('refuses a session without a video, a missing one, and an id without a definition', async () => {
    const { server, run } = await setUp();
    const session = await askFor(server, 'rome');
    server.end = { status: 'preview_failed', video_url: null };
    expect((await run('import', 'rome', '--session', session)).stderr).toContain('session_failed');
    expect((await run('import', 'rome', '--session', 'nobody')).stderr).toContain('session_gone');
    expect((await run('import', 'vienna', '--session', session)).stderr).toContain('unknown_video');
  });

  test('is refused with the embedded service', async () => {
    const { root } = repository({ rome });
    const ran = await reelform(root, ['import', 'rome', '--session', 'rs_1']);
    expect(ran).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('config_invalid') });
  });
});
