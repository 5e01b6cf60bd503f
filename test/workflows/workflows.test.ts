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
  readonly if?: string;
  readonly 'timeout-minutes'?: number;
  readonly 'runs-on'?: string;
  readonly permissions?: Permissions;
  readonly env?: object;
  readonly environment?: string;
  readonly container?: unknown;
  readonly services?: unknown;
  readonly uses?: string;
  readonly secrets?: unknown;
  readonly steps?: readonly Step[];
}
interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: Permissions;
  readonly concurrency?: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

/** Matches only branches of the repository itself, whose pushers may write contents anyway. */
const OWN_BRANCH = 'github.event.workflow_run.head_repository.full_name == github.repository';
/** Untrusted values that a shell, a path or a key could interpret. */
const OF_STRANGERS = /github\.(?:head_ref|event\.(?:pull_request|issue|comment|workflow_run|head_commit)\b)/;
/** Events that anyone can cause. */
const BY_STRANGERS = ['pull_request', 'pull_request_review', 'issue_comment', 'issues', 'fork', 'discussion'];

/**
 * Returns security findings of a workflow, with the names that zizmor uses, because zizmor cannot be installed from
 * npm. Omits audits that cannot apply here, such as publishing to a registry.
 *
 * @see https://docs.zizmor.sh/audits/
 */
