import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Fingerprint, LockEntry } from '../../../../src/reconciler/lock/lock.ts';
import { serialiseLock } from '../../../../src/reconciler/lock/lock-format.ts';
import { HOSTILE_TEXTS } from '../../../report/hostile-texts.ts';
import { newRepository } from '../../../support/git-repository.ts';
import { type GitHubServer, type SeenIssue, startGitHub } from '../../../support/github-server.ts';
import { versionOf } from '../../../support/lock-branches.ts';
import { type Ran, reelform } from '../../../support/test-io.ts';

const TOKEN = 'ghs_0canary0';
const USERS = { [TOKEN]: { login: 'github-actions[bot]', rights: 'write' } } as const;
const BOT = 'github-actions[bot]';
const TITLE = 'Reelform: drift';
const MARKER = '<!-- reelform:drift:reelform.lock.json -->';

interface Place {
  readonly github: GitHubServer;
  /** Runs `reelform drift --issue` in a job. */
  drift(flags?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>;
  /**
   * Writes a lockfile of locally rendered videos. The value says whether the file exists, or is the URL it was made
   * from. `services` are those that did not render here.
   */
  has(videos: Readonly<Record<string, boolean | string>>, services?: Readonly<Record<string, string>>): void;
  /** Returns the issues of the token's own account. */
  ours(): readonly SeenIssue[];
}

async function setUp(): Promise<Place> {
  const { root } = await newRepository();
  writeFileSync(join(root, 'reelform.yaml'), 'service: embedded\ntemplates: {}\n');
  const github = await startGitHub({ users: USERS });
  onTestFinished(() => github.close());
  return {
    github,
    async drift(flags = [], env = {}) {
      const job = { ...github.env(TOKEN), ...env };
      const ran = await reelform(root, ['drift', '--issue', ...flags], { env: job, isLate: true });
      expect(ran.stdout + ran.stderr).not.toContain('canary');
      return ran;
    },
    has(videos, services = {}) {
      const entries = Object.entries(videos).map(([id, isThere], index): [string, LockEntry] => {
        const url = `renders/${index}.mp4`;
        const sources = typeof isThere === 'string' ? { sources: { [isThere]: '"one"' } } : {};
        const path = join(root, url);
        mkdirSync(dirname(path), { recursive: true });
        if (isThere !== false) writeFileSync(path, 'video');
        else rmSync(path, { force: true });
        const { thumbnails: _, ...entry } = versionOf('video', 1);
        return [
          id,
          {
            ...entry,
            ...sources,
            service: services[id] ?? entry.service,
            thumbnails: [],
            fingerprint: entry.fingerprint as Fingerprint,
            video_url: url,
          },
        ];
      });
      writeFileSync(join(root, 'reelform.lock.json'), serialiseLock({ videos: new Map(entries), extra: {} }));
    },
    ours: () => github.issues.filter(({ user, body }) => user === BOT && body.startsWith(MARKER)),
  };
}

describe('drift', () => {
  it('names the videos of another service as not verified', async () => {
    const { drift, has } = await setUp();
    has({ berlin: true, rome: true }, { rome: 'https://other.example.com' });
    const { exitCode, stdout } = await drift();
    expect(exitCode).toBe(0);
    expect(stdout).toContain('1 video checked, 1 not verified. No differences were found.');
    expect(stdout).toContain('rome: rendered by https://other.example.com, but reelform.yaml names embedded');
  });
});

describe('drift --issue', () => {
  it('opens one issue, updates it, closes it without drift, and reopens it', async () => {
    const { github, drift, has, ours } = await setUp();
    has({ berlin: true, rome: true });
    expect(await drift()).toMatchObject({ exitCode: 0 });
    expect(github.issues).toEqual([]);
    has({ berlin: false, rome: true });
    expect(await drift()).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('berlin') });
    expect(ours()).toMatchObject([{ title: TITLE, state: 'open', labels: [] }]);
    for (const words of ['<code>berlin</code>', 'actions/runs/77']) expect(ours()[0]!.body).toContain(words);
    const writes = (): number => github.seen.filter((route) => /^(?:POST|PATCH) issues/.test(route)).length;
    expect(await drift()).toMatchObject({ exitCode: 2 });
    expect(writes()).toBe(1);
    has({ berlin: false, rome: false });
    expect(await drift()).toMatchObject({ exitCode: 2 });
    expect(ours()).toMatchObject([{ state: 'open', body: expect.stringContaining('<code>rome</code>') }]);
    // One of two videos is fixed.
    has({ berlin: true, rome: false });
    await drift();
    expect(ours()[0]!.body).not.toContain('<code>berlin</code>');
    has({ berlin: true, rome: true });
    expect(await drift()).toMatchObject({ exitCode: 0 });
    expect(ours()).toMatchObject([
      { state: 'closed', body: `${MARKER}\nAll rendered videos exist and are unchanged.` },
    ]);
    expect(await drift()).toMatchObject({ exitCode: 0 });
    expect(writes()).toBe(4);
    has({ berlin: false });
    expect(await drift()).toMatchObject({ exitCode: 2 });
    expect(ours()).toMatchObject([{ state: 'open', body: expect.stringContaining('<code>berlin</code>') }]);
  });

