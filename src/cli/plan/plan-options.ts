import { type Command, Option } from 'commander';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { collect, days, numberBetween, seconds } from '../arguments.ts';
import type { GlobalOptions } from '../global-options.ts';

/** Options for planning, shared by `plan` and `apply`. */
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
  /** Command lines of policy commands, as they were typed. */
  readonly policyCommand?: readonly string[];
  /** False to neither read nor write the plan cache. */
  readonly cache?: boolean;
}

/** Options of `reelform plan`. */
export interface PlanOptions extends GlobalOptions, PlanFlags, FormatFlags, PreviewFlags {
  readonly out?: string;
  /** Folder for the report of a review. */
  readonly report?: string;
  readonly detailedExitcode?: boolean;
  readonly verbose?: boolean;
  readonly lint?: boolean;
}

/** Property of `PlanFlags` → flag as it is typed. */
const PLAN_FLAGS = {
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

/** Property of an apply's options → flag as it is typed, of those that cannot be combined with a saved plan. */
export const SAVED_PLAN_CONFLICTS = { ...PLAN_FLAGS, expectPlan: '--expect-plan' } as const;

/** Adds the options of `PlanFlags` to a command. */
export function addPlanFlags(command: Command): Command {
  return addSelectionFlags(command)
    .option(
      '--changed-since <ref>',
      'only videos affected by files that changed since the merge base with this git revision',
    )
    .option('--replace <glob>', 'render videos whose id matches again; repeatable', collect)
    .option('--refresh', 'verify rendered videos and remote files with their servers')
    .option('--refresh-only', 'only verify; render nothing')
    .option(
      '--max-renders <n>',
      'fail if the plan renders more videos, not counting restored ones',
      numberBetween(0, Infinity, 'It must be a whole number of at least 0.'),
    )
    .option('--policy-command <command>', 'check the plan with this program; repeatable', collect)
    .option('--ignore-missing-outputs', 'do not restore missing or damaged local files')
    .option('--allow-empty', 'allow removing all videos')
    .option('--no-cache', 'ignore the plan cache and read every file');
}

/** Adds the options that select videos to a command. */
export function addSelectionFlags(command: Command): Command {
  return command
    .option('--target <glob>', 'only videos whose id matches; repeatable', collect)
    .option('--target-file <file>', 'the same, one glob per line; - for stdin', collect)
    .option('--exclude <glob>', 'no videos whose id matches; repeatable', collect)
    .option('--exclude-file <file>', 'the same, one glob per line; - for stdin', collect);
}

/** Output formats of a plan. */
export const PLAN_FORMATS = ['text', 'json', 'markdown', 'html', 'github', 'gitlab'] as const;

export type PlanFormat = (typeof PLAN_FORMATS)[number];

export interface FormatFlags {
  readonly format?: PlanFormat;
  /** Short for `--format json`. */
  readonly json?: boolean;
  /** Short for `--format markdown`. */
  readonly markdown?: boolean;
}

/**
 * Returns the requested output format, or null.
 *
 * @throws ReelformError `options_conflict` for two different formats
 */
export function planFormat({ format, json, markdown }: FormatFlags): PlanFormat | null {
  const requested: (readonly [PlanFormat, string])[] = [
    ...(format === undefined ? [] : [[format, `--format ${format}`] as const]),
    ...(json === true ? [['json', '--json'] as const] : []),
    ...(markdown === true ? [['markdown', '--markdown'] as const] : []),
  ];
  if (new Set(requested.map(([name]) => name)).size <= 1) return requested[0]?.[0] ?? null;
  throw new ReelformError('options_conflict', `${requested.map(([, flag]) => flag).join(' and ')} exclude each other`, {
    hint: 'Choose one output format; `reelform show FILE --format FORMAT` prints a saved plan in another format',
  });
}

/** Options for previews. */
export interface PreviewFlags {
  /** `none` disables the preview, so that workflows can pass a setting through. */
  readonly preview?: 'none' | 'stills' | 'draft';
  readonly base?: string;
  readonly previewDir?: string;
  /** Seconds. */
  readonly previewBudget?: number;
  /** `branch:NAME`, or a folder in a bucket. */
  readonly previewHost?: string;
  /** Days. */
  readonly previewKeep?: number;
}

/** Property of `PreviewFlags` → flag as it is typed. */
export const PREVIEW_FLAGS = {
  preview: '--preview',
  base: '--base',
  previewDir: '--preview-dir',
  previewBudget: '--preview-budget',
  previewHost: '--preview-host',
  previewKeep: '--preview-keep',
} as const satisfies Record<keyof PreviewFlags, string>;

/** Adds the options of `PreviewFlags` to a command. */
export function addPreviewFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--preview <kind>', 'draw changes before and after: stills only, or also short drafts').choices([
        'none',
        'stills',
        'draft',
      ]),
    )
    .option('--base <ref>', 'compare with the merge base of this git revision; default: the default branch')
    .option('--preview-dir <folder>', 'write the images and index.json into this folder')
    .option('--preview-budget <seconds>', 'time limit for drawing; default: 60', seconds)
    .option('--preview-host <place>', 'publish the images to branch:NAME of the remote or s3://bucket/folder/')
    .option('--preview-keep <days>', 'how long images stay on the branch, such as 30d; default: 30d', days);
}
