import { describe, expect, it, onTestFinished } from 'vitest';
import type { VideoPreview } from '../../../src/report/preview/plan-preview.ts';
import { previewFiles } from '../../../src/report/preview/preview-document.ts';
import { type GitHubServer, type SeenIssue, startGitHub } from '../../support/github-server.ts';
import { newVideo, planText } from '../../support/plan-files.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { type Ran, reelform } from '../../support/test-io.ts';

const TOKEN = 'ghs_0canary0';
const BOT = 'github-actions[bot]';
const HEAD = 'a'.repeat(40);
const MARKER = '<!-- reelform:plan:plan -->';
const ONE = planText([newVideo('berlin')]);
const TWO = planText([newVideo('berlin'), newVideo('rome')]);
const NONE = planText([]);
const POST = 'POST issues/{n}/comments';

interface Flow {
  readonly server: GitHubServer;
  readonly pull: SeenIssue;
  /** Runs the command as a job of the pull request does. */
  comment(plan: string, ...flags: string[]): Promise<Ran>;
  /** Returns the comments of the bot. */
  bodies(): string[];
}

interface FlowOptions {
  readonly token?: string;
  readonly event?: (pull: SeenIssue) => unknown;
  readonly env?: Readonly<Record<string, string>>;
}

async function openFlow({ token = TOKEN, event, env = {} }: FlowOptions = {}): Promise<Flow> {
  const server = await startGitHub({
    users: {
      [TOKEN]: { login: BOT, rights: 'write' },
      fork: { login: BOT, rights: 'read' },
      app: { login: 'acme-videos[bot]', rights: 'write' },
    },
  });
  onTestFinished(() => server.close());
  const pull = server.open({ pull: { headOwner: 'acme', headBranch: 'change', headSha: HEAD, base: 'main' } });
  const told = event?.(pull) ?? { pull_request: { number: pull.number, head: { sha: HEAD } } };
  return {
    server,
    pull,
    async comment(plan, ...flags) {
      const root = temporaryRepository({ 'plan.json': plan, 'event.json': JSON.stringify(told) });
      const all = { ...server.env(token), GITHUB_EVENT_PATH: `${root}/event.json`, GITHUB_WORKSPACE: root, ...env };
      return reelform(root, ['comment', 'github', '--plan', 'plan.json', ...flags], { env: all, isLate: true });
    },
    bodies: () => server.comments.filter(({ user }) => user === BOT).map(({ body }) => body),
  };
}

