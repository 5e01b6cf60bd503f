import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';
import { planCommand } from './plan-command.ts';
import { addPlanFlags, addPreviewFlags, PLAN_FORMATS } from './plan-options.ts';

/** Declares `reelform plan`. Its code is loaded at startup, because it is the most frequent command. */
export function addPlanCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  addPreviewFlags(addPlanFlags(program.command('plan').description('show what apply would change, and why')))
    .option('--out <file>', 'save the plan for `reelform apply FILE`')
    .option('--report <folder>', 'write the files for a review, even if planning fails: plan.json, plan.html, images')
    .addOption(new Option('--format <format>', 'output format').choices(PLAN_FORMATS))
    .option('--json', 'print the plan as one JSON document: --format json')
    .option('--markdown', 'print the plan as Markdown, for a pull request: --format markdown')
    .option('--detailed-exitcode', 'exit with 2 if there are changes or local files to restore')
    .option('--no-lint', 'do not run lint on the videos to render')
    .option('--verbose', 'show all details of every change')
    .action(async (_, command: Command) => done(await planCommand(command.optsWithGlobals(), io)));
}

/** Declares `reelform explain`. */
export function addExplainCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('explain')
    .description('show why a video would be rendered, or why it was rendered')
    .argument('<id>', 'id of a video in a definition or the lockfile')
    .option('--json', 'print one JSON document')
    .action(async (id: string, _, command: Command) => {
      const { explainCommand } = await import('./explain-command.ts');
      done(await explainCommand(id, command.optsWithGlobals(), io));
    });
}