function findings(text: string): string[] {
  const { on, permissions, jobs, concurrency } = parse(text) as Workflow;
  const found: string[] = [];
  const rule = (holds: boolean, words: string): void => {
    if (!holds) found.push(words);
  };
  const isOfStrangers = BY_STRANGERS.some((name) => name in on);
  const isAfterStrangers = 'workflow_run' in on;
  rule(!('pull_request_target' in on), 'dangerous-triggers: pull_request_target');
  rule(!isAfterStrangers || /workflow_run: # zizmor: ignore\[dangerous-triggers\]/.test(text), 'dangerous-triggers');
  rule(!/\bsecrets: *inherit\b/.test(text), 'secrets-inherit');
  rule(!/toJSON\(\s*(?:secrets|env|github)\s*\)|secrets\[/i.test(text), 'overprovisioned-secrets');
  rule(!/fromJSON\([^)]*secrets/i.test(text), 'unredacted-secrets');
  rule(!/github\.actor\b|ACTIONS_ALLOW_UNSECURE_COMMANDS/.test(text), 'bot-conditions, insecure-commands');
  rule(concurrency !== undefined, 'concurrency-limits');
  rule(
    permissions !== undefined && Object.values(permissions).every((one) => one === 'read'),
    'excessive-permissions: of all jobs',
  );
  for (const [name, job] of Object.entries(jobs)) {
    const writes = Object.entries(job.permissions ?? {}).filter(([, one]) => one === 'write');
    const isOfOwn = (job.if ?? '').includes(OWN_BRANCH) && !(job.if ?? '').includes('||');
    rule(job['timeout-minutes'] !== undefined, `${name}: no time limit`);
    rule(job['runs-on'] === 'ubuntu-latest', `${name}: self-hosted-runner`);
    rule(job.container === undefined && job.services === undefined, `${name}: unpinned-images`);
    rule(job.uses === undefined && job.secrets === undefined, `${name}: secrets-inherit`);
    rule(!isOfStrangers || writes.length === 0, `${name}: excessive-permissions: strangers could write`);
    rule(
      !isAfterStrangers || isOfOwn || writes.every(([what]) => what !== 'contents'),
      `${name}: excessive-permissions: contents after strangers`,
    );
    for (const step of job.steps ?? []) {
      found.push(...stepFindings(step, text).map((one) => `${name}: ${one}`));
      const given = JSON.stringify([step.with, step.env, step.run, job.env]);
      rule(
        !isOfStrangers || !/secrets\.|github\.token|GITHUB_TOKEN|GH_TOKEN/.test(given),
        `${name}: a token for strangers`,
      );
      rule(
        job.environment !== undefined || !/secrets\.(?!REELFORM_READ_TOKEN\b)/.test(given),
        `${name}: a secret that any branch can read`,
      );
      // A privileged job must not read a cache that untrusted jobs could fill; only the runner's cache scopes separate
      // them.
      rule(!isAfterStrangers || !/^actions\/cache/.test(step.uses ?? ''), `${name}: cache-poisoning`);
      if (!step.uses?.startsWith('actions/checkout@')) continue;
      const { ref = '', 'persist-credentials': keeps = true, repository = '' } = step.with ?? {};
      rule(keeps === false, `${name}: artipacked`);
      rule(!/head|pull/.test(`${ref}${repository}`), `${name}: dangerous-triggers: code of strangers`);
      rule(
        !isAfterStrangers || (ref === '' && repository === ''),
        `${name}: dangerous-triggers: code of another commit`,
      );
    }
  }
  return found;
}

function stepFindings(step: Step, text: string): string[] {
  const { uses, run = '' } = step;
  const line = text.split('\n').find((one) => uses !== undefined && one.includes(uses)) ?? '';
  return [
    ...(uses === undefined || /uses: [\w./-]+@[0-9a-f]{40} # v\d/.test(line) ? [] : [`unpinned-uses: ${uses}`]),
    // A shell would execute the expanded value, whatever it is.
    ...(run.includes('${{') ? ['template-injection'] : []),
    ...(OF_STRANGERS.test(JSON.stringify(step.with ?? {})) ? ['template-injection: an input of strangers'] : []),
    ...(/GITHUB_(?:ENV|PATH)\b|::(?:set-env|add-path|save-state|set-output)\b/.test(run) ? ['github-env'] : []),
    ...(/curl[^\n]*\|\s*(?:ba)?sh|\beval\b/.test(run) ? ['code that nobody pinned'] : []),
    ...(/\bnpx (?!--no )/.test(run) ? ['npx could install'] : []),
    ...(/\bnpm (?:i|install)\b/.test(run) ? ['npm takes other versions than the lockfile'] : []),
    // A signal reaches only the first process of a step.
    ...(/^(?!.*exec ).*\breelform (?:plan|apply|drift|comment)/m.test(run) ? ['signals do not arrive'] : []),
  ];
}

describe('workflows', () => {
  it('written by reelform init equal those of this repository', () => {
    for (const path of filesOf(STARTER)) expect(read(path.replace(STARTER, OWN))).toBe(read(path));
  });

  it.each([...filesOf(OWN), ...filesOf(STARTER), ...filesOf('starter/locales')])(
    '%s has no findings and is valid',
    (path) => {
      expect(findings(read(path))).toEqual([]);
      expect(validateWorkflow(read(path)).errors).toEqual([]);
    },
  );

  it('of several machines in docs/reference/ci.md have no findings, are valid, and use the actions of apply.yml', () => {
    const [, jobs] = /```yaml\n([\s\S]*?)```/.exec(read('docs/reference/ci.md').split('### Several machines')[1]!)!;
    const starter = read(`${STARTER}/apply.yml`);
    // The document leaves out what the starter has.
    const whole = jobs!.replace(
      '    needs: shard\n',
      '    needs: shard\n    runs-on: ubuntu-latest\n    timeout-minutes: 60\n',
    );
    const text = `${starter.split('jobs:\n')[0]}${whole}`;
    expect(findings(text)).toEqual([]);
    expect(validateWorkflow(text).errors).toEqual([]);
    for (const [, uses] of text.matchAll(/uses: (.*)/g)) expect(starter).toContain(uses);
  });

  it('with vulnerabilities have findings', () => {
    const bad = `on: {pull_request_target: {}, pull_request: {}, workflow_run: {workflows: [a], types: [completed]}}
permissions: {contents: write}
jobs:
  a:
    if: \${{ github.actor == 'dependabot[bot]' }}
    runs-on: self-hosted
    container: node
    permissions: {contents: write}
    steps:
      - uses: actions/checkout@v4
        with: {ref: "\${{ github.event.workflow_run.head_sha }}"}
      - uses: actions/cache@v4
      - run: echo "\${{ github.event.pull_request.title }}" >>"$GITHUB_ENV"
      - run: curl https://example.com/install | sh
      - run: npx reelform apply
        env: {GITHUB_TOKEN: "\${{ github.token }}", ALL: "\${{ toJSON(secrets) }}"}
      - run: npm install
  b:
    uses: ./c.yml
    secrets: inherit
`;
    const names = findings(bad).map((one) => one.replace(/^[ab]: /, ''));
    expect(names).toEqual([
      'dangerous-triggers: pull_request_target',
      'dangerous-triggers',
      'secrets-inherit',
      'overprovisioned-secrets',
      'bot-conditions, insecure-commands',
      'concurrency-limits',
      'excessive-permissions: of all jobs',
      'no time limit',
      'self-hosted-runner',
      'unpinned-images',
      'excessive-permissions: strangers could write',
      'excessive-permissions: contents after strangers',
      'unpinned-uses: actions/checkout@v4',
      'template-injection: an input of strangers',
      'artipacked',
      'dangerous-triggers: code of strangers',
      'dangerous-triggers: code of another commit',
      'unpinned-uses: actions/cache@v4',
      'cache-poisoning',
      'template-injection',
      'github-env',
      'code that nobody pinned',
      'npx could install',
      'signals do not arrive',
      'a token for strangers',
      'npm takes other versions than the lockfile',
      'no time limit',
      'self-hosted-runner',
      'secrets-inherit',
    ]);
  });

  it.each([`${OWN}/plan.yml`, `${OWN}/apply.yml`, `${OWN}/drift.yml`, 'starter/gitlab/.gitlab-ci.yml'])(
    '%s restores no videos, because its runner has no old outputs',
    (path) => {
      const commands = read(path)
        .replaceAll('\\\n', '')
        .matchAll(/\breelform (?:plan|apply|drift) .*/g);
      for (const [command] of commands) expect(command).toContain('--ignore-missing-outputs');
    },
  );

  it('read secrets that write or spend only in an environment, which can be limited to one branch', () => {
    const text = read(`${OWN}/apply.yml`);
    expect(findings(text.replace(/^ +environment: .*\n/m, ''))).toEqual(['apply: a secret that any branch can read']);
  });

  it('permit writing contents after untrusted events only for branches of the repository itself', () => {
    const text = read(`${OWN}/plan-comment.yml`);
    const broken = text.replace('full_name == github.repository', 'full_name != github.repository');
    expect(findings(broken)).toEqual(['comment: excessive-permissions: contents after strangers']);
    expect(findings(text.replace(' && github.event.workflow_run.conclusion', ' || true'))).not.toEqual([]);
  });
});

describe('.gitlab-ci.yml', () => {
  const { default: _, ...jobs } = parse(read('starter/gitlab/.gitlab-ci.yml')) as Record<
    string,
    { rules: readonly { if: string }[]; script: readonly string[] }
  >;

  it('passes no token to jobs of merge requests, and writes notes only in a schedule', () => {
    const withToken = Object.entries(jobs).filter(([, job]) => /TOKEN|comment gitlab/.test(JSON.stringify(job)));
    expect(withToken.map(([name, { rules }]) => [name, rules])).toEqual([
      ['notes', [{ if: '$CI_PIPELINE_SOURCE == "schedule" && $REELFORM_SCHEDULE == "notes"' }]],
    ]);
    expect(jobs.drift!.rules).toEqual([{ if: '$CI_PIPELINE_SOURCE == "schedule" && $REELFORM_SCHEDULE != "notes"' }]);
  });
});

describe('action.yml', () => {
  const text = read('action.yml');
  const { runs, inputs, outputs } = parse(text) as {
    runs: { steps: readonly (Step & { readonly id?: string; readonly shell: string })[] };
    inputs: Readonly<Record<string, unknown>>;
    outputs: Readonly<Record<string, { readonly value: string }>>;
  };

  it('is valid, and passes inputs to shells only through the environment', () => {
    expect(validateAction(text).errors).toEqual([]);
    expect(runs.steps.flatMap((step) => stepFindings(step, text))).toEqual([]);
    for (const { run, shell } of runs.steps) if (run !== undefined) expect(shell).toBe('bash');
    const used = new Set([...text.matchAll(/inputs\.([\w-]+)/g)].map((match) => match[1]!));
    expect([...used].sort()).toEqual(Object.keys(inputs).sort());
  });

  it('passes its token only to steps that write', () => {
    const given = runs.steps.filter((step) => JSON.stringify(step).includes('token'));
    expect(given.map(({ name }) => name)).toEqual(['Comment', 'Apply', 'Drift']);
  });

  it('runs the code that it contains and installs no package by name', () => {
    const [find] = runs.steps;
    expect(find?.run).toContain('cd "$GITHUB_ACTION_PATH" && npm ci --ignore-scripts');
    expect(text).not.toMatch(/npm (?:i|install|exec)\b|npx|reelform@/);
  });

  it('reads outputs only of existing steps', () => {
    const ids = runs.steps.map(({ id }) => id);
    for (const { value } of Object.values(outputs)) expect(ids).toContain(/steps\.(\w+)\.outputs/.exec(value)?.[1]);
  });
});
