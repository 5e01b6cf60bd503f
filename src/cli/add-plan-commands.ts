import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from './io.ts';

/** `reelform plan`, `apply`: what would be rendered, and rendering it. */
export function addPlanCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('plan')
    .description('show what apply would do, and why')
    .option('--json', 'print the plan as one JSON document')
    .option('--markdown', 'print the plan as Markdown, for a pull request')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option('--ignore-missing-outputs', 'do not restore videos whose local file is missing')
    .option('--allow-empty', 'accept that no video is left')
    .option('--verbose', 'show every change in full')
    .action(async (_, command: Command) => {
      const { planCommand } = await import('./plan-command.ts');
      done(await planCommand(command.optsWithGlobals(), io));
    });

  program
    .command('apply')
    .description('render what changed, and record it in the lockfile')
    .option('--auto-approve', 'do not ask before rendering')
    .option('--concurrency <n>', 'videos to render at once', positiveInteger)
    .option('--ignore-missing-outputs', 'do not restore videos whose local file is missing')
    .option('--json', 'print the outcome as one JSON document')
    .option('--allow-empty', 'accept that no video is left')
    .option('--verbose', 'show every change in full')
    .action(async (_, command: Command) => {
      const { applyCommand } = await import('./apply-command.ts');
      done(await applyCommand(command.optsWithGlobals(), io));
    });
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64)
    throw new InvalidArgumentError('It must be a whole number from 1 to 64.');
  return value;
}
