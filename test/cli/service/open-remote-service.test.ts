import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import {
  type InterfaceService,
  type InterfaceServiceOptions,
  startInterfaceService,
} from '../../support/interface-service.ts';
import { definition, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../support/test-io.ts';

const { spec } = smallPackage();
const STRANGER: StyleVersion = { ...spec, id: 'tsv_stranger' };

interface LockJson {
  readonly videos: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Setup {
  readonly root: string;
  readonly server: InterfaceService;
  run(args: readonly string[], options?: TestIoOptions): Promise<Ran>;
}

function config(url: string, template: string): string {
  return `service: {url: "${url}", token_env: SHOP_TOKEN}\ntemplates:\n  small: ${template}\nconcurrency: 2\n`;
}

/** Creates a repository with a service on this machine, and expects no output to contain the token. */
async function setUp(template: string, options: InterfaceServiceOptions): Promise<Setup> {
  const server = await startInterfaceService({ looks: 1, ...options });
  onTestFinished(() => server.close());
  const root = makeRepository({ 'reelform.yaml': config(server.url, template) });
  return {
    root,
    server,
    async run(args, ioOptions = {}) {
      const ran = await reelform(root, args, { env: { SHOP_TOKEN: `${server.token}\n` }, ...ioOptions });
      expect(ran.stdout + ran.stderr).not.toContain('canary');
      return ran;
    },
  };
}

/** Creates a service with its own template, and three definitions that fill it without files. */
async function setUpStranger(options: InterfaceServiceOptions = {}): Promise<Setup> {
  const setup = await setUp('tsv_stranger', { styleVersions: [STRANGER], ...options });
  for (const id of ['berlin', 'oslo', 'rome']) {
    writeFileSync(
      join(setup.root, `videos/${id}.yaml`),
      definition(id, '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n'),
    );
  }
  expect(await setup.run(['pull'])).toMatchObject({ exitCode: 0, stderr: '' });
  return setup;
}

function lockOf(root: string): LockJson {
  return JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')) as LockJson;
}

const APPLY = ['apply', '--auto-approve'];
const POST = 'POST /v2/render_sessions';

describe('with a service that implements only the interface document', () => {
  it('pulls, plans and applies, and then has no changes', async () => {
    const { root, server, run } = await setUpStranger();
    expect(JSON.parse(readFileSync(join(root, 'schemas/small.spec.json'), 'utf8'))).toEqual({
      style_version: STRANGER,
    });
    expect(await run(['pull', '--check'])).toMatchObject({ exitCode: 0 });
    expect(await run(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 2 });
    expect(await run(APPLY)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Done: 3 rendered in /) });
    expect(lockOf(root).videos.berlin).toMatchObject({
      service: server.url,
      style_version: 'tsv_stranger',
      session: expect.stringMatching(/^session-/),
      video_url: expect.stringMatching(/^http:.*\.mp4$/),
      rendered_at: '2026-01-01T00:00:00.000Z',
    });
    expect(await run(['plan', '--detailed-exitcode'])).toMatchObject({ exitCode: 0 });
    expect(server.count(POST)).toBe(3);
    expect(
      server.seen.filter(({ path }) => !/^\/v2\/(render_sessions|template_style_versions\/[^/]+\/specs)/.test(path)),
    ).toEqual([]);
  });

  it('reports why session failed, in any form', async () => {
    const { server, run } = await setUpStranger();
    server.end = { status: 'failed', video_url: null, errors: ['The image is\u001b[2J too dark'] as never };
    const { exitCode, stderr } = await run(APPLY);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('session_failed: The image is\\u001b[2J too dark');
  });

  it('reports that a local file needs a URL', async () => {
    const { root, server, run } = await setUpStranger();
    writeFileSync(
      join(root, 'videos/rome.yaml'),
      definition('Rome', '  (Footage)/USER/photo.png: ./images/photo.png\n'),
    );
    const { exitCode, stdout, stderr } = await run(APPLY);
    expect({ exitCode, stdout: stdout.split('\n')[0] }).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining('2 rendered, 1 failed'),
    });
    expect(stderr).toContain(`The service at ${server.url} does not accept files, but videos/images/photo.png is one`);
    expect(server.count(POST)).toBe(2);
  });

  it('reports for each video that the service accepts no template package', async () => {
    const { server, run } = await setUp('./templates/small', {});
    const { exitCode, stderr } = await run(APPLY);
    expect(exitCode).toBe(4);
    expect(stderr).toContain('service_lacks_uploads');
    expect(stderr).toContain('name a template style version');
    expect(server.count(POST)).toBe(0);
  });
});

