import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import { schemaFiles } from '../../src/reconciler/project/schema-files.ts';
import { startInterfaceService } from '../support/interface-service.ts';
import { definition, NO_LINT } from '../support/repository.ts';
import { reviewedRepository } from '../support/reviewed-repository.ts';
import { smallPackage } from '../support/small-package.ts';
import { interpolate, isRun } from '../support/workflow-expressions.ts';
import { notPermitted } from '../support/workflow-permissions.ts';
import type { JobRun } from '../support/workflow-runner.ts';

describe('a pull request', () => {
  it('is planned by one workflow and commented on by another, whatever its titles contain', async () => {
    const { person, open, comments } = await reviewedRepository({ config: NO_LINT });
    const hello = readFileSync(join(person.root, 'videos/hello.yaml'), 'utf8');
    // test/proof/workflows.proof.ts covers drawing, rendering and committing.
    const title = '$(touch pwned)`touch pwned`;#::error::pwned @someone';
    const pull = await open({ 'videos/hello.yaml': `${hello}nonsense: ${JSON.stringify(title)}\n` });
    const runs = await pull.plan();
    const log = runs.flatMap(({ steps }) => steps.map((step) => step.log)).join('\n');
    expect(
      runs.map(({ job, conclusion }) => [job, conclusion]),
      log,
    ).toEqual([
      ['plan', 'failure'],
      ['comment', 'success'],
    ]);
    expect(log).toMatch(/^::error title=\w+,file=videos\/hello\.yaml,line=\d+/m);
    expect(log).not.toMatch(/^::error::pwned|::warning|canary/m);
    expect(comments(pull.number)[0]).toMatch(/1 error[\s\S]*\[Plan page\]\(<.*\/artifacts\//);
    expect(comments(pull.number)[0]).not.toContain('@someone');
    for (const { workspace } of runs) expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  });

  it('is planned again by a re-run, a new base branch and a merge queue, but not by a new title', async () => {
    const { remote, person, host, open, comments } = await reviewedRepository({ config: NO_LINT });
    const pull = await open({ 'videos/hello.yaml': await person.git('show', 'main:videos/hello.yaml') });
    const mistake = await open({ 'videos/hello.yaml': 'template: nonsense\n' });
    const first = await mistake.plan();
    const again = await host.runAgain(first[0]!);
    expect(ends(again), logOf(again)).toEqual(['plan: failure', 'comment: success']);
    // Only the plan step fails; the artifacts of the first attempt do not interfere.
    const failing = again[0]!.steps.filter(({ outcome }) => outcome === 'failure');
    expect(failing.map(({ name }) => name)).toEqual(['Plan']);
    const pages = [first, again].map(([run]) => outputOf(run!, 'Keep the page')['artifact-url']);
    expect(new Set(pages).size).toBe(2);
    expect(comments(mistake.number)).toEqual([expect.stringContaining(`<${pages[1]}>`)]);
    // The folder of the repository is unchanged.
    expect(existsSync(join(again[0]!.workspace, 'plan'))).toBe(false);

    const edited = (changes: object) => host.happen({ ...pull.event, payload: { ...pull.event.payload, ...changes } });
    expect(await edited({ action: 'edited', changes: { title: { from: 'Before' } } })).toEqual([]);
    const moved = await edited({ action: 'edited', changes: { base: { ref: { from: 'next' } } } });
    expect(ends(moved)).toEqual(['plan: success', 'comment: success']);
    const sha = await remote.git('rev-parse', 'main');
    const payload = { action: 'checks_requested', merge_group: { head_sha: sha, base_ref: 'refs/heads/main' } };
    const ref = 'gh-readonly-queue/main/pr-1';
    await remote.git('branch', ref, sha);
    const queued = await host.happen({ name: 'merge_group', payload, ref, sha });
    expect(ends(queued)).toEqual(['plan: success']);
  });
});

describe('apply.yml with a service', () => {
  it('pays for nothing twice after a cancelled job', async () => {
    const styleVersion: StyleVersion = { ...smallPackage().spec, id: 'tsv_shop' };
    const service = await startInterfaceService({ styleVersions: [styleVersion], hasEnded: () => false });
    onTestFinished(() => service.close());
    let isCancelled = false;
    const { remote, person, host, push, onMain } = await reviewedRepository({
      config: NO_LINT,
      init: ['--service', service.url, '--template', 'none'],
      secrets: { REELFORM_TOKEN: service.token },
      onLog(step, _log, cancel) {
        if (isCancelled || step !== 'Apply' || service.sessions.size < 10) return;
        isCancelled = true;
        cancel();
      },
    });
    const config = readFileSync(join(person.root, 'reelform.yaml'), 'utf8');
    const ids = Array.from({ length: 10 }, (_, index) => `v${index}`);
    const cancelled = await push({
      'reelform.yaml': `${config.replace('templates: {}', 'templates: { small: tsv_shop }')}concurrency: 10\n`,
      ...Object.fromEntries(schemaFiles('small', styleVersion).map(({ path, text }) => [path, text])),
      ...Object.fromEntries(ids.map((id) => [`videos/${id}.yaml`, definition(id, PHOTO)])),
    });
    expect(ends(cancelled), logOf(cancelled)).toEqual(['apply: cancelled']);
    expect(service.count('POST /v2/render_sessions')).toBe(10);
    service.finish();
    const next = (await host.happen(await onMain('workflow_dispatch'))).filter(({ job }) => job === 'apply');
    expect(ends(next), logOf(next)).toEqual(['apply: success']);
    const lock = JSON.parse(await remote.git('show', 'main:reelform.lock.json')) as { videos: object };
    expect([Object.keys(lock.videos), service.count('POST /v2/render_sessions')]).toEqual([ids, 10]);
    expect(logOf(next)).not.toContain('journal_local');
  });
});

describe('apply.yml with REELFORM_REVIEWED_ONLY', () => {
  it('applies the plan shown in the comment of the merged pull request, and other plans only by hand', async () => {
    const { person, host, open, push, onMain } = await reviewedRepository({
      config: NO_LINT,
      variables: { REELFORM_REVIEWED_ONLY: 'true' },
    });
    const hello = readFileSync(join(person.root, 'videos/hello.yaml'), 'utf8');
    const unseen = await push({ 'notes.md': 'Nobody reviewed this' });
    expect(ends(unseen)).toEqual(['apply: failure']);
    expect(logOf(unseen)).toContain('not approved because no merged pull request was found');
    const pull = await open({ 'videos/hello.yaml': hello.replace('Hello', 'Hello again') });
    const planned = await pull.plan();
    expect(ends(planned), logOf(planned)).toEqual(['plan: success', 'comment: success']);
    const merged = await pull.merge();
    expect(ends(merged), logOf(merged)).toEqual(['apply: success']);
    // A plan without changes needs no review.
    expect(ends(await push({ 'notes.md': 'More notes' }))).toEqual(['apply: success']);
    const direct = await push({ 'videos/hello.yaml': hello });
    expect(ends(direct)).toEqual(['apply: failure']);
    const [, planId] = /The current plan is (sha256:[0-9a-f]+) \(/.exec(logOf(direct))!;
    const dispatched = await onMain('workflow_dispatch');
    const byHand = await host.happen({ ...dispatched, payload: { inputs: { 'expect-plan': planId } } });
    expect(ends(byHand), logOf(byHand)).toContain('apply: success');
  });
});

const PHOTO = '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n';

function ends(runs: readonly JobRun[]): string[] {
  return runs.map(({ job, conclusion }) => `${job}: ${conclusion}`);
}

function logOf(runs: readonly JobRun[]): string {
  return runs.flatMap(({ steps }) => steps.map((step) => step.log)).join('\n');
}

function outputOf({ steps }: JobRun, name: string): Readonly<Record<string, string>> {
  return steps.find((step) => step.name === name)!.outputs;
}

describe('the simulated workflow runner', () => {
  const values = { github: { event: { name: 'Push', number: 0 } }, steps: { page: { outputs: { url: '' } } } };
  const context = { values, isFailed: true, isCancelled: false };

  it('evaluates expressions as GitHub does', () => {
    const text = "${{ github.event.name == 'push' && 'a' || 'b' }}-${{ github.event.nothing.there }}${{ !(1 == 2) }}";
    expect(interpolate(text, context)).toBe('a-true');
    expect(isRun(undefined, context)).toBe(false);
    expect(isRun("github.event.name == 'push'", context)).toBe(false);
    expect(isRun("${{ !cancelled() && github.event.name != 'pull' }}", context)).toBe(true);
    expect(isRun('${{ !cancelled() && steps.page.outputs.url }}', context)).toBe(false);
    expect(() => interpolate('${{ nonsense.x }}', context)).toThrow('No context');
  });

  it('finds requests beyond the permissions of a job', () => {
    const routes = [
      'GET pulls',
      'POST issues/{n}/comments',
      'POST check-runs',
      'GraphQL createCommitOnBranch',
      'PUT x',
    ];
    expect(notPermitted(routes, { contents: 'read', 'pull-requests': 'write' })).toEqual(routes.slice(2));
  });
});
