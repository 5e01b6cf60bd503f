import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Intent, JOURNAL_HEADER, type JournalRecord, journalLine } from '../../../src/reconciler/lock/journal.ts';
import { openSandbox } from '../../../src/service/sandbox/sandbox.ts';
import { startInterfaceService } from '../../support/interface-service.ts';
import { definition, makeFolder, makeRepository } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { reelform, type TestIoOptions } from '../../support/test-io.ts';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly hint: string | null;
}

async function looked(
  root: string,
  options?: TestIoOptions,
): Promise<{ exitCode: number; text: string; checks: Map<string, Check> }> {
  const { exitCode, stdout } = await reelform(root, ['doctor', '--json'], options);
  const { checks } = JSON.parse(stdout) as { checks: Check[] };
  return { exitCode, text: stdout, checks: new Map(checks.map((check) => [check.name, check])) };
}

async function git(root: string, ...args: string[]): Promise<void> {
  await execa('git', ['-C', root, ...args]);
}

const INTENT: Intent = {
  key: 'k',
  id: 'rome',
  fingerprint: `v1:${'0'.repeat(64)}` as Intent['fingerprint'],
  service: 'embedded',
  style_version: 'tsv',
  output_name: 'rome',
  body: '{}',
  run: 'r',
  at: '2026-01-01T00:00:00.000Z',
};

function writeJournal(root: string, text: string): void {
  mkdirSync(join(root, '.reelform'), { recursive: true });
  writeFileSync(join(root, '.reelform/journal.ndjson'), text);
}