  it('reopens an issue that a user closed while the drift persists', async () => {
    const { github, drift, has, ours } = await setUp();
    has({ berlin: false });
    await drift();
    github.issues[0]!.state = 'closed';
    expect(await drift()).toMatchObject({ exitCode: 2 });
    expect(ours()).toMatchObject([{ state: 'open' }]);
  });

  it('finds its issue behind a hundred others, and never changes issues of others', async () => {
    const { github, drift, has, ours } = await setUp();
    const stranger = github.open({ user: 'someone', title: TITLE, body: `${MARKER}\nmine` });
    const person = github.open({ user: BOT, title: TITLE, body: `Said before.\n${MARKER}` });
    const pull = github.open({
      user: BOT,
      title: TITLE,
      body: MARKER,
      pull: { headOwner: 'a', headBranch: 'b', base: 'main' },
    });
    const before = structuredClone([stranger, person, pull]);
    has({ berlin: false });
    await drift();
    for (let count = 0; count < 130; count++) github.open({ user: BOT, body: `<!-- other ${count} -->` });
    has({ berlin: true });
    await drift();
    has({ berlin: false });
    await drift();
    expect(ours().filter((issue) => issue !== pull)).toMatchObject([{ number: 4, state: 'open' }]);
    expect([stranger, person, pull]).toEqual(before);
    expect(github.issues).toHaveLength(4 + 130);
  });

  it('renders hostile texts as plain words, within the size limit of an issue', async () => {
    const { drift, has, ours } = await setUp();
    const texts = HOSTILE_TEXTS.map((text) => text.toWellFormed().replaceAll(/[\0]/g, ''));
    has(Object.fromEntries(texts.map((text) => [text, false])));
    const { exitCode, stderr } = await drift();
    expect([exitCode, stderr]).toEqual([2, expect.not.stringContaining('::warning')]);
    const { body } = ours()[0]!;
    const html = micromark(body, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
    const elements = [...html.replaceAll(/<!--.*?-->/g, '').matchAll(/<([a-z][a-z0-9]*)[^>]*>/g)].map(
      (match) => match[1]!,
    );
    const own = 'a br code details li p strong sub summary table tbody td th thead tr ul'.split(' ');
    expect(elements.filter((name) => !own.includes(name))).toEqual([]);
    // The page of the run is the only link, and nobody is mentioned.
    expect([...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1])).toEqual([
      'https://github.com/acme/videos/actions/runs/77',
    ]);
    expect(html.replaceAll(/<code>.*?<\/code>/gs, '')).not.toMatch(/@[\w-]|#\d/);
    has(Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`${'@x'.repeat(400)}${index}`, false])));
    await drift();
    expect(ours()[0]!.body.length).toBeLessThan(65_536);
    expect(ours()[0]!.body).toContain('more');
  });

  it('leaves the issue unchanged if the result is unclear or partial', async () => {
    const { github, drift, has, ours } = await setUp();
    has({ berlin: false, rome: true });
    await drift();
    const before = structuredClone(ours());
    expect(await drift(['--target=rome'])).toMatchObject({ exitCode: 0 });
    expect(ours()).toEqual(before);
    has({ berlin: 'http://127.0.0.1:9/a.png', rome: true });
    expect(await drift()).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('Could not be verified') });
    expect(ours()).toEqual(before);
    // The command still prints its findings.
    has({ berlin: false, rome: true });
    expect(await drift(['--target=berlin'])).toMatchObject({ exitCode: 2 });
    expect(github.issues).toHaveLength(1);
  });

  it('never changes the exit code, and warns of problems', async () => {
    const { github, drift, has } = await setUp();
    has({ berlin: false });
    const told = async (env: Readonly<Record<string, string>>, code: string): Promise<void> => {
      const ran = await drift([], env);
      expect(ran).toMatchObject({ exitCode: 2, stdout: expect.stringContaining('berlin') });
      expect(ran.stderr).toMatch(new RegExp(`^::warning .*${code}`, 'm'));
    };
    await told({ GITHUB_TOKEN: '' }, 'forge_refused');
    await told({ GITHUB_REPOSITORY: '' }, 'forge_unknown');
    // Disabled issues, missing rights, a rate limit, an outage.
    for (const [status, code] of [
      [410, 'forge_refused'],
      [403, 'forge_refused'],
      [429, 'forge_limited'],
    ] as const) {
      github.force('POST issues', { kind: 'answer', status, headers: { 'retry-after': '3600' } });
      await told({}, status === 403 ? 'forge_limited' : code);
    }
    github.force('GET issues', ...Array.from({ length: 5 }, () => ({ kind: 'answer', status: 502 }) as const));
    await told({}, 'forge_refused');
    expect(github.issues).toEqual([]);
    // Whether the issue was created is unclear, so it is looked for and created once.
    github.force('POST issues', { kind: 'cut', afterDoing: true });
    expect((await drift()).stderr).not.toContain('::warning');
    expect(github.issues).toHaveLength(1);
  });

  it('keeps the older of two issues that two runs opened at the same time', async () => {
    const { github, drift, has } = await setUp();
    has({ berlin: false });
    const both = await Promise.all([drift(), drift()]);
    expect(both.map(({ exitCode }) => exitCode)).toEqual([2, 2]);
    await drift();
    expect(github.issues.filter(({ state }) => state === 'open')).toMatchObject([{ number: 1 }]);
    has({ berlin: true });
    await drift();
    expect(github.issues.filter(({ state }) => state === 'open')).toEqual([]);
  });
});
