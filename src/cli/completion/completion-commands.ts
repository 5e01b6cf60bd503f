import { Argument, type Command } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform completion`. */
export function addCompletionCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('completion')
    .description('print the script that completes commands, options, ids and templates in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'after --: words of a command line; prints what can complete the last one')
    .action(async (shell: 'bash' | 'zsh' | 'fish', words: string[]) => {
      const { completionCommand } = await import('./completion-command.ts');
      done(await completionCommand(shell, words, program, io));
    });
}
