import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { defined } from '../../src/kernel/defined.ts';
import { GIT_ENVIRONMENT, type GitRepository } from './git-repository.ts';
import type { GitHubServer } from './github-server.ts';
import { writePrograms } from './workflow-actions.ts';
import { interpolate, isRun } from './workflow-expressions.ts';
import { notPermitted } from './workflow-permissions.ts';
import { runSteps, type Step, type StepRun, type StepsJob } from './workflow-steps.ts';

const PACKAGE = join(import.meta.dirname, '../..');

/** An event at a repository that may start workflows. */
export interface RepositoryEvent {
  readonly name: 'push' | 'pull_request' | 'merge_group' | 'workflow_run' | 'schedule' | 'workflow_dispatch';
  readonly payload: Readonly<Record<string, unknown>>;
  /** Ref to read the workflows from and to check out: a branch, or a ref of a pull request. */
  readonly ref: string;
  readonly sha: string;
  readonly baseRef?: string;
  /** Whether it comes from a fork, whose token is read-only. */
  readonly isOfFork?: boolean;
  /** Files that a push changed. */
  readonly changed?: readonly string[];
}

/** A job that ended. */
export interface JobRun {
  readonly workflow: string;
  readonly job: string;
  readonly runId: number;
  /** Counted from 1; each re-run adds one. */
  readonly attempt: number;
  readonly conclusion: 'success' | 'failure' | 'cancelled';
  readonly steps: readonly StepRun[];
  /** The job's summary on the page of the run. */
  readonly summary: string;
  readonly workspace: string;
}

/** A forge that runs workflows, with a runner on this machine. */
export interface WorkflowHost {
  /** Absolute path of `<run>/<artifact>/…`. */
  readonly artifacts: string;
  /** Runs the workflows that an event starts, and those that these runs start. @returns jobs in their order */
  happen(event: RepositoryEvent): Promise<readonly JobRun[]>;
  /** Re-runs all jobs of a run, and the workflows that this starts. */
  runAgain(run: JobRun): Promise<readonly JobRun[]>;
  /** Runs a composite action in a folder, as a step of a job would. */
  act(folder: string, inputs: Readonly<Record<string, string>>, event: RepositoryEvent): Promise<ActionRun>;
}

