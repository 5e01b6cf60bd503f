import type { Command } from 'commander';
import type { Io } from './io.ts';

/** `reelform show`, `output`: what was rendered. */
export function addLockCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('show')
    .description('show what the lockfile holds')
    .argument('[id]', 'one video in full')
    .option('--json', 'print it as one JSON document')
    .action(async (id: string | undefined, _, command: Command) => {
      const { showCommand } = await import('./show-command.ts');
      done(await showCommand(id, command.optsWithGlobals(), io));
    });

  program
    .command('output')
    .description('print the video_url of one video, or of all')
    .argument('[id]', 'print this URL and nothing else')
    .option('--json', 'print a JSON object of id and URL')
    .action(async (id: string | undefined, _, command: Command) => {
      const { outputCommand } = await import('./output-command.ts');
      done(await outputCommand(id, command.optsWithGlobals(), io));
    });
}
