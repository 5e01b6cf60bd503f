import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reviewedRepository } from '../support/reviewed-repository.ts';
import { interpolate, isRun } from '../support/workflow-expressions.ts';
import { notPermitted } from '../support/workflow-permissions.ts';

describe('a pull request', () => {
  it('is planned by one workflow and commented by the other, whatever its titles say', async () => {
    const { person, open, comments } = await reviewedRepository();
    const hello = readFileSync(join(person.root, 'videos/hello.yaml'), 'utf8');
    // More of it is drawn, rendered and committed in test/proof/workflows.proof.ts.
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
    expect(comments(pull.number)[0]).toMatch(/1 error[\s\S]*\[The page of the plan\]\(<.*\/artifacts\//);
    expect(comments(pull.number)[0]).not.toContain('@someone');
    for (const { workspace } of runs) expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  });
});

describe('the runner of workflows', () => {
  const values = { github: { event: { name: 'Push', number: 0 } }, steps: { page: { outputs: { url: '' } } } };
  const context = { values, isFailed: true, isCancelled: false };

  it('reads expressions as GitHub does', () => {
    const text = "${{ github.event.name == 'push' && 'a' || 'b' }}-${{ github.event.nothing.there }}${{ !(1 == 2) }}";
    expect(interpolate(text, context)).toBe('a-true');
    expect(isRun(undefined, context)).toBe(false);
    expect(isRun("github.event.name == 'push'", context)).toBe(false);
    expect(isRun("${{ !cancelled() && github.event.name != 'pull' }}", context)).toBe(true);
    expect(isRun('${{ !cancelled() && steps.page.outputs.url }}', context)).toBe(false);
    expect(() => interpolate('${{ nonsense.x }}', context)).toThrow('No context');
  });

  it('knows what a job may do', () => {
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
