import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { addSelectionFlags, days } from '../plan/plan-options.ts';

/** Declares `reelform list` and `reelform prune`. */
export function addListCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  addSelectionFlags(program.command('list'))
    .description('list the videos: id, state against the lockfile, URL')
    .argument('[video...]', 'ids, the last part of ids, or globs; all videos by default')
    .option('--json', 'print the list as one JSON document')
    .action(async (names: string[], _, command: Command) => {
      const { listCommand } = await import('./list-command.ts');
      done(await listCommand(names, command.optsWithGlobals(), io));
    });
  program
    .command('prune')
    .description('list files of earlier renderings, old previews and unused segments; remove them with --yes')
    .option('--yes', 'remove the files')
    .option('--older-than <days>', 'age of previews and segments to remove, such as 7d; 30d by default', days)
    .option('--json', 'print the files as one JSON document')
    .action(async (_, command: Command) => {
      const { pruneCommand } = await import('./prune-command.ts');
      done(await pruneCommand(command.optsWithGlobals(), io));
    });
}