describe('reelform doctor', () => {
  it('reports the sandbox of renders and warns without one', async () => {
    const root = makeRepository();
    const { description, gap } = openSandbox('auto');
    expect((await looked(root)).checks.get('Sandbox')).toMatchObject({
      status: gap === null ? 'ok' : 'warning',
      message: expect.stringContaining(description),
    });
    expect((await looked(root, { env: { REELFORM_SANDBOX: 'none' } })).checks.get('Sandbox')).toMatchObject({
      status: 'warning',
      message: 'none: disabled',
      hint: 'Render untrusted templates and files in a container',
    });
  });

  it('reports no problems in a healthy repository', async () => {
    const root = makeRepository({
      '.gitignore': '.reelform/\nrenders/\n.unfinished-*\n',
      '.gitattributes': 'reelform.lock.json merge=reelform\n',
    });
    await git(root, 'init', '-q');
    await git(root, 'config', 'merge.reelform.driver', 'npx reelform lock merge %O %A %B');
    await reelform(root, ['pull']);
    const { exitCode, checks } = await looked(root);
    expect([...checks.values()].filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(exitCode).toBe(0);
    expect((await reelform(root, ['doctor'])).stdout).toContain('Everything is OK.');
  });

  it('warns of missing git configuration, and works without git', async () => {
    const root = makeRepository();
    expect((await looked(root)).checks.get('Git')).toMatchObject({ status: 'warning' });
    await git(root, 'init', '-q');
    const { exitCode, checks } = await looked(root);
    expect(exitCode).toBe(0);
    expect(checks.get('Merge driver')).toMatchObject({ status: 'warning', hint: expect.stringContaining('--install') });
    expect(checks.get('Ignored files')).toMatchObject({
      status: 'warning',
      message: '.gitignore does not contain renders/, .reelform/, .unfinished-*',
    });
    writeFileSync(join(root, '.gitignore'), '*.json\n');
    expect(await looked(root)).toMatchObject({ exitCode: 1 });
  });

  it('warns of a journal that is lost with the CI runner if a service renders', async () => {
    const service = await startInterfaceService();
    onTestFinished(() => service.close());
    const env = { REELFORM_TOKEN: service.token };
    const config = `service: { url: "${service.url}" }\ntemplates: {}\n`;
    const root = makeFolder({ 'reelform.yaml': config, '.github/workflows/videos.yml': '- run: npx reelform plan\n' });
    await git(root, 'init', '-q');
    const journal = async (more: object = {}) =>
      (await looked(root, { env: { ...env, ...more } })).checks.get('Journal in CI');
    expect(await journal()).toBeUndefined();
    const warning = { status: 'warning', hint: expect.stringContaining('journal: {git: reelform-journal}') };
    expect(await journal({ CI: 'true' })).toMatchObject(warning);
    writeFileSync(join(root, '.github/workflows/videos.yml'), '- run: npx reelform apply --auto-approve\n');
    expect(await journal()).toMatchObject(warning);
    await git(root, 'remote', 'add', 'origin', root);
    writeFileSync(join(root, 'reelform.yaml'), `${config}journal: { git: reelform-journal }\n`);
    expect(await journal()).toMatchObject({ status: 'ok' });
    writeFileSync(join(root, 'reelform.yaml'), 'service: embedded\ntemplates: {}\n');
    expect(await journal({ CI: 'true' })).toBeUndefined();
  });

  it.each([
    ['an old Node', 'Node', {}, { nodeVersion: '20.18.9' }],
    ['mistakes in definitions', 'Definitions', { 'videos/rome.yaml': definition('Rome').replace('t_01', 't_10') }, {}],
    ['a lockfile that cannot be read', 'Lockfile', { 'reelform.lock.json': '{' }, {}],
    ['a journal that cannot be read', 'Journal', { '.reelform/journal.ndjson': 'nonsense\n' }, {}],
  ])('exits with 1 for %s', async (_, name, files, options) => {
    const { exitCode, checks } = await looked(makeRepository(files as Record<string, string>), options);
    expect(exitCode).toBe(1);
    expect([...checks.values()].filter(({ status }) => status === 'error').map((check) => check.name)).toEqual([name]);
    expect(checks.get(name)?.hint).not.toBe(null);
  });

  it('exits with 1 without a configuration', async () => {
    const { exitCode, checks } = await looked(makeFolder({}));
    expect({ exitCode, checks: [...checks.keys()] }).toEqual({ exitCode: 1, checks: ['Node', 'Configuration'] });
  });

  it('reports pending and unknown attempts, and a truncated line', async () => {
    const root = makeRepository();
    const lines = (...records: JournalRecord[]): string => JOURNAL_HEADER + records.map(journalLine).join('');
    writeJournal(root, lines({ type: 'intent', ...INTENT }));
    expect((await looked(root)).checks.get('Journal')).toMatchObject({
      status: 'warning',
      hint: expect.stringContaining('reelform resolve rome'),
    });
    writeJournal(
      root,
      lines({ type: 'intent', ...INTENT }, { type: 'created', key: 'k', session: 's', at: INTENT.at }),
    );
    appendFileSync(join(root, '.reelform/journal.ndjson'), '{"sum":');
    expect((await looked(root)).checks.get('Journal')).toMatchObject({
      status: 'ok',
      message: '1 pending: the next apply resumes them; its last line was truncated and is ignored',
    });
  });

  it('checks that the service accepts the token, without printing it', async () => {
    const service = await startInterfaceService({ styleVersions: [{ ...smallPackage().spec, id: 'tsv_known' }] });
    onTestFinished(() => service.close());
    const config = (id: string): string => `service: {url: "${service.url}"}\ntemplates: {small: ${id}}\n`;
    const root = makeRepository({ 'reelform.yaml': config('tsv_known') });
    const check = async (token: string, env: Record<string, string> = {}): Promise<Check | undefined> => {
      const { checks, text } = await looked(root, { env: { REELFORM_TOKEN: token, ...env } });
      expect(text).not.toContain(service.token);
      return checks.get('Service');
    };
    expect(await check(service.token)).toMatchObject({ status: 'ok' });
    expect(await check('rf_wrong')).toMatchObject({ status: 'error' });
    expect(await check('')).toMatchObject({ status: 'error', hint: expect.stringContaining('export REELFORM_TOKEN') });
    const elsewhere = await check(service.token, { REELFORM_TOKEN_ORIGIN: 'https://api.example.com' });
    expect(elsewhere).toMatchObject({ status: 'error' });
    writeFileSync(join(root, 'reelform.yaml'), config('tsv_stranger'));
    expect(await check(service.token)).toMatchObject({
      status: 'error',
      message: expect.stringContaining('tsv_stranger'),
    });
    writeFileSync(join(root, 'reelform.yaml'), config('./templates/small'));
    expect(await check(service.token)).toMatchObject({ status: 'ok' });
  });

  it('warns in CI if the token may be sent to any origin', async () => {
    const root = makeRepository({
      'reelform.yaml': 'service: {url: "http://127.0.0.1:9"}\ntemplates: {small: ./templates/small}\n',
    });
    const env = { CI: 'true' };
    expect((await looked(root, { env })).checks.get('Token origin')).toMatchObject({ status: 'warning' });
    const limited = { ...env, REELFORM_TOKEN_ORIGIN: 'http://127.0.0.1:9' };
    expect((await looked(root, { env: limited })).checks.get('Token origin')).toMatchObject({ status: 'ok' });
  });
});
