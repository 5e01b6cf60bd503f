import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addSelectionFlags } from '../plan/plan-options.ts';

/** Declares `reelform drift`. */
export function addDriftCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
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
      const { driftCommand } = await import('./drift-command.ts');
      done(await driftCommand({ ...command.optsWithGlobals(), detailedExitcode: true }, io));
    });
}