describe('reelform comment github', () => {
  it('writes one comment, finds it behind all others, edits it, and leaves an identical one unchanged', async () => {
    const { server, pull, comment, bodies } = await openFlow();
    expect(await comment(NONE)).toMatchObject({
      exitCode: 0,
      stderr: 'The plan has no changes; no comment was created\n',
    });
    expect(server.count(POST)).toBe(0);
    for (let i = 0; i < 140; i++) server.comment(pull.number, 'someone', `${MARKER}\nNot the bot's: ${i}`);
    // Quotes the marker in an unrelated comment.
    server.comment(pull.number, BOT, `> ${MARKER}\n\nOther words of the bot`);
    const others = structuredClone(server.comments);

    const first = await comment(ONE);
    expect(first).toMatchObject({ exitCode: 0, stdout: '' });
    expect(first.stderr).toMatch(
      /^The comment was created: https:\/\/github\.com\/acme\/videos\/pull\/1#issuecomment-/,
    );
    const [, body = ''] = bodies();
    const [marker, hidden = ''] = body.split('\n');
    expect(marker).toBe(MARKER);
    const planId = (JSON.parse(ONE) as { plan_id: string }).plan_id;
    const approvals = expect.stringMatching(/^[A-Za-z0-9+/]{22}$/);
    const data = { plan_id: planId, approvals, head_sha: HEAD, base_sha: '0'.repeat(40) };
    expect(JSON.parse(hidden.slice(5, -4))).toEqual(data);
    expect(body).toContain('berlin');

    expect((await comment(ONE)).stderr).toContain('The comment is already up to date');
    expect(server.count('PATCH issues/comments/{id}')).toBe(0);
    for (let i = 0; i < 40; i++) others.push(server.comment(pull.number, 'someone', 'More'));
    expect((await comment(TWO)).stderr).toContain('The comment was updated');
    expect(bodies()[1]).toContain('rome');
    await comment(NONE);
    expect(bodies()[1]?.split('\n').slice(2)).toEqual(['', 'Reelform: this pull request no longer changes any video.']);
    expect(server.count(POST)).toBe(1);
    expect(server.comments.filter(({ id }) => others.some((one) => one.id === id))).toEqual(others);
    expect([...server.authorizations]).toEqual([`Bearer ${TOKEN}`]);
  });

  it('writes a separate comment for another account or tag', async () => {
    const { server, comment } = await openFlow();
    await comment(ONE);
    const again = (...flags: string[]): Promise<Ran> => commentAs(server, server.env('app'), flags);
    await again();
    await again('--tag', 'site/b');
    expect(server.comments.map(({ user, body }) => [user, body.split('\n', 1)[0]])).toEqual([
      [BOT, MARKER],
      ['acme-videos[bot]', MARKER],
      ['acme-videos[bot]', '<!-- reelform:plan:site/b -->'],
    ]);
  });

  it.each([
    ['new', [false, false], [false, false, false]],
    ['hide-and-new', [true, false], [true, true, false]],
    ['delete-and-new', [false], [false]],
  ])('--behavior %s', async (behavior, hidden, quiet) => {
    const { server, comment, bodies } = await openFlow();
    await comment(ONE, '--behavior', behavior);
    await comment(TWO, '--behavior', behavior);
    await comment(TWO, '--behavior', behavior);
    expect(server.comments.map(({ isMinimized }) => isMinimized)).toEqual(hidden);
    expect(bodies().at(-1)).toContain('rome');
    await comment(NONE, '--behavior', behavior);
    expect(server.comments.map(({ isMinimized }) => isMinimized)).toEqual(quiet);
    expect(bodies().at(-1)).toContain('Reelform: this pull request no longer changes any video.');
    await comment(ONE, '--behavior', behavior);
    await comment(NONE, '--behavior', behavior, '--skip-no-diff');
    expect(bodies().at(-1) ?? '').not.toContain('changes no video any more');
  });

  it("stays below GitHub's limit for any plan", async () => {
    const { comment, bodies } = await openFlow();
    const long = '@someone <img src=x> | `'.repeat(60);
    const many = Array.from({ length: 700 }, (_, i) =>
      newVideo(`v${i}`, { title: long, inputs: [{ key: 't_01', before: null, after: `${i} ${long}` }] }),
    );
    expect(await comment(planText(many))).toMatchObject({ exitCode: 0 });
    const [body = ''] = bodies();
    expect(body.length).toBeGreaterThan(2000);
    expect(body.length).toBeLessThanOrEqual(60_000);
    expect(body).toContain('https://github.com/acme/videos/actions/runs/77');
    expect(body).not.toMatch(/@someone|<img/);
  });

  it('shows pictures with permitted URLs and omits unusable ones', async () => {
    const { comment, bodies } = await openFlow();
    const still = (url: string): VideoPreview => {
      const after = {
        bytes: Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
        contentType: 'image/jpeg' as const,
        width: 64,
        height: 36,
        url,
      };
      const stills = [{ timeSeconds: 1, editables: [], before: null, after, changedShare: null }];
      return { stills, isVisible: null, unseen: [] };
    };
    const urls = {
      a: 'https://github.com/acme/videos/blob/previews/a.jpg?raw=true',
      b: 'https://cdn.example.com/p/b.jpg',
      c: 'https://cdn.example.com/pixel.jpg',
    };
    const videos = new Map(Object.entries(urls).map(([id, url]) => [id, still(url)]));
    const seconds = { all: 1, rendering: 1 };
    const folder = temporaryRepository(
      Object.fromEntries(previewFiles({ videos, leftOut: [], contactSheet: null, matrices: [], seconds })),
    );
    const changes = Object.keys(urls).map((id) => newVideo(id));
    const plan = planText(changes, { preview: { videos: [], left_out: [] } });
    await comment(plan, '--preview-dir', folder, '--preview-url', 'https://cdn.example.com/p');
    const shown = [...bodies()[0]!.matchAll(/<img src="([^"]*)"/g)].map((match) => match[1]);
    expect(shown.sort()).toEqual([urls.b, urls.a]);
    const without = await comment(plan, '--preview-dir', `${folder}/none`);
    expect(without).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('preview_invalid') });
    expect(bodies()[0]).not.toContain('<img');
    // Errors left nothing to draw in this plan.
    const page = 'https://github.com/acme/videos/actions/runs/77/artifacts/5';
    const undrawn = await comment(planText(changes), '--preview-dir', `${folder}/none`, '--page', page);
    expect(undrawn.stderr).not.toContain('warning');
    expect(bodies()[0]).toContain(`[Plan page](<${page}>)`);
    // Invalid images are not published, and a host that accepts none does not prevent the comment.
    const host = ['--preview-dir', folder, '--preview-host', 'branch:previews'];
    const unpublished = await comment(plan, ...host);
    expect(unpublished).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('3 pictures of the preview') });
    expect(bodies()[0]).not.toContain('<img');
    const unnamed = await comment(plan, '--preview-host', 'branch:previews');
    expect(unnamed).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('Add --preview-dir') });
  });

  it('creates no duplicates if a response is lost', async () => {
    const { server, comment } = await openFlow();
    server.force(POST, { kind: 'cut', afterDoing: true });
    expect(await comment(ONE)).toMatchObject({ exitCode: 0 });
    server.force('PATCH issues/comments/{id}', { kind: 'answer', status: 502, afterDoing: true }, { kind: 'cut' });
    expect(await comment(TWO)).toMatchObject({ exitCode: 0 });
    expect(server.comments).toHaveLength(1);
    server.force(POST, { kind: 'cut' });
    await comment(ONE, '--behavior', 'new');
    expect(server.comments).toHaveLength(2);
    await comment(TWO);
    expect(server.comments).toMatchObject([{ isMinimized: true }, { isMinimized: false }]);
    expect(server.count('PATCH issues/comments/{id}')).toBe(4);
  });

  it('exits with 0 if a comment cannot be written, unless --strict is given', async () => {
    const fork = await openFlow({ token: 'fork' });
    const refused = await fork.comment(ONE);
    expect(refused).toMatchObject({ exitCode: 0, stdout: '' });
    expect(refused.stderr).toMatch(/^::warning title=reelform::forge_refused: POST .* 403: Resource not accessible/);
    expect(await fork.comment(ONE, '--strict')).toMatchObject({ exitCode: 1 });
    expect(fork.server.comments).toEqual([]);

    const { server, comment } = await openFlow();
    server.force(POST, {
      kind: 'answer',
      status: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' },
    });
    expect(await comment(ONE)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('forge_limited') });
    server.force('GET issues/{n}/comments', { kind: 'answer', status: 200, body: 'no list' });
    expect(await comment(ONE)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('forge_answer_invalid') });
    server.force(POST, { kind: 'answer', status: 401, body: { message: `Bad ${TOKEN}` } });
    const bad = await comment(ONE);
    expect(bad.stderr).toContain('forge_refused');
    expect(bad.stderr).not.toContain('canary');
    await server.close();
    expect(await comment(ONE)).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('forge_unreachable') });
  });

  it('writes a check run with all annotations', async () => {
    const { server, comment } = await openFlow();
    const mistake = (line: number) => ({
      code: 'text_too_long',
      severity: 'error',
      message: `No. ${line}`,
      hint: 'Shorten it',
      file: 'videos/berlin.yaml',
      line,
      column: 3,
      end_line: line,
      end_column: 9,
    });
    const elsewhere = { ...mistake(1), file: '../../etc/passwd' };
    const diagnostics = [...Array.from({ length: 120 }, (_, i) => mistake(i + 1)), elsewhere, { code: 7, message: 8 }];
    await comment(planText([newVideo('berlin')], { diagnostics }), '--check');
    const [run] = server.checkRuns;
    expect(run).toMatchObject({ headSha: HEAD, fields: { name: 'Reelform plan', conclusion: 'failure' } });
    expect(run?.annotations.map(({ start_line }) => start_line)).toEqual(
      diagnostics.slice(0, 120).map((_, i) => i + 1),
    );
    expect(run?.annotations[0]).toMatchObject({ path: 'videos/berlin.yaml', annotation_level: 'failure' });
    expect(server.count('PATCH check-runs/{id}')).toBe(2);

    const denied = {
      rule: 'max_duration',
      status: 'fail',
      level: 'deny',
      video: 'berlin',
      message: 'Too long',
    } as const;
    const broken = { code: 'policy_broken', severity: 'error', message: 'Too long' };
    await comment(planText([newVideo('berlin')], { checks: [denied], diagnostics: [broken] }), '--check');
    await comment(ONE, '--check');
    server.force('POST check-runs', { kind: 'cut', afterDoing: true });
    await comment(NONE, '--check');
    expect(server.checkRuns.map(({ fields }) => fields.conclusion)).toEqual([
      'failure',
      'action_required',
      'success',
      'neutral',
    ]);
  });

  it('prints the comment without a token with --dry-run', async () => {
    const { server, comment } = await openFlow({ env: { GITHUB_TOKEN: '' } });
    const nowhere = await openFlow({ env: { GITHUB_TOKEN: '', GITHUB_REPOSITORY: '', GITHUB_EVENT_PATH: '' } });
    expect((await nowhere.comment(ONE, '--dry-run')).stdout).toContain(MARKER);
    const { exitCode, stdout } = await comment(ONE, '--dry-run');
    expect(exitCode).toBe(0);
    expect(stdout.startsWith(`${MARKER}\n`)).toBe(true);
    expect(server.seen).toEqual([]);
    expect(await comment(ONE)).toMatchObject({
      exitCode: 0,
      stderr: expect.stringContaining('GITHUB_TOKEN contains no token'),
    });
  });

  describe('finds its pull request', () => {
    const run = (fields: object) => ({ workflow_run: { id: 55, head_sha: HEAD, head_branch: 'change', ...fields } });

    it('of a fork, by the workflow run that planned', async () => {
      const ofFork = run({ head_repository: { owner: { login: 'stranger' } }, pull_requests: [] });
      const { server, pull, comment } = await openFlow({ event: () => ofFork });
      const forked = server.open({
        pull: { headOwner: 'stranger', headBranch: 'change', headSha: HEAD, base: 'main' },
      });
      await comment(
        planText(Array.from({ length: 2000 }, (_, i) => newVideo(`video-${i}`, { title: `Title ${i}`.repeat(9) }))),
      );
      expect(server.comments).toMatchObject([{ number: forked.number }]);
      expect(server.comments[0]?.body).toContain('actions/runs/55');
      expect(pull.number).not.toBe(forked.number);
      forked.pull!.headSha = 'c'.repeat(40);
      expect(await comment(ONE, '--strict')).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('has a newer commit'),
      });
    });

    it('and writes nothing if it has a newer commit or does not exist', async () => {
      const { server, pull, comment } = await openFlow();
      pull.pull!.headSha = 'c'.repeat(40);
      expect((await comment(ONE)).stderr).toContain('has a newer commit: no comment was written');
      const none = await openFlow({ event: () => run({ head_repository: { owner: { login: 'nobody' } } }) });
      expect((await none.comment(ONE)).stderr).toContain('The job does not run for a pull request');
      expect([...server.comments, ...none.server.comments]).toEqual([]);
    });

    it('by the push that merged it, and by its number', async () => {
      const merged = 'e'.repeat(40);
      const push = { ref: 'refs/heads/main', after: merged };
      const { server, comment, pull } = await openFlow({ event: () => push, env: { GITHUB_SHA: merged } });
      Object.assign(pull.pull!, { mergedAs: merged });
      await comment(ONE);
      await comment(ONE, '--pr', '9');
      server.open({ number: 9, pull: { headOwner: 'acme', headBranch: 'b', headSha: HEAD, base: 'main' } });
      await comment(ONE, '--pr', '9');
      expect(server.comments.map(({ number }) => number)).toEqual([pull.number, 9]);
    });

    it('never outside of a repository', async () => {
      const { comment } = await openFlow({ env: { GITHUB_REPOSITORY: '../..' } });
      expect(await comment(ONE)).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('forge_unknown') });
    });
  });
});

