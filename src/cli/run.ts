import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { EXIT, ReelformError } from '../diagnostic.ts';
import { errorText, internalErrorText, serviceErrorText } from '../report/error-text.ts';
import { ServiceError } from '../service/service-error.ts';
import { addServerCommands } from './add-server-commands.ts';
import { VERSION } from './global-options.ts';
import type { Io } from './io.ts';

/**
 * One call of the command: parses `argv` (without `node` and the script), does the work, and tells the exit status.
 * Each command's code is loaded when it is called.
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

  program
    .command('plan')
    .description('show what apply would do, and why')
    .option('--json', 'print the plan as one JSON document')
    .option('--markdown', 'print the plan as Markdown, for a pull request')
    .option('--detailed-exitcode', 'exit with 2 when there are changes')
    .option('--ignore-missing-outputs', 'do not restore videos whose local file is missing')
    .option('--allow-empty', 'accept that no video is left')
    .option('--verbose', 'show every change in full')
    .action(async (_, command: Command) => {
      const { planCommand } = await import('./plan-command.ts');
      exitCode = await planCommand(command.optsWithGlobals(), io);
    });

  program
    .command('apply')
    .description('render what changed, and record it in the lockfile')
    .option('--auto-approve', 'do not ask before rendering')
    .option('--concurrency <n>', 'videos to render at once', positiveInteger)
    .option('--ignore-missing-outputs', 'do not restore videos whose local file is missing')
    .option('--json', 'print the outcome as one JSON document')
    .option('--allow-empty', 'accept that no video is left')
    .option('--verbose', 'show every change in full')
    .action(async (_, command: Command) => {
      const { applyCommand } = await import('./apply-command.ts');
      exitCode = await applyCommand(command.optsWithGlobals(), io);
    });

  program
    .command('validate')
    .description('check the configuration, the templates and every definition')
    .option('--json', 'print the diagnostics as one JSON document')
    .action(async (_, command: Command) => {
      const { validateCommand } = await import('./validate-command.ts');
      exitCode = await validateCommand(command.optsWithGlobals(), io);
    });

  program
    .command('pull')
    .description('fetch the specification of each template and write its schema for editors')
    .argument('[template...]', 'names from reelform.yaml; all of them by default')
    .option('--check', 'write nothing; exit with 2 when a file is out of date')
    .action(async (templates: string[], _, command: Command) => {
      const { pullCommand } = await import('./pull-command.ts');
      exitCode = await pullCommand(templates, command.optsWithGlobals(), io);
    });

  program
    .command('show')
    .description('show what the lockfile holds')
    .argument('[id]', 'one video in full')
    .option('--json', 'print it as one JSON document')
    .action(async (id: string | undefined, _, command: Command) => {
      const { showCommand } = await import('./show-command.ts');
      exitCode = await showCommand(id, command.optsWithGlobals(), io);
    });

  program
    .command('output')
    .description('print the video_url of one video, or of all')
    .argument('[id]', 'print this URL and nothing else')
    .option('--json', 'print a JSON object of id and URL')
    .action(async (id: string | undefined, _, command: Command) => {
      const { outputCommand } = await import('./output-command.ts');
      exitCode = await outputCommand(id, command.optsWithGlobals(), io);
    });

  const template = program.command('template').description('templates at the service');
  template
    .command('push')
    .description('upload the template packages of the repository to the service')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--json', 'print what became of each as one JSON document')
    .action(async (templates: string[], _, command: Command) => {
      const { templatePushCommand } = await import('./template-command.ts');
      exitCode = await templatePushCommand(templates, command.optsWithGlobals(), io);
    });

  // The table of settings brings along what reads them: other commands do without.
  const settings = argv.includes('serve') ? (await import('../server/setting-flags.ts')).SETTING_FLAGS : [];
  addServerCommands(program, settings, io, (code) => {
    exitCode = code;
  });

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

/** What the file system said no to, where nobody was nearer to it. */
function fileSystemError(error: unknown): ReelformError | null {
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof syscall !== 'string' || typeof code !== 'string') return null;
  const hint = 'Look whether the path is what it should be, and at its rights';
  return new ReelformError('file_system', path === undefined ? message : `${syscall} ${path}: ${code}`, {
    hint,
    cause: error,
  });
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 64)
    throw new InvalidArgumentError('It must be a whole number from 1 to 64.');
  return value;
}
