import { Command, CommanderError } from 'commander';
import { EXIT } from '../diagnostic.ts';
import { addCommentCommands } from './commands/add-comment-commands.ts';
import { addInitCommand } from './commands/add-init-command.ts';
import { addJournalCommands } from './commands/add-journal-commands.ts';
import { addLockCommands } from './commands/add-lock-commands.ts';
import { addPlanCommands } from './commands/add-plan-commands.ts';
import { addRepositoryCommands } from './commands/add-repository-commands.ts';
import { addServerCommands, type ServerFlags } from './commands/add-server-commands.ts';
import { addTemplateCommands } from './commands/add-template-commands.ts';
import { explainThrown } from './explain-thrown.ts';
import { VERSION } from './global-options.ts';
import type { Io } from './io.ts';

/**
 * One call of the command: parses `argv` (without `node` and the script), does the work, and tells the exit status.
 * Each command's code is loaded when it is called; that of `plan`, the most frequent one, is part of the start.
 */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = new Command('reelform')
    .description('Videos as code: plan what would be rendered, and render what changed.')
    .version(VERSION, '-v, --version')
    .option('-C, --directory <dir>', 'work as if started in this directory')
    .option('--no-color', 'never use colours')
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError('Run with --help to see what there is.')
    .exitOverride();

  const done = (code: number): void => {
    exitCode = code;
  };
  addInitCommand(program, io, done);
  addPlanCommands(program, io, done);
  addCommentCommands(program, io, done);
  addJournalCommands(program, io, done);
  addLockCommands(program, io, done);
  addRepositoryCommands(program, io, done);
  addTemplateCommands(program, io, done);
  addServerCommands(program, await serverFlags(argv), io, done);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has said its own: help and version end with 0, mistakes with its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.error;
    return explainThrown(error, io);
  }
}

/** The table of settings brings along what reads them: other commands do without. */
async function serverFlags(argv: readonly string[]): Promise<ServerFlags> {
  if (!argv.includes('serve') && !argv.includes('worker')) return { serve: [], worker: [] };
  const { SETTING_FLAGS, WORKER_FLAGS } = await import('../server/settings/settings-table.ts');
  return { serve: SETTING_FLAGS, worker: WORKER_FLAGS };
}
