import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Shard } from '../../session/segments/render-shard.ts';
import { addCommitFlags } from '../commit/commit-options.ts';
import type { Io } from '../io.ts';
import { addPlanFlags, NO_SEGMENT_CACHE } from '../plan/plan-options.ts';
import { APPLY_FORMATS } from './apply-options.ts';

/** Declares `reelform apply`. */
export function addApplyCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  addCommitFlags(
    addPlanFlags(program.command('apply').description('render what changed, and record it in the lockfile')),
  )
    .argument('[planfile]', 'do what this saved plan says, without asking')
    .option('--auto-approve', 'do not ask before rendering')
    .option(
      '--expect-plan <id>',
      'refuse any other plan than the one with this plan_id; `reviewed`: than what a comment of a merged pull request shows',
    )
    .option('--concurrency <n>', 'videos to render at once', positiveInteger)
    .option('--fail-fast', 'begin nothing new after the first failure')
    .option('--prune', 'at the end, remove files in renders/ that neither the lockfile nor the journal names any more')
    .option('--timeout <duration>', 'after so long (30s, 10m, 2h) leave what is at work to the service', duration)
    .addOption(new Option('--format <format>', 'how to print what happens').choices(APPLY_FORMATS))
    .option('--json', 'print what happens as a stream of JSON events: --format json')
    .option('--no-lint', 'render also what lint would call an error')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option(
      '--shard <i/n>',
      'render the i-th of n shares of the segments into the segment cache, and record nothing; an apply without it joins them',
      shard,
    )
    .option('--verbose', 'show every change in full')
    .action(async (file: string | undefined, _, command: Command) => {
      const { applyCommand } = await import('../apply/apply-command.ts');
      done(await applyCommand(file, command.optsWithGlobals(), io));
    });
}

/** Parses `2/3`. */
function shard(text: string): Shard {
  const [, index, count] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text) ?? [];
  if (index === undefined || Number(index) > Number(count) || Number(count) > MAX_SHARDS)
    throw new InvalidArgumentError(`It must be a shard such as 2/3: from 1/n to n/n, of ${MAX_SHARDS} at most.`);
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
    throw new InvalidArgumentError('It must be a time such as 30s, 10m or 2h, and 480h at most.');
  return milliseconds;
}
