import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addSelectionFlags } from '../plan/plan-options.ts';

/** Declares `reelform drift`. */
export function addDriftCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  addSelectionFlags(
    program
      .command('drift')
      .description('check that rendered videos still exist and specifications are unchanged; exit with 2 if not'),
  )
    .option('--ignore-missing-outputs', 'ignore missing and damaged local files')
    .option('--issue', 'report drift in one GitHub issue, which is closed when there is none')
    .option('--json', 'print the findings as one JSON document')
    .action(async (_, command: Command) => {
      const { driftCommand } = await import('./drift-command.ts');
      done(await driftCommand({ ...command.optsWithGlobals(), detailedExitcode: true }, io));
    });
}
