import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execa } from 'execa';
import { type ActionJob, runAction } from './workflow-actions.ts';
import { type ExpressionContext, interpolate, isRun } from './workflow-expressions.ts';

/** A step of a job or a composite action, as parsed from YAML. */
export interface Step {
  readonly name?: string;
  readonly id?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly 'working-directory'?: string;
}

type Outcome = 'success' | 'failure' | 'cancelled' | 'skipped';

/** Result of a step. */
export interface StepRun {
  readonly name: string;
  readonly outcome: Outcome;
  /** stdout and stderr, interleaved as in a log. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
}

/** Environment in which steps run. */
export interface StepsJob extends ActionJob {
  /** Absolute path outside of the workspace. */
  readonly temporary: string;
  /** Variables of every step, in addition to its own. */
  readonly env: Readonly<Record<string, string>>;
  /** Contexts of expressions, except `steps`. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly workingDirectory: string;
  /** Called with the output of a running step so far; `cancel` cancels the run. */
  readonly onLog?: (step: string, log: string, cancel: () => void) => void;
}

/** Runs steps one after the other, as a runner does, and skips those whose condition is false. */
export async function runSteps(steps: readonly Step[], job: StepsJob): Promise<readonly StepRun[]> {
  const runs: StepRun[] = [];
  const known: Record<string, { readonly outputs: StepRun['outputs']; readonly outcome: Outcome }> = {};
  for (const [index, step] of steps.entries()) {
    const context: ExpressionContext = {
      values: { ...job.values, steps: known },
      isFailed: runs.some(({ outcome }) => outcome === 'failure'),
      isCancelled: runs.some(({ outcome }) => outcome === 'cancelled'),
    };
    const name = step.name ?? step.uses ?? step.run ?? '';
    const run = isRun(step.if, context)
      ? { name, ...(await runStep({ ...step, name }, index, context, job)) }
      : { name, outcome: 'skipped' as const, log: '', outputs: {} };
    runs.push(run);
    if (step.id !== undefined) known[step.id] = { outputs: run.outputs, outcome: run.outcome };
  }
  return runs;
}

type Ran = Omit<StepRun, 'name'>;

async function runStep(step: Step, index: number, context: ExpressionContext, job: StepsJob): Promise<Ran> {
  const put = (values: Readonly<Record<string, unknown>> = {}): Record<string, string> =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, interpolate(String(value), context)]));
  if (step.uses !== undefined) {
    try {
      return { outcome: 'success', log: '', outputs: await runAction(step.uses, put(step.with), job) };
    } catch (error) {
      return { outcome: 'failure', log: String(error), outputs: {} };
    }
  }
  const folder = join(job.temporary, `step-${index}`);
  mkdirSync(folder, { recursive: true });
  const fileOf = (name: string, text = ''): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const output = fileOf('output');
  const summary = fileOf('summary');
  const script = fileOf('script.sh', interpolate(step.run ?? '', context));
  const flags = step.shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e'];
  const where = interpolate(step['working-directory'] ?? job.workingDirectory, context);
  const running = execa('bash', [...flags, script], {
    cwd: resolve(job.workspace, where),
    env: { ...job.env, ...put(step.env), GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    extendEnv: false,
    reject: false,
    all: true,
    stripFinalNewline: false,
  });
  let isCancelled = false;
  let log = '';
  running.all.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    job.onLog?.(step.name ?? '', log, () => {
      if (!isCancelled) running.kill('SIGINT');
      isCancelled = true;
    });
  });
  const { exitCode } = await running;
  appendFileSync(join(job.temporary, 'summary'), readFileSync(summary));
  const outcome = isCancelled ? 'cancelled' : exitCode === 0 ? 'success' : 'failure';
  return { outcome, log, outputs: outputsOf(readFileSync(output, 'utf8')) };
}

/** Parses outputs: `name=value`, or `name<<END`, lines, `END`. */
function outputsOf(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n').values();
  for (const line of lines) {
    const [, name = '', sign = '', rest = ''] = /^(.*?)(=|<<)(.*)$/.exec(line) ?? [];
    if (sign === '=') outputs[name] = rest;
    if (sign !== '<<') continue;
    const value: string[] = [];
    for (const one of lines) {
      if (one === rest) break;
      value.push(one);
    }
    outputs[name] = value.join('\n');
  }
  return outputs;
}
