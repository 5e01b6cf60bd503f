import { Command, CommanderError } from 'commander';
import { EXIT } from '../diagnostic.ts';
import { addApplyCommand } from './apply/apply-commands.ts';
import { addDoctorCommand, addFmtCommand, addLintCommand, addValidateCommand } from './check/check-commands.ts';
import { addCommentCommands } from './comment/comment-commands.ts';
import { addDriftCommand } from './drift/drift-commands.ts';
import { reportError } from './errors.ts';
import { VERSION } from './global-options.ts';
import { addInitCommand } from './init/init-commands.ts';
import type { Io } from './io.ts';
import { addLockCommands, addResolveCommand } from './lock/lock-commands.ts';
import { addExplainCommand, addPlanCommand } from './plan/plan-commands.ts';
import { addCacheCommands, addRenderCommand } from './render/render-commands.ts';
import { addServerCommands, type ServerFlags } from './serve/server-commands.ts';
import { addPullCommand, addTemplateCommands } from './template/template-commands.ts';

/** In the order in which `--help` lists the commands; those of a server follow. */
const COMMANDS = [
  addInitCommand,
  addPlanCommand,
  addApplyCommand,
  addDriftCommand,
  addExplainCommand,
  addRenderCommand,
  addCommentCommands,
  addResolveCommand,
  addLockCommands,
  addValidateCommand,
  addLintCommand,
  addPullCommand,
  addFmtCommand,
  addCacheCommands,
  addDoctorCommand,
  addTemplateCommands,
];

/**
 * Parses `argv` (without `node` and the script), runs the command and resolves to the exit status. The code of a command is
 * loaded when the command is called, except that of `plan`, the most frequent one.
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
  for (const addCommands of COMMANDS) addCommands(program, io, done);
  addServerCommands(program, await serverFlags(argv), io, done);

  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // Commander has printed its message already: --help and --version exit with 0, usage errors with 1.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.error;
    return reportError(error, io);
  }
}

/** Loads the table of settings only for the commands that have a flag for each setting. */
async function serverFlags(argv: readonly string[]): Promise<ServerFlags> {
  if (!argv.includes('serve') && !argv.includes('worker')) return { serve: [], worker: [] };
  const { SETTING_FLAGS, WORKER_FLAGS } = await import('../server/settings/settings-table.ts');
  return { serve: SETTING_FLAGS, worker: WORKER_FLAGS };
}
