import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Shard } from '../../session/segments/render-shard.ts';
import { addCommitFlags } from '../commit/commit-options.ts';
import type { Io } from '../io.ts';
import { addPlanFlags, NO_SEGMENT_CACHE } from '../plan/plan-options.ts';
import { APPLY_FORMATS } from './apply-options.ts';

/** Declares `reelform apply`. */
export function addApplyCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  addCommitFlags(
    addPlanFlags(program.command('apply').description('render changed videos and record them in the lockfile')),
  )
    .argument('[planfile]', 'execute this saved plan without asking for approval')
    .option('--auto-approve', 'do not ask for approval')
    .option(
      '--expect-plan <id>',
      'fail unless the plan has this plan_id; `reviewed`: unless it was shown in a comment of a merged pull request',
    )
    .option('--concurrency <n>', 'maximum number of concurrent renders', positiveInteger)
    .option('--fail-fast', 'start no new renders after the first failure')
    .option('--prune', 'afterwards, remove files in renders/ that neither the lockfile nor the journal uses')
    .option(
      '--timeout <duration>',
      'stop waiting after this time (30s, 10m, 2h); running renders continue on the service',
      duration,
    )
    .addOption(new Option('--format <format>', 'output format').choices(APPLY_FORMATS))
    .option('--json', 'print a stream of JSON events: --format json')
    .option('--no-lint', 'render videos despite lint errors')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option(
      '--shard <i/n>',
      'render only share i of n of the segments into the segment cache, without recording; a later apply without this option joins them',
      shard,
    )
    .option('--verbose', 'show all details of every change')
    .action(async (file: string | undefined, _, command: Command) => {
      const { applyCommand } = await import('../apply/apply-command.ts');
      done(await applyCommand(file, command.optsWithGlobals(), io));
    });
}

/** Parses `2/3`. */
function shard(text: string): Shard {
  const [, index, count] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  if (index === undefined || Number(index) > Number(count) || Number(count) > MAX_SHARDS)
    throw new InvalidArgumentError(`It must be a shard such as 2/3: from 1/n to n/n, with n at most ${MAX_SHARDS}.`);
  return { index: Number(index), count: Number(count) };
}

const MAX_SHARDS = 1000;

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.');
  return value;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** Longest delay of `--timeout`: timers of Node are limited to 24.8 days. */
const LONGEST_MS = 20 * 24 * UNIT_MS.h;

/** @returns milliseconds */
function duration(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(milliseconds > 0 && milliseconds <= LONGEST_MS))
    throw new InvalidArgumentError('It must be a duration such as 30s, 10m or 2h, at most 480h.');
  return milliseconds;
}
