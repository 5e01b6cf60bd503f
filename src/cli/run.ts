import { Command, CommanderError } from 'commander';
import { EXIT } from '../kernel/diagnostic.ts';
import type { ActionOf, AddCommands } from './arguments.ts';
import {
  addCommentCommands,
  addCompletionCommand,
  addFileCommands,
  addInitCommand,
  addMcpCommand,
  addTemplateCommands,
} from './commands/repository-commands.ts';
import { addServerCommands, type ServerFlags } from './commands/server-commands.ts';
import { addLockCommands, addVideoCommands } from './commands/video-commands.ts';
import { reportError } from './errors.ts';
import { VERSION } from './global-options.ts';
import type { Io } from './io.ts';

/** In the order in which `--help` lists the commands. */
const COMMANDS: readonly AddCommands[] = [
  addInitCommand,
  addVideoCommands,
  addCommentCommands,
  addLockCommands,
  addFileCommands,
  addTemplateCommands,
  addCompletionCommand,
];

/** Declares all commands and options. The code of a command is loaded when it runs. */
export function createProgram(io: Io, flags: ServerFlags, done: (exitCode: number) => void): Command {
  const program = new Command('reelform')
    .description('Videos as code: plan what would be rendered, and render what changed.')
    .version(VERSION, '-v, --version')
    .option('-C, --directory <dir>', 'run as if started in this directory')
    .option('--no-color', 'never use colours')
    .configureOutput({ writeOut: (text) => io.stdout.write(text), writeErr: (text) => io.stderr.write(text) })
    .showHelpAfterError('Run with --help for the list of commands and options.')
    .exitOverride();
  const action: ActionOf =
    (load) =>
    async (...parameters) => {
      const command = parameters.at(-1) as Command;
      const code = (await load()) as (...given: unknown[]) => Promise<number>;
      // Commander passes the arguments, the command's own options and the command.
      done(await code(...parameters.slice(0, -2), command.optsWithGlobals(), io));
    };
  for (const addCommands of COMMANDS) addCommands(program, action);
  addMcpCommand(program, action, run);
  addServerCommands(program, action, flags);
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
  const { SETTING_FLAGS, WORKER_FLAGS } = await import('../service/server/settings/settings-table.ts');
  return { serve: SETTING_FLAGS, worker: WORKER_FLAGS };
}