/** A composite action that ended. */
export interface ActionRun {
  readonly conclusion: JobRun['conclusion'];
  readonly steps: readonly StepRun[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

export interface WorkflowHostOptions {
  readonly remote: GitRepository;
  readonly github: GitHubServer;
  /** Tokens by the permissions of the job. */
  readonly tokens: { readonly write: string; readonly read: string };
  /** Environment of all steps: what a test needs of its runner. */
  readonly env?: Readonly<Record<string, string>>;
  /** Secrets of the repository. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Variables of the repository. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly onLog?: StepsJob['onLog'];
}

interface Job {
  readonly if?: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly name: string;
  readonly on: Readonly<Record<string, null | Readonly<Record<string, readonly string[]>>>>;
  readonly jobs: Readonly<Record<string, Job>>;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly defaults?: { readonly run?: { readonly 'working-directory'?: string } };
}

type RunAttempt = Pick<JobRun, 'runId' | 'attempt'>;

/** Start of a run; a re-run starts from the same. */
interface Started {
  readonly file: string;
  readonly workflow: Workflow;
  readonly event: RepositoryEvent;
}

/** Reads workflows from the remote. GitHub's own actions are replaced by those of `workflow-actions.ts`. */
export async function startWorkflowHost(options: WorkflowHostOptions): Promise<WorkflowHost> {
  const { remote, github, tokens } = options;
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-runner-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  await writePrograms(join(root, 'bin'), PACKAGE);
  // Like a downloaded action: without its sources.
  mkdirSync(join(root, 'action'));
  cpSync(join(PACKAGE, 'package-lock.json'), join(root, 'action/package-lock.json'));
  const store = { artifacts: join(root, 'artifacts'), caches: join(root, 'caches') };
  let lastRun = 100;

  /** Workflows by their blobs. */
  const parsed = new Map<string, Workflow>();
  /** Starts by run. */
  const started = new Map<number, Started>();

  const openJob = (event: RepositoryEvent, run: RunAttempt, token: string, workspace?: string): StepsJob => {
    const { runId, attempt } = run;
    const folder = mkdtempSync(join(root, 'job-'));
    const own = workspace ?? join(folder, 'workspace');
    mkdirSync(own, { recursive: true });
    mkdirSync(join(folder, 'home'));
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    writeFileSync(join(folder, 'event.json'), JSON.stringify(event.payload));
    const { GITHUB_TOKEN: _, ...environment } = github.env(token);
    const isPull = event.ref.startsWith('refs/');
    // GitHub gives no secrets to a fork.
    const secrets = event.isOfFork === true ? {} : (options.secrets ?? {});
    const ref = isPull ? event.ref : `refs/heads/${event.ref}`;
    const github_ = {
      event: event.payload,
      event_name: event.name,
      ref,
      ref_name: event.ref.replace('refs/pull/', ''),
      repository: github.repository,
      run_id: runId,
      run_attempt: attempt,
      sha: event.sha,
      token,
      workflow: 'workflow',
    };
    const env = {
      ...environment,
      ...GIT_ENVIRONMENT,
      ...options.env,
      PATH: `${join(root, 'bin')}:${process.env.PATH}`,
      HOME: join(folder, 'home'),
      CI: 'true',
      GITHUB_EVENT_NAME: event.name,
      GITHUB_EVENT_PATH: join(folder, 'event.json'),
      GITHUB_REF: ref,
      GITHUB_REF_NAME: github_.ref_name,
      GITHUB_BASE_REF: event.baseRef ?? '',
      GITHUB_RUN_ID: String(runId),
      GITHUB_RUN_ATTEMPT: String(attempt),
      GITHUB_SHA: event.sha,
      GITHUB_ACTION_PATH: join(root, 'action'),
      GITHUB_WORKSPACE: own,
      RUNNER_TEMP: temporary,
      TEST_ARTIFACTS: store.artifacts,
    };
    return {
      workspace: own,
      temporary,
      store,
      runId,
      attempt,
      env,
      repository: github.repository,
      workingDirectory: '.',
      remoteUrl: `file://${remote.root}`,
      ref: event.ref,
      // Caches written by a pull request cannot be read from other refs.
      scopes: isPull ? [event.ref.replaceAll('/', '-'), event.baseRef ?? 'main'] : [event.ref],
      values: {
        github: github_,
        runner: { temp: temporary },
        secrets,
        vars: options.variables ?? {},
        inputs: event.payload.inputs ?? {},
      },
      ...defined({ onLog: options.onLog }),
    };
  };

  const runWorkflow = async ({ file, workflow, event }: Started, { runId, attempt }: RunAttempt): Promise<JobRun[]> => {
    started.set(runId, { file, workflow, event });
    const runs: JobRun[] = [];
    for (const [name, job] of Object.entries(workflow.jobs)) {
      const permissions = job.permissions ?? workflow.permissions ?? {};
      const asked = github.seen.length;
      const token =
        Object.values(permissions).includes('write') && event.isOfFork !== true ? tokens.write : tokens.read;
      const opened = openJob(event, { runId, attempt }, token);
      if (!isRun(job.if, { values: opened.values, isFailed: false, isCancelled: false })) continue;
      const workingDirectory = workflow.defaults?.run?.['working-directory'] ?? '.';
      const env = { ...opened.env, TEST_ACTIONS: permissions.actions ?? 'none' };
      const steps = await runSteps(job.steps, { ...opened, env, workingDirectory });
      const { workspace } = opened;
      const more = event.isOfFork === true ? [] : notPermitted(github.seen.slice(asked), permissions);
      if (more.length > 0) throw new Error(`${file}: ${name} has no permission for ${more.join(', ')}`);
      runs.push({ workflow: file, job: name, runId, attempt, ...endOf(steps, opened), steps, workspace });
    }
    return runs;
  };

  /** Performs a run and the runs that its end starts. */
  const runAndFollow = async (start: Started, run: RunAttempt): Promise<JobRun[]> => {
    const own = await runWorkflow(start, run);
    if (start.event.name === 'workflow_run' || own.length === 0) return own;
    const sha = await remote.git('rev-parse', 'main');
    const payload = { workflow_run: runPayload(start.workflow.name, own[0]!, start.event) };
    return [...own, ...(await host.happen({ name: 'workflow_run', payload, ref: 'main', sha }))];
  };

  const host: WorkflowHost = {
    artifacts: store.artifacts,
    async happen(event) {
      const listed = await remote.git('ls-tree', `${event.sha}`, '.github/workflows/');
      const runs: JobRun[] = [];
      for (const line of listed.split('\n').filter((one) => one !== '')) {
        const [, , blob, path] = line.split(/[ \t]/) as [string, string, string, string];
        const file = path.split('/').at(-1)!;
        const workflow = parsed.get(blob) ?? (parse(await remote.git('cat-file', 'blob', blob)) as Workflow);
        parsed.set(blob, workflow);
        if (!isStarted(workflow, event)) continue;
        runs.push(...(await runAndFollow({ file, workflow, event }, { runId: ++lastRun, attempt: 1 })));
      }
      return runs;
    },
    runAgain({ runId, attempt }) {
      return runAndFollow(started.get(runId)!, { runId, attempt: attempt + 1 });
    },
    async act(folder, given, event) {
      const { inputs, outputs, runs } = parse(readFileSync(join(PACKAGE, 'action.yml'), 'utf8')) as {
        readonly inputs: Readonly<Record<string, { readonly default: string }>>;
        readonly outputs: Readonly<Record<string, { readonly value: string }>>;
        readonly runs: { readonly steps: readonly Step[] };
      };
      const token = event.isOfFork === true ? tokens.read : tokens.write;
      const job = openJob(event, { runId: ++lastRun, attempt: 1 }, token, folder);
      const context = { values: job.values, isFailed: false, isCancelled: false };
      const all = Object.fromEntries(
        Object.entries(inputs).map(([name, one]) => [name, given[name] ?? interpolate(one.default, context)]),
      );
      const values = { ...job.values, inputs: all };
      const steps = await runSteps(runs.steps, { ...job, values });
      const ids = Object.fromEntries(
        runs.steps.flatMap(({ id }, index) => (id === undefined ? [] : [[id, { outputs: steps[index]!.outputs }]])),
      );
      const after = { values: { ...values, steps: ids }, isFailed: false, isCancelled: false };
      const told = Object.entries(outputs).map(([name, { value }]) => [name, interpolate(value, after)]);
      return { ...endOf(steps, job), steps, outputs: Object.fromEntries(told) };
    },
  };
  return host;
}

function endOf(
  steps: readonly StepRun[],
  { temporary }: StepsJob,
): { readonly conclusion: JobRun['conclusion']; readonly summary: string } {
  const outcomes = steps.map(({ outcome }) => outcome);
  const file = join(temporary, 'summary');
  return {
    conclusion: outcomes.includes('cancelled') ? 'cancelled' : outcomes.includes('failure') ? 'failure' : 'success',
    summary: existsSync(file) ? readFileSync(file, 'utf8') : '',
  };
}

function isStarted({ on }: Workflow, { name, ref, payload, changed = [] }: RepositoryEvent): boolean {
  if (!(name in on)) return false;
  const { branches, 'paths-ignore': ignored, paths, workflows, types } = on[name] ?? {};
  if (name !== 'workflow_run' && types !== undefined && !types.includes(String(payload.action))) return false;
  if (name === 'workflow_run') return workflows!.includes((payload.workflow_run as { name: string }).name);
  if (branches !== undefined && !branches.includes(ref)) return false;
  if (ignored !== undefined && changed.length > 0 && changed.every((path) => isAmong(path, ignored))) return false;
  return paths === undefined || changed.some((path) => isAmong(path, paths));
}

/** Whether the last pattern that matches a path includes it; a pattern with `!` excludes it. */
function isAmong(path: string, patterns: readonly string[]): boolean {
  const last = patterns.findLast((one) => picomatch.isMatch(path, one.replace(/^!/, '')));
  return last !== undefined && !last.startsWith('!');
}

function runPayload(
  name: string,
  { runId, attempt, conclusion }: JobRun,
  { name: event, payload, isOfFork }: RepositoryEvent,
): object {
  const { number, head } = (payload.pull_request ?? {}) as {
    number?: number;
    head?: { sha: string; ref: string; repo: { id: number; full_name: string; owner: { login: string } } };
  };
  return {
    id: runId,
    run_attempt: attempt,
    name,
    event,
    conclusion,
    head_sha: head?.sha,
    head_branch: head?.ref,
    head_repository: head?.repo,
    // GitHub names no pull request for a fork's run.
    pull_requests: isOfFork === true || number === undefined ? [] : [{ number, head: { sha: head?.sha } }],
  };
}
