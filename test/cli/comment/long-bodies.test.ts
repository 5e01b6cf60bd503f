import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { brokenMarkdown } from '../../report/well-formed.ts';
import { startGitHub } from '../../support/github-server.ts';
import { startGitLab } from '../../support/gitlab-server.ts';
import { newVideo, planText } from '../../support/plan-files.ts';
import { temporaryRepository } from '../../support/temporary-repository.ts';
import { reelform } from '../../support/test-io.ts';

const BOT = 'github-actions[bot]';
const HOSTILE = '|`</details>@octocat ';

/** Returns a plan whose full description far exceeds 66,000 characters. @param name length of each video's id */
function longPlan(count: number, name: number): string {
  const changes = Array.from({ length: count }, (_, index) => {
    const id = `video-${String(index).padStart(4, '0')}`.padEnd(name, '_');
    const text = (what: string): string => `${what} ${HOSTILE.repeat(12)}`;
    const inputs = Array.from({ length: 14 }, (_, at) => ({
      key: `t_${at + 10}`,
      before: text('Old'),
      after: text('New'),
    }));
    const before = { fingerprint: `v1:${'1'.repeat(64)}`, session: 'rs_1', video_url: 'renders/a.mp4' };
    return newVideo(id, {
      action: 'update',
      reason: 'input_changed',
      title: HOSTILE.repeat(name / 15),
      inputs,
      before,
    });
  });
  const problem = {
    code: 'text_overflow',
    severity: 'warning',
    message: HOSTILE.repeat(60),
    hint: HOSTILE.repeat(30),
    file: 'videos/a.yaml',
    line: 3,
  };
  const diagnostics = Array.from({ length: 60 }, () => problem);
  return planText(changes, { summary: { update: count }, diagnostics });
}

/** Plans by the level of detail that is left in a comment. */
const PLANS = {
  some: [longPlan(40, 12), 'what changed about \\d+ videos is not shown'],
  table: [longPlan(50, 200), 'what changed (?:is|are) not shown'],
} as const;

function expectCut(body: string, words: string, limit: number): void {
  const size = body.length;
  expect(size).toBeLessThanOrEqual(limit);
  expect(size).toBeGreaterThan(limit / 3);
  expect(body).toMatch(new RegExp(`Shortened: .*(?:${words})`));
}

describe.each(Object.entries(PLANS))('a plan shortened to: %s', (_, [plan, words]) => {
  it('is written, edited and checked on GitHub within its limit of 65,536 characters', async () => {
    const server = await startGitHub({ users: { token: { login: BOT, rights: 'write' } } });
    onTestFinished(() => server.close());
    const sha = 'a'.repeat(40);
    const pull = server.open({ pull: { headOwner: 'acme', headBranch: 'change', headSha: sha, base: 'main' } });
    const event = JSON.stringify({ pull_request: { number: pull.number, head: { sha } } });
    const root = temporaryRepository({ 'one.json': planText([newVideo('a')]), 'plan.json': plan, 'event.json': event });
    const env = { ...server.env('token'), GITHUB_EVENT_PATH: join(root, 'event.json'), GITHUB_WORKSPACE: root };
    for (const flags of [['one.json'], ['plan.json', '--check'], ['plan.json', '--behavior', 'new', '--tag', 'b']]) {
      const { exitCode, stderr } = await reelform(root, ['comment', 'github', '--strict', '--plan', ...flags], {
        env,
        isLate: true,
      });
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/^The comment was/) });
    }
    expect(server.comments).toHaveLength(2);
    for (const { body } of server.comments) expectCut(body, words, 65_536);
    const { summary } = server.checkRuns.at(-1)!.fields.output as { summary: string };
    expectCut(summary, words, 65_535);
  });

  it('is written as a GitLab note and as Markdown', async () => {
    const server = await startGitLab({ token: 1 });
    onTestFinished(() => server.close());
    const root = temporaryRepository({ 'plan.json': plan });
    await reelform(root, ['comment', 'gitlab', '--strict', '--plan', 'plan.json'], {
      env: server.env('token'),
      isLate: true,
    });
    expectCut(server.notes.at(-1)!.body, words, 65_536);
    const { stdout } = await reelform(root, ['show', 'plan.json', '--format', 'markdown']);
    expectCut(stdout, words, 60_000);
    expect(brokenMarkdown(stdout)).toEqual([]);
    await reelform(root, ['show', 'plan.json', '--format', 'gitlab']);
    expectCut(readFileSync(join(root, '.reelform/gitlab/note.md'), 'utf8'), words, 60_000);
  });

  it('fits into the remaining space of a step summary, which GitHub limits to 1 MiB', async () => {
    const before = `${'Before. '.repeat(107_000)}\n\n`;
    const root = temporaryRepository({ 'plan.json': plan, summary: before });
    const file = join(root, 'summary');
    await reelform(root, ['show', 'plan.json', '--format', 'github'], { env: { GITHUB_STEP_SUMMARY: file } });
    const summary = readFileSync(file, 'utf8');
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
    expectCut(summary.slice(before.length), words, 900 * 1024 - before.length);
  });
});
