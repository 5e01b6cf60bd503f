import { type Command, InvalidArgumentError, Option } from 'commander';
import { OUTPUT_FILE_TYPES } from '../../template/output-file-types.ts';
import { APPLY_FORMATS } from '../apply/apply-format.ts';
import { addCommitFlags } from '../commit/commit-options.ts';
import type { Io } from '../io.ts';
import { planCommand } from '../plan/plan-command.ts';
import { addPlanFlags, addSelectionFlags } from '../plan/plan-flags.ts';
import { PLAN_FORMATS } from '../plan/plan-format.ts';
import { addPreviewFlags } from '../preview/preview-flags.ts';

const NO_SEGMENT_CACHE = 'render every segment, also those that were rendered before';

/** `reelform plan`, `apply`, `drift`, `explain`, `render`: what would be rendered, and why, and rendering it. */
export function addPlanCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  addPreviewFlags(addPlanFlags(program.command('plan').description('show what apply would do, and why')))
    .option('--out <file>', 'save the plan, for `reelform apply FILE`')
    .option('--report <folder>', 'write what a review takes, whatever comes of it: plan.json, plan.html, the pictures')
    .addOption(new Option('--format <format>', 'how to print the plan').choices(PLAN_FORMATS))
    .option('--json', 'print the plan as one JSON document: --format json')
    .option('--markdown', 'print the plan as Markdown, for a pull request: --format markdown')
    .option('--detailed-exitcode', 'exit with 2 when there are changes, or local files to restore')
    .option('--no-lint', 'do not look at what a viewer would notice of the videos that are rendered')
    .option('--verbose', 'show every change in full')
    .action(async (_, command: Command) => done(await planCommand(command.optsWithGlobals(), io)));

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
    .option('--verbose', 'show every change in full')
    .action(async (file: string | undefined, _, command: Command) => {
      const { applyCommand } = await import('../apply/apply-command.ts');
      done(await applyCommand(file, command.optsWithGlobals(), io));
    });

  addSelectionFlags(
    program
      .command('drift')
      .description(
        'check that rendered videos can still be fetched and specifications are as committed; exit with 2 when not',
      ),
  )
    .option('--ignore-missing-outputs', 'say nothing of videos whose local file is missing or damaged')
    .option('--issue', 'tell it in one issue on GitHub, which is closed when all stands')
    .option('--json', 'print what was found as one JSON document')
    .action(async (_, command: Command) => {
      const { driftCommand } = await import('../drift/drift-command.ts');
      done(await driftCommand({ ...command.optsWithGlobals(), detailedExitcode: true }, io));
    });

  program
    .command('explain')
    .description('show why a video would be rendered, or why it was')
    .argument('<id>', 'the video, as a definition or the lockfile knows it')
    .option('--json', 'print it as one JSON document')
    .action(async (id: string, _, command: Command) => {
      const { explainCommand } = await import('../plan/explain-command.ts');
      done(await explainCommand(id, command.optsWithGlobals(), io));
    });

  program
    .command('render')
    .description('render one video, or one frame of it, to look at; nothing is recorded')
    .argument('<video>', 'the path of its definition, or its id')
    .option('--frame <frame>', 'one frame, as PNG: its number from 0, or its time (1.5s)')
    .option('--draft', 'half the height and low quality')
    .addOption(new Option('--format <format>', 'the kind of file').choices(Object.keys(OUTPUT_FILE_TYPES)))
    .option('--height <pixels>', 'the height; the width follows', Number)
    .option('--fps <n>', 'frames per second', Number)
    .option('--out <file>', 'where to write it; below renders/looks/ by default')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option('--json', 'print what was made as one JSON document')
    .action(async (video: string, _, command: Command) => {
      const { renderCommand } = await import('../render/render-command.ts');
      done(await renderCommand(video, command.optsWithGlobals(), io));
    });
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 1000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 1000.');
  return value;
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
/** The longest time that a timer of Node can be set to is 24.8 days. */
const LONGEST_MS = 20 * 24 * UNIT_MS.h;

/** @returns milliseconds */
function duration(text: string): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)(s|m|h)$/.exec(text) ?? [];
  const milliseconds = Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(milliseconds > 0 && milliseconds <= LONGEST_MS))
    throw new InvalidArgumentError('It must be a time such as 30s, 10m or 2h, and 480h at most.');
  return milliseconds;
}
