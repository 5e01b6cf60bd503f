import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateAction, validateWorkflow } from '@action-validator/core';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = join(import.meta.dirname, '../..');
const OWN = '.github/workflows';
const STARTER = 'starter/github';
const filesOf = (folder: string): string[] => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
}
type Permissions = Readonly<Record<string, string>>;
interface Job {
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Permissions;
  readonly steps: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** What of a workflow could let somebody in: rules that no linter which installs from npm has. */
function findings(text: string): string[] {
  const { on, permissions, jobs } = parse(text) as Workflow;
  const found: string[] = [];
  const rule = (holds: boolean, words: string): void => {
    if (!holds) found.push(words);
  };
  const isOfStrangers = 'pull_request' in on;
  const isAfterStrangers = 'workflow_run' in on;
  rule(!('pull_request_target' in on), 'pull_request_target');
  rule(
    permissions !== undefined && Object.values(permissions).every((one) => one === 'read'),
    'permissions of all jobs',
  );
  for (const [name, job] of Object.entries(jobs)) {
    const writes = Object.entries(job.permissions ?? {}).filter(([, one]) => one === 'write');
    rule(job['timeout-minutes'] !== undefined, `${name}: no time limit`);
    rule(!isOfStrangers || writes.length === 0, `${name}: strangers could write`);
    rule(!isAfterStrangers || writes.every(([what]) => what !== 'contents'), `${name}: contents after strangers`);
    for (const step of job.steps) {
      found.push(...stepFindings(step, text).map((one) => `${name}: ${one}`));
      const given = JSON.stringify([step.with, step.env, step.run]);
      rule(!isOfStrangers || !/secrets\.|github\.token|GITHUB_TOKEN/.test(given), `${name}: a token for strangers`);
      if (!step.uses?.startsWith('actions/checkout@')) continue;
      const { ref = '', 'persist-credentials': keeps = true, repository = '' } = step.with ?? {};
      rule(keeps === false || writes.some(([what]) => what === 'contents'), `${name}: credentials are kept`);
      rule(!/head|pull/.test(`${ref}${repository}`), `${name}: code of strangers`);
      rule(!isAfterStrangers || (ref === '' && repository === ''), `${name}: code of another commit`);
    }
  }
  return found;
}

function stepFindings({ uses, run = '' }: Step, text: string): string[] {
  const line = text.split('\n').find((one) => uses !== undefined && one.includes(uses)) ?? '';
  return [
    ...(uses === undefined || /uses: [\w./-]+@[0-9a-f]{40} # v\d/.test(line) ? [] : [`${uses} is not pinned`]),
    // Whatever it is, a shell would read it as its own.
    ...(run.includes('${{') ? ['an expression in a shell'] : []),
    ...(/\bnpx (?!--no )/.test(run) ? ['npx could install'] : []),
    // A signal reaches the first process of a step alone.
    ...(/^(?!.*(?:exec|show) ).*\breelform (?:plan|apply|drift|comment)/m.test(run) ? ['signals do not arrive'] : []),
  ];
}

describe('workflows', () => {
  it('that reelform init writes are those of this repository', () => {
    for (const path of filesOf(STARTER)) expect(read(path.replace(STARTER, OWN))).toBe(read(path));
  });

  it.each([...filesOf(OWN), ...filesOf(STARTER)])('%s lets nobody in, and is valid', (path) => {
    expect(findings(read(path))).toEqual([]);
    expect(validateWorkflow(read(path)).errors).toEqual([]);
  });

  it('are found when they do', () => {
    const bad = `on: {pull_request_target: {}, pull_request: {}, workflow_run: {workflows: [a], types: [completed]}}
permissions: {contents: write}
jobs:
  a:
    permissions: {contents: write}
    steps:
      - uses: actions/checkout@v4
        with: {ref: "\${{ github.event.workflow_run.head_sha }}"}
      - run: echo "\${{ github.event.pull_request.title }}"
      - run: npx reelform apply
        env: {GITHUB_TOKEN: "\${{ github.token }}"}
`;
    expect(findings(bad)).toEqual([
      'pull_request_target',
      'permissions of all jobs',
      'a: no time limit',
      'a: strangers could write',
      'a: contents after strangers',
      'a: actions/checkout@v4 is not pinned',
      'a: code of strangers',
      'a: code of another commit',
      'a: an expression in a shell',
      'a: npx could install',
      'a: signals do not arrive',
      'a: a token for strangers',
    ]);
  });
});

describe('action.yml', () => {
  const text = read('action.yml');
  const { runs, inputs, outputs } = parse(text) as {
    runs: { steps: readonly (Step & { readonly id?: string; readonly shell: string })[] };
    inputs: Readonly<Record<string, unknown>>;
    outputs: Readonly<Record<string, { readonly value: string }>>;
  };

  it('is valid, and gives inputs to shells by their environment alone', () => {
    expect(validateAction(text).errors).toEqual([]);
    expect(runs.steps.flatMap((step) => stepFindings(step, text))).toEqual([]);
    for (const { run, shell } of runs.steps) expect([typeof run, shell]).toEqual(['string', 'bash']);
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1]!));
    expect([...used].sort()).toEqual(Object.keys(inputs).sort());
  });

  it('gives its token to the comment alone', () => {
    const given = runs.steps.filter((step) => JSON.stringify(step).includes('token'));
    expect(given.map(({ name }) => name)).toEqual(['Comment']);
  });

  it('has no output of a step that is not there', () => {
    const ids = runs.steps.map(({ id }) => id);
    for (const { value } of Object.values(outputs)) expect(ids).toContain(/steps\.(\w+)\.outputs/.exec(value)?.[1]);
  });
});
