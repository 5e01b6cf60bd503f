import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform preview`, with its alias `dev`. */
export function addPreviewCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('preview')
    .alias('dev')
    .description('open a local page that shows every video while you edit it')
    .option('--port <port>', 'port of the page; 4321 by default, 0 for any free one', port)
    .option('--host <address>', 'address to listen on; 127.0.0.1 by default, which only this machine reaches')
    .option('--open', 'open the page in the browser')
    .option('--build <folder>', 'write the page with the present videos as static files, and end')
    .action(async (_, command: Command) => {
      const { previewCommand } = await import('./preview-command.ts');
      done(await previewCommand(command.optsWithGlobals(), io));
    });
}

function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535) throw new InvalidArgumentError('It must be a number from 0 to 65535.');
  return value;
}
