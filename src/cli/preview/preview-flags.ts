import { type Command, InvalidArgumentError, Option } from 'commander';

/** What a command line says about showing what changes. */
export interface PreviewFlags {
  /** `none` is as if nothing were said: a workflow may have a setting for it. */
  readonly preview?: 'none' | 'stills' | 'draft';
  readonly base?: string;
  readonly previewDir?: string;
  /** Seconds. */
  readonly previewBudget?: number;
  /** `branch:NAME`, or a place in a bucket. */
  readonly previewHost?: string;
  /** Days. */
  readonly previewKeep?: number;
}

/** By the name that each has in `PreviewFlags`, as it is typed. */
export const PREVIEW_FLAGS = {
  preview: '--preview',
  base: '--base',
  previewDir: '--preview-dir',
  previewBudget: '--preview-budget',
  previewHost: '--preview-host',
  previewKeep: '--preview-keep',
} as const satisfies Record<keyof PreviewFlags, string>;

/** Gives a command the options that say how what changes is shown. */
export function addPreviewFlags(command: Command): Command {
  return command
    .addOption(
      new Option('--preview <kind>', 'draw what changes, before and after: stills, or short videos too').choices([
        'none',
        'stills',
        'draft',
      ]),
    )
    .option('--base <ref>', 'what is before: where the branch left this git revision; the default branch when absent')
    .option('--preview-dir <folder>', 'write the pictures there, with index.json')
    .option('--preview-budget <seconds>', 'draw for so long at most; 60 when absent', seconds)
    .option('--preview-host <place>', 'publish the pictures: branch:NAME of the remote, or s3://bucket/folder/')
    .option('--preview-keep <days>', 'how long pictures stay on the branch, such as 30d; 30d when absent', days);
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError('It must be a number of seconds, 86400 at most.');
  return value;
}

/** `30d`: a number of days. */
export function days(text: string): number {
  const value = Number(/^(\d+)d$/.exec(text)?.[1]);
  if (!(value >= 1 && value <= 3650)) throw new InvalidArgumentError('It must be a number of days such as 30d.');
  return value;
}
