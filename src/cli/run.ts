import { Command, CommanderError } from 'commander';
import { EXIT } from '../diagnostic.ts';
import { addApplyCommand } from './apply/apply-commands.ts';
import { addDoctorCommand, addFmtCommand, addLintCommand, addValidateCommand } from './check/check-commands.ts';
import { addCommentCommands } from './comment/comment-commands.ts';
import { addCompletionCommand } from './completion/completion-commands.ts';
import { addDriftCommand } from './drift/drift-commands.ts';
import { reportError } from './errors.ts';
import { VERSION } from './global-options.ts';
import { addInitCommand } from './init/init-commands.ts';
import type { Io } from './io.ts';
import { addListCommands } from './list/list-commands.ts';
import { addLockCommands, addResolveCommand } from './lock/lock-commands.ts';
import { addMcpCommand } from './mcp/mcp-commands.ts';
import { addExplainCommand, addPlanCommand } from './plan/plan-commands.ts';
import { addPreviewCommand } from './preview/preview-commands.ts';
import { addCacheCommands, addRenderCommand } from './render/render-commands.ts';
import { addServerCommands, type ServerFlags } from './serve/server-commands.ts';
import { addPullCommand, addTemplateCommands } from './template/template-commands.ts';

/** In the order in which `--help` lists the commands; those of a server follow. */
const COMMANDS = [
  addInitCommand,
  addPlanCommand,
  addApplyCommand,
  addListCommands,
  addDriftCommand,
  addExplainCommand,
  addRenderCommand,
  addPreviewCommand,
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
  addCompletionCommand,
  addMcpCommand((argv, io) => run(argv, io)),
];

/** Declares all commands and options. The code of a command is loaded when it runs, except that of `plan`, the most frequent one. */
export function createProgram(io: Io, flags: ServerFlags, done: (exitCode: number) => void): Command {
  const program = new Command('reelform')
    .description('Videos as code: plan what would be rendered, and render what changed.')
    .version(VERSION, '-v, --version')
    .option('-C, --directory <dir>', 'run as if started in this directory')
    .option('--no-color', 'never use colours')
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError('Run with --help for the list of commands and options.')
    .exitOverride();
  for (const addCommands of COMMANDS) addCommands(program, io, done);
  addServerCommands(program, flags, io, done);
  return program;
}

/** Parses `argv` (without `node` and the script), runs the command and resolves to the exit status. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  const program = createProgram(io, await serverFlags(argv), (code) => {
    exitCode = code;
  });
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