describe('an untrusted plan', () => {
  const change = newVideo('berlin');
  const ANY = { plan_id: `sha256:${'0'.repeat(64)}` };
  it.each([
    ['is not JSON', '{'],
    ['is nested too deeply', '['.repeat(200_000)],
    ['is another document', '{"format_version": "1.0"}'],
    ['has changes of another plan', planText([change], ANY)],
    ['has an unknown action', planText([{ ...change, action: 'rm' as never }])],
    ['has invalid texts', planText([{ ...change, title: { toString: 1 } as never }])],
    ['has invalid destinations', planText([{ ...change, destinations: [{ kind: 'deliver' }] as never }], ANY)],
    ['has invalid counts', planText([change], { summary: { '\n::error::x': 'x' } as never })],
    ['has invalid checks', planText([change], { checks: [{ status: 'fail' }] as never })],
  ])('that %s is refused', async (_, text) => {
    const { server, comment } = await openFlow();
    const { exitCode, stderr } = await comment(text);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^error plan_invalid: .*\nhint: .*\n$/);
    expect(server.seen).toEqual([]);
  });

  it('can contain any text without effect', async () => {
    const hostile = `--> <!-- x\n/close\n${MARKER}\n@acme/all ![](https://evil.example/x.png) <script> ::error::x | www.evil.example`;
    const { comment, bodies } = await openFlow();
    const fields = {
      path: hostile,
      previous_id: hostile,
      title: hostile,
      template: hostile,
      reason: hostile,
      inputs: [{ key: hostile, before: hostile, after: hostile }],
    };
    const diagnostics = [{ code: hostile, severity: hostile, message: hostile, hint: hostile, file: hostile, line: 1 }];
    const text = planText([newVideo(hostile, fields)], { tool_version: hostile, diagnostics });
    expect(await comment(text, '--check')).toMatchObject({ exitCode: 0 });
    const [body = ''] = bodies();
    expect(body.split(MARKER)).toHaveLength(2);
    expect(body.match(/<!-- /g)).toHaveLength(body.match(/ -->/g)?.length ?? 0);
    expect(body).not.toMatch(/^\/close|^::|@acme|!\[\]\(|<script|www\.evil/m);
  });
});

async function commentAs(server: GitHubServer, env: Record<string, string>, flags: string[]): Promise<Ran> {
  const root = temporaryRepository({ 'plan.json': ONE });
  const number = String(server.issues[0]?.number);
  return reelform(root, ['comment', 'github', '--plan', 'plan.json', '--pr', number, ...flags], { env, isLate: true });
}
