import { Command, CommanderError } from 'commander';
import { EXIT, ReelformError } from '../diagnostic.ts';
import type { Looked } from '../plan-index/plan-memory.ts';
import { errorText, internalErrorText, serviceErrorText } from '../report/error-text.ts';
import { ServiceError } from '../service/service-error.ts';
import { addJournalCommands } from './commands/add-journal-commands.ts';
import { addLockCommands } from './commands/add-lock-commands.ts';
import { addPlanCommands } from './commands/add-plan-commands.ts';
import { addRepositoryCommands } from './commands/add-repository-commands.ts';
import { addServerCommands } from './commands/add-server-commands.ts';
import { addTemplateCommands } from './commands/add-template-commands.ts';
import { VERSION } from './global-options.ts';
import type { Io } from './io.ts';
import { fileSystemError } from './thrown.ts';

/**
 * One call of the command: parses `argv` (without `node` and the script), does the work, and tells the exit status.
 * Each command's code is loaded when it is called.
 *
 * @param looked what a first look at the repository found
 */
export async function run(argv: readonly string[], io: Io, looked?: Looked | null): Promise<number> {
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
  addPlanCommands(program, io, done, looked);
  addJournalCommands(program, io, done);
  addLockCommands(program, io, done);
  addRepositoryCommands(program, io, done);
  addTemplateCommands(program, io, done);
  // The table of settings brings along what reads them: other commands do without.
  const settings = argv.includes('serve') ? (await import('../server/setting-flags.ts')).SETTING_FLAGS : [];
  addServerCommands(program, settings, io, done);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, io);
  }
}

/** Says what was thrown, once, and gives its exit status. */
function explain(error: unknown, io: Io): number {
  // Commander has said its own: help and version end with 0, mistakes with its message.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.error;
  if (error instanceof ReelformError) {
    io.stderr.write(errorText(error));
    return error.exitCode;
  }
  if (error instanceof ServiceError) {
    io.stderr.write(serviceErrorText(error));
    return EXIT.error;
  }
  const refused = fileSystemError(error);
  if (refused !== null) return explain(refused, io);
  io.stderr.write(internalErrorText(error, VERSION));
  return EXIT.error;
}
