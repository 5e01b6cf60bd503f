import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../../src/contract/wire/style-version.ts';
import { cloneOf, type GitRepository, makeCommits, newRemote } from '../../support/git-repository.ts';
import { startServer } from '../../support/http-server.ts';
import { type InterfaceService, startInterfaceService } from '../../support/interface-service.ts';
import { definition, NO_LINT } from '../../support/repository.ts';
import { smallPackage } from '../../support/small-package.ts';
import { type Ran, reelform, type TestIoOptions } from '../../support/test-io.ts';

const LOCK = 'reelform.lock.json';
const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const APPLY = ['apply', '--auto-approve'];
const video = (text: string): string => definition(text, '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n');

interface Subject {
  readonly service: InterfaceService;
  readonly remote: GitRepository;
  readonly clone: GitRepository;
  run(root: string, args: readonly string[], options?: TestIoOptions): Promise<Ran>;
  /** Number of paid sessions. */
  paid(): number;
}

/** A remote whose clone has one video, which was rendered by a paid service and recorded. */
async function renderedRepository(): Promise<Subject> {
  const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER] });
  onTestFinished(() => service.close());
  const remote = await newRemote();
  const clone = await cloneOf(remote);
  const run: Subject['run'] = (root, args, options = {}) =>
    reelform(root, args, { env: { REELFORM_TOKEN: service.token }, now: Date.now, ...options });
  await clone.commit({
    'reelform.yaml': `service: {url: "${service.url}"}\ntemplates: {small: tsv_stranger}\n${NO_LINT}`,
    '.gitignore': '.reelform/\n',
    'videos/rome.yaml': video('Rome'),
  });
  await run(clone.root, ['pull']);
  expect(await run(clone.root, APPLY)).toMatchObject({ exitCode: 0 });
  await clone.commit({}, 'Rendered');
  await clone.git('push', '--quiet', 'origin', 'main');
  return { service, remote, clone, run, paid: () => service.count('POST /v2/render_sessions') };
}

/** Renders another text, so that only the history has the first rendering. */
async function renderAnother({ clone, run }: Subject): Promise<void> {
  await clone.commit({ 'videos/rome.yaml': video('Other') });
  expect(await run(clone.root, APPLY)).toMatchObject({ exitCode: 0 });
  await clone.commit({}, 'Rendered');
  await clone.git('push', '--quiet', 'origin', 'main');
}

describe('a rendering in the history of the lockfile', () => {
  it('is adopted after any number of commits, and after a move of the repository into a folder', async () => {
    const subject = await renderedRepository();
    const { clone, run, paid } = subject;
    await renderAnother(subject);
    const lock = readFileSync(join(clone.root, LOCK), 'utf8');
    await makeCommits(clone, 205, (index) => lock.replace('"title": "Other"', `"title": "Other ${index}"`));
    mkdirSync(join(clone.root, 'site'));
    for (const path of ['reelform.yaml', 'videos', 'schemas', LOCK]) await clone.git('mv', path, `site/${path}`);
    await clone.commit({ 'site/videos/rome.yaml': video('Rome') });
    const site = join(clone.root, 'site');
    expect((await run(site, ['plan'])).stdout).toContain('1 to adopt');
    expect((await run(site, APPLY)).exitCode).toBe(0);
    expect(paid()).toBe(2);
  });

  it('is adopted by a saved plan when another branch has rendered it meanwhile', async () => {
    const { clone, remote, run, paid } = await renderedRepository();
    await clone.git('checkout', '--quiet', '-b', 'a');
    await clone.commit({ 'videos/rome.yaml': video('Other') });
    expect((await run(clone.root, ['plan', '--out', 'a.plan.json'])).stdout).toContain('1 to update');
    const main = await cloneOf(remote);
    await main.commit({ 'videos/rome.yaml': video('Other') });
    expect((await run(main.root, APPLY)).exitCode).toBe(0);
    await main.commit({}, 'Rendered');
    await main.git('push', '--quiet', 'origin', 'main');
    await clone.git('fetch', '--quiet', 'origin');
    expect((await run(clone.root, ['apply', 'a.plan.json'])).exitCode).toBe(0);
    expect(paid()).toBe(2);
  });
});

