import { type Command, InvalidArgumentError } from 'commander';
import type { GlobalOptions } from '../global-options.ts';
import type { PreviewFlags } from '../preview/preview-flags.ts';
import type { FormatFlags } from './plan-format.ts';

/** What a command line says about planning. */
export interface PlanFlags {
  readonly target?: readonly string[];
  readonly targetFile?: readonly string[];
  readonly exclude?: readonly string[];
  readonly excludeFile?: readonly string[];
  readonly replace?: readonly string[];
  readonly changedSince?: string;
  readonly refresh?: boolean;
  readonly refreshOnly?: boolean;
  readonly maxRenders?: number;
  readonly ignoreMissingOutputs?: boolean;
  readonly allowEmpty?: boolean;
  /** Programs that judge the plan, as they were typed. */
  readonly policyCommand?: readonly string[];
  /** False: the plan cache is neither used nor written. */
  readonly cache?: boolean;
}

/** Everything that a command line says to `reelform plan`. */
export interface PlanOptions extends GlobalOptions, PlanFlags, FormatFlags, PreviewFlags {
  readonly out?: string;
  /** A folder for what a review takes. */
  readonly report?: string;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
  /** False: the videos are not linted. */
  readonly lint?: boolean;
}

/** By the name that each has in `PlanFlags`, as it is typed. A saved plan has answered all of them. */
export const PLAN_FLAGS = {
  target: '--target',
  targetFile: '--target-file',
  exclude: '--exclude',
  excludeFile: '--exclude-file',
  replace: '--replace',
  changedSince: '--changed-since',
  refresh: '--refresh',
  refreshOnly: '--refresh-only',
  maxRenders: '--max-renders',
  ignoreMissingOutputs: '--ignore-missing-outputs',
  allowEmpty: '--allow-empty',
} as const satisfies Partial<Record<keyof PlanFlags, string>>;

/** Gives a command the options that say what is planned. */
export function addPlanFlags(command: Command): Command {
  return addSelectionFlags(command)
    .option('--changed-since <ref>', 'only videos made from files that changed since the branch left this git revision')
    .option('--replace <glob>', 'render videos with such an id again; can be said several times', collect)
    .option('--refresh', 'ask the service and the servers of remote files whether what was rendered still stands')
    .option('--refresh-only', 'look at that alone, and render nothing')
    .option('--max-renders <n>', 'refuse a plan that renders more videos, not counting restored ones', wholeNumber)
    .option('--policy-command <command>', 'let this program judge the plan; can be said several times', collect)
    .option('--ignore-missing-outputs', 'do not restore videos whose local file is missing or damaged')
    .option('--allow-empty', 'accept that no video is left')
    .option('--no-cache', 'ignore the plan cache and read every file');
}

/** Gives a command the options that say which videos it is about. */
export function addSelectionFlags(command: Command): Command {
  return command
    .option('--target <glob>', 'only videos with such an id; can be said several times', collect)
    .option('--target-file <file>', 'the same, one glob per line; - is stdin', collect)
    .option('--exclude <glob>', 'no video with such an id; can be said several times', collect)
    .option('--exclude-file <file>', 'the same, one glob per line; - is stdin', collect);
}

/** One more of an option that can be said several times. */
function collect(text: string, before: readonly string[] | undefined): string[] {
  return [...(before ?? []), text];
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isInteger(value) || value < 0)
    throw new InvalidArgumentError('It must be a whole number, 0 or more.');
  return value;
}
