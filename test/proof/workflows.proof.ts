import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cloneOf } from '../support/git-repository.ts';
import { count } from '../support/proof.ts';
import { reviewedRepository } from '../support/reviewed-repository.ts';
import type { JobRun, RepositoryEvent } from '../support/workflow-runner.ts';

const LOCK = 'reelform.lock.json';
const told = (runs: readonly JobRun[]): string[] => runs.map(({ job, conclusion }) => `${job}: ${conclusion}`);
const logOf = (runs: readonly JobRun[]): string =>
  runs.flatMap(({ steps }) => steps.map(({ name, log }) => `## ${name}\n${log}`)).join('\n');

function video(headline: string, title = 'Hello'): string {
  return `template: card
title: ${JSON.stringify(title)}
resources:
  t_01: ${JSON.stringify(headline)}
  t_02: "Below it"
  c_01: "#F7F2EB"
  c_02: "#E5522E"
output: { height: 90, fps: 10 }
`;
}

describe('the workflows of reelform init', () => {
  it('plan, comment with pictures, apply, commit, and then change nothing', async () => {
    const { remote, github, host, open, push, comments, onMain } = await reviewedRepository();
    const first = await push({ 'README.md': 'Videos' });
    expect(told(first), logOf(first)).toEqual(['apply: success']);

    const pull = await open({ 'videos/hello.yaml': video('Another line') });
    const planned = await pull.plan();
    expect(told(planned), logOf(planned)).toEqual(['plan: success', 'comment: success']);
    const [plan] = planned as [JobRun];
    expect(plan.summary).toContain('### Reelform plan: 1 to update');
    const page = `https://github.com/acme/videos/actions/runs/${plan.runId}/artifacts/`;
    expect(plan.summary).toContain(`\n\n[Plan page](${page}`);
    const kept = join(host.artifacts, String(plan.runId));
    expect(readdirSync(join(kept, 'reelform-plan-1')).sort()).toEqual(['plan.html', 'plan.json', 'preview']);
    expect(readFileSync(join(kept, 'plan-1.html/plan-1.html'), 'utf8')).toContain('data:image/jpeg;base64,');
    // Drawn by one job and published by another from the artifact of the first.
    const [comment = '', ...others] = comments(pull.number);
    expect(others).toEqual([]);
    expect(comment).toContain(`[Plan page](<${page}`);
    const shown = [...comment.matchAll(/<img src="https:\/\/github\.com\/acme\/videos\/blob\/([^"?]+)\?raw=true"/g)];
    expect(shown.length).toBeGreaterThanOrEqual(2);
    for (const [, path = ''] of shown) {
      const [branch, ...rest] = path.split('/');
      expect(await remote.git('cat-file', '-t', `${branch}:${rest.join('/')}`)).toBe('blob');
      expect(branch).toBe('reelform-previews');
    }
    expect(github.checkRuns.map(({ fields }) => fields.conclusion)).toEqual(['success']);

    const merged = await pull.merge();
    expect(told(merged), logOf(merged)).toEqual(['apply: success']);
    expect(merged[0]!.summary).toContain('1 rendered');
    // Each run's artifact contains what it rendered; replaced renderings are no longer stored.
    const [before, after] = [first[0]!, merged[0]!].map(({ runId }) =>
      readdirSync(join(host.artifacts, String(runId), 'renders-1')).sort(),
    ) as [string[], string[]];
    expect(before.filter((name) => after.includes(name))).toEqual([]);
    expect(readdirSync(join(merged[0]!.workspace, 'renders')).sort()).toEqual(after);
    expect(await remote.git('log', '-1', '--format=%an %B', 'main')).toMatch(
      /^github-actions\[bot\] [\s\S]*Rendered-By/,
    );
    // A push of only the lockfile, even by an app, starts nothing, and a requested run finds nothing to do.
    expect(await push({ [LOCK]: `${await remote.git('show', `main:${LOCK}`)}\n\n` })).toEqual([]);
    const tip = await remote.git('rev-parse', 'main');
    const again = await host.happen(await onMain('workflow_dispatch'));
    expect(told(again).sort(), logOf(again)).toEqual(['apply: success', 'drift: success', 'plan: success']);
    expect(again.find(({ job }) => job === 'apply')!.summary).toContain('### Reelform apply: no changes');
    expect(await remote.git('rev-parse', 'main')).toBe(tip);
    expect(existsSync(join(host.artifacts, String(again.find(({ job }) => job === 'apply')!.runId)))).toBe(false);
    expect(logOf([...first, ...planned, ...merged, ...again])).not.toContain('canary');
  });

  describe.runIf(count(1, 0) === 1)('', () => {
    it('plan a fork with a read-only token and comment without storing its pictures', async () => {
      const { remote, open, comments } = await reviewedRepository();
      const pull = await open({ 'videos/hello.yaml': video('Of a fork') }, { isOfFork: true });
      const planned = await pull.plan();
      expect(told(planned), logOf(planned)).toEqual(['plan: success', 'comment-fork: success']);
      expect(comments(pull.number)[0]).toMatch(/\[Plan page\]\(<.*\/artifacts\//);
      expect(comments(pull.number)[0]).not.toContain('<img');
      expect(await remote.git('branch', '--list', 'reelform-previews')).toBe('');
    });

    it('fail for mistakes and policy violations, with the reason in the comment', async () => {
      const { github, open, comments } = await reviewedRepository({
        config: 'policies: {forbid_words: {words: [cheap]}}\n',
      });
      const wrong = await open({ 'videos/hello.yaml': `${video('Wrong')}nonsense: 1\n` });
      const mistaken = await wrong.plan();
      expect(told(mistaken), logOf(mistaken)).toEqual(['plan: failure', 'comment: success']);
      expect(logOf(mistaken)).toContain('::error title=');
      expect(comments(wrong.number)[0]).toContain('nonsense');
      const denied = await open({ 'videos/hello.yaml': video('So cheap') });
      const refused = await denied.plan();
      expect(told(refused), logOf(refused)).toEqual(['plan: failure', 'comment: success']);
      expect(comments(denied.number)[0]).toContain('<br><sub>Use other words</sub>');
      expect(comments(denied.number)[0]).toContain('<img');
      expect(logOf([...mistaken, ...refused])).not.toContain('preview_invalid');
      expect(github.checkRuns.map(({ fields }) => fields.conclusion)).toEqual(['failure', 'action_required']);
    });

    it('report nothing for a cancelled run and keep its finished renders', async () => {
      let cancelAt = 'Plan';
      const { remote, host, open, push, comments, onMain } = await reviewedRepository({
        onLog: (step, log, cancel) => {
          if (step === cancelAt && (cancelAt === 'Plan' || log.includes('(1 of 4)'))) cancel();
        },
      });
      const pull = await open({ 'videos/hello.yaml': video('Cancelled') });
      const planned = await pull.plan();
      expect(told(planned), logOf(planned)).toEqual(['plan: cancelled']);
      expect(comments(pull.number)).toEqual([]);
      cancelAt = 'Apply';
      const more = Object.fromEntries(
        [1, 2, 3].map((n) => [`videos/${n}.yaml`, video(`Number ${n}`).replace('90', '540')]),
      );
      const applied = await push(more);
      expect(told(applied), logOf(applied)).toEqual(['apply: cancelled']);
      const recorded = Object.keys(JSON.parse(await remote.git('show', `main:${LOCK}`)).videos);
      expect(recorded.length).toBeGreaterThanOrEqual(1);
      cancelAt = '';
      const again = (await host.happen(await onMain('workflow_dispatch'))).filter(({ job }) => job === 'apply');
      expect(told(again), logOf(again)).toEqual(['apply: success']);
      expect(again[0]!.summary).toContain(`${4 - recorded.length} rendered`);
    });

    it('work in a subdirectory of a larger repository', async () => {
      const folder = 'site/my videos';
      const { remote, open, push, comments } = await reviewedRepository({ init: [folder], folder });
      expect(await push({ 'README.md': 'Not of ours' })).toEqual([]);
      const pull = await open({ [`${folder}/videos/hello.yaml`]: video('In a folder') });
      const planned = await pull.plan();
      expect(told(planned), logOf(planned)).toEqual(['plan: success', 'comment: success']);
      expect(comments(pull.number)[0]).toMatch(/^<!-- reelform:plan:site-my-videos -->[\s\S]*<img/);
      const merged = await pull.merge();
      expect(told(merged), logOf(merged)).toEqual(['apply: success']);
      expect(await remote.git('show', '--name-only', '--format=', 'main')).toBe(`${folder}/${LOCK}`);
    });

    it('treat titles, names and texts as untrusted data', async () => {
      const { open, comments } = await reviewedRepository();
      const hostile = '$(touch pwned) `touch pwned`; touch pwned #::error::pwned @someone';
      const pull = await open({
        'videos/hello.yaml': video('Hello', hostile),
        'videos/with blanks $(touch pwned)/`;touch pwned`.yaml': `id: hostile\n${video(hostile.slice(0, 30), hostile)}`,
      });
      const planned = await pull.plan();
      expect(told(planned), logOf(planned)).toEqual(['plan: success', 'comment: success']);
      for (const { workspace } of planned) expect(existsSync(join(workspace, 'pwned'))).toBe(false);
      expect(logOf(planned)).not.toMatch(/^::error::pwned/m);
      expect(comments(pull.number)[0]).not.toContain('@someone');
      const merged = await pull.merge();
      expect(told(merged), logOf(merged)).toEqual(['apply: success']);
      expect(existsSync(join(merged[0]!.workspace, 'pwned'))).toBe(false);
    });
  });
});

describe.runIf(count(1, 0) === 1)('action.yml', () => {
  it('plans and comments with pictures, applies and commits, and checks for drift', async () => {
    const folder = 'a folder';
    const repository = await reviewedRepository({ init: [folder, '--ci', 'none'], folder });
    const { remote, host, github, open, comments, onMain } = repository;
    const checkout = async (ref: string): Promise<string> => {
      const { root, git } = await cloneOf(remote);
      await git('fetch', '--quiet', 'origin', `${ref}:refs/remotes/checked-out`);
      await git('checkout', '--quiet', ...(ref === 'main' ? ['main'] : ['--detach', 'refs/remotes/checked-out']));
      return root;
    };
    const act = async (command: string, inputs: Record<string, string>, event: RepositoryEvent) =>
      host.act(await checkout(event.ref), { command, 'working-directory': folder, ...inputs }, event);

    const pull = await open({ [`${folder}/videos/hello.yaml`]: video('By the action') });
    const inputs = {
      preview: 'stills',
      artifact: 'the-plan',
      comment: 'true',
      check: 'true',
      tag: 'site',
      'preview-host': 'branch:pictures',
      args: '--ignore-missing-outputs\n\n  \n--target\nhe*\n',
    };
    const planned = await act('plan', inputs, pull.event);
    expect([planned.conclusion, planned.outputs], planned.steps.map(({ log }) => log).join('\n')).toEqual([
      'success',
      expect.objectContaining({ 'has-changes': 'true', renders: '1', errors: '0', rendered: '', commit: '' }),
    ]);
    expect(existsSync(join(planned.outputs.report!, 'plan.json'))).toBe(true);
    const [comment = ''] = comments(pull.number);
    expect(comment).toMatch(/^<!-- reelform:plan:site -->/);
    expect(comment).toContain(`<${planned.outputs['artifact-url']}>`);
    expect(comment).toContain('<img src="https://github.com/acme/videos/blob/pictures/');
    expect(github.checkRuns.map(({ fields }) => fields.name)).toEqual(['Reelform plan (site)']);
    // The job that decides about the plan has no token.
    const judge = { 'policy-command': '["/bin/sh", "-c", "test -z \\"$GITHUB_TOKEN\\" && exit 1"]' };
    const denied = await act('plan', judge, pull.event);
    expect(denied.conclusion).toBe('failure');
    expect([denied.outputs.errors, denied.outputs.denied]).toEqual(['1', 'true']);

    await pull.merge();
    const apply = { commit: 'push', checkpoint: '5', 'report-failures': 'true' };
    const applied = await act('apply', apply, await onMain('push'));
    expect([applied.conclusion, applied.outputs], applied.steps.map(({ log }) => log).join('\n')).toEqual([
      'success',
      expect.objectContaining({ rendered: '1', failed: '0', 'lock-changed': 'true', 'pull-request': '' }),
    ]);
    expect(applied.outputs.commit).toBe(await remote.git('rev-parse', 'main'));
    const drift = await act('drift', { issue: 'true', args: '--ignore-missing-outputs' }, await onMain('schedule'));
    expect(drift.conclusion, drift.steps.map(({ log }) => log).join('\n')).toBe('success');

    const { conclusion, steps } = await act('plan', { command: 'plan; touch pwned' }, pull.event);
    expect([conclusion, steps.filter(({ outcome }) => outcome !== 'skipped').length]).toEqual(['failure', 1]);
  });
});