describe('with a service that accepts uploads', () => {
  const uploads = { uploads: { styleVersion: spec } };

  it('pushes a template package once, before the first render, and only if something is rendered', async () => {
    const { root, server, run } = await setUp('./templates/small', uploads);
    expect(await run(APPLY)).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^Done: 3 rendered in /) });
    expect(server.count('POST /v2/template_style_versions')).toBe(1);
    const push = server.seen.findIndex(
      ({ method, path }) => method === 'POST' && path === '/v2/template_style_versions',
    );
    expect(server.seen[push]!.body.subarray(0, 4).toString('latin1')).toBe('PK\x03\x04');
    expect(server.seen.findIndex(({ path }) => path === '/v2/render_sessions')).toBeGreaterThan(push);
    expect(server.count('POST /v2/source_uploads')).toBe(1);
    expect(lockOf(root).videos.rome?.style_version).toBe(spec.id);

    const before = server.seen.length;
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.seen).toHaveLength(before);
    writeFileSync(join(root, 'videos/rome.yaml'), definition('Roma'));
    expect(await run(APPLY)).toMatchObject({ exitCode: 0 });
    expect(server.count('POST /v2/template_style_versions')).toBe(1);
  });

  it('pulls a package from the repository, without a token or request', async () => {
    const { server, run } = await setUp('./templates/small', uploads);
    expect(await run(['pull'], { env: {} })).toMatchObject({ exitCode: 0 });
    expect(server.seen).toEqual([]);
  });

  it('pushes templates on request', async () => {
    const { server, run } = await setUp('./templates/small', uploads);
    expect(await run(['template', 'push'])).toEqual({
      exitCode: 0,
      stdout: `✓ small  ${spec.id}  pushed\n`,
      stderr: '',
    });
    expect(await run(['template', 'push', 'small'])).toMatchObject({
      stdout: `✓ small  ${spec.id}  already there\n`,
    });
    const { stdout } = await run(['template', 'push', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      format_version: '1.0',
      templates: [{ name: 'small', id: spec.id, status: 'edit_ready', uploaded: false, message: null }],
    });
    expect(server.count('POST /v2/template_style_versions')).toBe(1);
  });

  it('reports that the service cannot use a template', async () => {
    const { run } = await setUp('./templates/small', { uploads: { styleVersion: STRANGER } });
    expect(await run(['template', 'push'])).toEqual({
      exitCode: 1,
      stdout: `✗ small  ${spec.id}  The service created tsv_stranger from the template small instead of ${spec.id}\n`,
      stderr: '',
    });
  });

  it('pushes only templates that are packages of the repository', async () => {
    const { run } = await setUpStranger();
    expect(await run(['template', 'push', 'small'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('unknown_template'),
    });
    const embedded = await reelform(makeRepository(), ['template', 'push']);
    expect(embedded).toMatchObject({ exitCode: 1, stdout: '' });
    expect(embedded.stderr).toContain('service: embedded');
  });
});

describe('the access token', () => {
  it.each([
    [{}, 'is not set'],
    [{ SHOP_TOKEN: ' ' }, 'is not set'],
    [{ SHOP_TOKEN: 'a\r\nx-injected: canary' }, 'contains invalid characters'],
  ])('is required before anything else: %j', async (env, reason) => {
    const { server, run } = await setUpStranger();
    const before = server.seen.length;
    for (const args of [APPLY, ['pull'], ['template', 'push']]) {
      const { exitCode, stdout, stderr } = await run(args, { env });
      expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
      expect(stderr).toContain(
        `error token_missing: The environment variable SHOP_TOKEN, with the access token of the service, ${reason}\nhint: export SHOP_TOKEN=`,
      );
    }
    expect(server.seen).toHaveLength(before);
  });

  it('is sent only to the permitted origin', async () => {
    const { server, run } = await setUpStranger();
    const before = server.seen.length;
    const env = { SHOP_TOKEN: server.token, REELFORM_TOKEN_ORIGIN: 'https://api.example.com' };
    for (const args of [APPLY, ['pull'], ['template', 'push']]) {
      const { exitCode, stderr } = await run(args, { env });
      expect(exitCode).toBe(3);
      expect(stderr).toContain(
        `error token_origin: The access token may only be sent to https://api.example.com, not to ${server.url}`,
      );
    }
    expect(server.seen).toHaveLength(before);
    const allowed = { SHOP_TOKEN: server.token, REELFORM_TOKEN_ORIGIN: `https://api.example.com,${server.url}` };
    expect(await run(['pull'], { env: allowed })).toMatchObject({ exitCode: 0 });
  });

  it('makes a command exit with 3 if the service refuses it', async () => {
    const { run } = await setUpStranger();
    const env = { SHOP_TOKEN: 'rf_other-canary' };
    for (const args of [APPLY, ['pull']]) {
      const { exitCode, stderr } = await run(args, { env });
      expect(exitCode).toBe(3);
      expect(stderr).toContain('service_unauthorized');
    }
  });
});

describe('reelform pull', () => {
  it.each<[string, object]>([
    ['an invalid specification', { ...STRANGER, editables: [] }],
    ['the specification of different template', { ...STRANGER, id: 'tsv_other' }],
    ['terminal control characters', { ...STRANGER, fonts: ['\u001b[2J'] }],
  ])('writes nothing if the service answers with %s', async (_, version) => {
    const { root, server, run } = await setUpStranger();
    const before = readFileSync(join(root, 'schemas/small.spec.json'), 'utf8');
    server.force('GET /v2/template_style_versions/{id}/specs', {
      kind: 'answer',
      status: 200,
      body: JSON.stringify({ style_version: version }),
    });
    const { exitCode, stderr } = await run(['pull']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('service_answer_invalid');
    expect(readFileSync(join(root, 'schemas/small.spec.json'), 'utf8')).toBe(before);
  });

  it('reports the refusal of the service', async () => {
    const { root, run } = await setUpStranger();
    writeFileSync(
      join(root, 'reelform.yaml'),
      readFileSync(join(root, 'reelform.yaml'), 'utf8').replace('tsv_stranger', 'tsv_gone'),
    );
    const { exitCode, stderr } = await run(['pull']);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /^error http_404: GET http:\S+\/v2\/template_style_versions\/tsv_gone\/specs returned 404\n$/,
    );
  });
});