describe('an entry that another branch made up', () => {
  it('is refused without a session of the service, and recorded nowhere', async () => {
    const { clone, run, paid } = await renderedRepository();
    const recorded = readFileSync(join(clone.root, LOCK), 'utf8');
    writeFileSync(join(clone.root, 'videos/rome.yaml'), video('Other'));
    const { stdout } = await run(clone.root, ['plan', '--json']);
    const [change] = (JSON.parse(stdout) as { changes: [{ after: { fingerprint: string } }] }).changes;
    const url = await startServer((_, response) => void response.end('another video'));
    const forged = recorded
      .replace(/"fingerprint": "[^"]+"/, `"fingerprint": "${change.after.fingerprint}"`)
      .replace(/"session": "[^"]+"/, '"session": "made-up"')
      .replace(/"video_url": "[^"]+"/, `"video_url": "${url.url}/v.mp4"`);
    await clone.git('checkout', '--quiet', '-b', 'other');
    await clone.commit({ [LOCK]: forged });
    await clone.git('checkout', '--quiet', 'main');
    writeFileSync(join(clone.root, 'videos/rome.yaml'), video('Other'));
    const refused = await run(clone.root, APPLY);
    expect(refused).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('of another branch records') });
    expect(readFileSync(join(clone.root, LOCK), 'utf8')).toBe(recorded);
    expect((await run(clone.root, [...APPLY, '--replace', 'rome'])).exitCode).toBe(0);
    expect(paid()).toBe(2);
  });
});

describe('an apply that cannot search the history', () => {
  it('refuses to pay, also for a saved plan, until --allow-unsearched is passed', async () => {
    const subject = await renderedRepository();
    const { remote, clone, run, paid } = subject;
    await renderAnother(subject);
    await clone.commit({ 'videos/rome.yaml': video('Rome') });
    await clone.git('push', '--quiet', 'origin', 'main');
    const { root } = await cloneOf(remote, '--depth=1');
    const planned = await run(root, ['plan', '--out', 'saved.json']);
    expect(planned).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('history_unsearched') });
    for (const args of [APPLY, [...APPLY, '--json'], ['apply', 'saved.json']]) {
      const refused = await run(root, args);
      expect(refused).toMatchObject({ exitCode: 5 });
      const [said, message] = args.includes('--json')
        ? [refused.stdout, '"severity":"error"']
        : [refused.stderr, 'must be searched before 1 video is'];
      expect(said).toContain('history_unsearched');
      expect(said).toContain(message);
      expect(said).toContain('--allow-unsearched');
    }
    expect(paid()).toBe(2);
    expect((await run(root, [...APPLY, '--allow-unsearched'])).exitCode).toBe(0);
    expect(paid()).toBe(3);
  });

  it('asks on a terminal', async () => {
    const { remote, clone, run, paid } = await renderedRepository();
    await clone.commit({ 'videos/rome.yaml': video('Other') });
    await clone.git('push', '--quiet', 'origin', 'main');
    const { root } = await cloneOf(remote, '--depth=1');
    const questions: string[] = [];
    const answering = (pay: string): TestIoOptions => ({
      interactive: true,
      keysFor(question) {
        questions.push(question);
        return `${question.includes('paid for a second time') ? pay : 'yes'}\n`;
      },
    });
    expect(await run(root, ['apply'], answering('no'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('not_approved'),
    });
    expect(questions).toHaveLength(1);
    expect(paid()).toBe(1);
    expect((await run(root, ['apply'], answering('yes'))).exitCode).toBe(0);
    expect(questions).toHaveLength(3);
    expect(paid()).toBe(2);
  });

  it('pays for a new rendering that was requested', async () => {
    const { remote, run, paid } = await renderedRepository();
    const { root } = await cloneOf(remote, '--depth=1');
    expect((await run(root, [...APPLY, '--replace', 'rome'])).exitCode).toBe(0);
    expect(paid()).toBe(2);
  });
});
