import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { collect } from '../plan/plan-options.ts';

/** Declares `reelform template add`, `look`, `init`, `check`, `pack` and `push`. */
export function addTemplateCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const template = program
    .command('template')
    .description('template packages: add, look at, make, check, pack and upload them');
  const add = template
    .command('add')
    .description('add a template to the repository: from a Lottie animation, or from a template package')
    .argument('<source>', 'a .json, .lottie or .zip file, a folder, a URL, npm:PACKAGE/FILE, or gallery:NAME')
    .option('--name <text>', 'name of the template; default: the name of the file')
    .option('--animation <id>', 'which animation of a file that has several')
    .option('--background <color>', 'background of a transparent animation, such as "#FFFFFF", or none')
    .option('--font <name=file>', 'a missing font: NAME=FILE, NAME=npm:PACKAGE, or npm for all; repeatable', collect)
    .addOption(
      new Option('--text <place>', 'add a headline and a caption to an animation without text').choices([
        'top',
        'center',
        'bottom',
        'none',
      ]),
    );
  addMakingOptions(add).action(async (source: string, _, command: Command) => {
    const { templateAddCommand } = await import('./add/template-add-command.ts');
    done(await templateAddCommand(source, command.optsWithGlobals(), io));
  });
  template
    .command('look')
    .description('draw templates with short, long, empty and foreign texts and images on contact sheets')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--out <folder>', 'where to write them; renders/looks by default')
    .option('--json', 'print the paths as one JSON document')
    .action(async (templates: string[], _, command: Command) => {
      const { templateLookCommand } = await import('./template-look-command.ts');
      done(await templateLookCommand(templates, command.optsWithGlobals(), io));
    });
  const init = template
    .command('init')
    .description('create a template package from a Lottie animation')
    .argument('<file>', 'a .json or .lottie file')
    .option('--out <folder>', 'output folder; default: templates/<name of the file>')
    .option('--name <text>', 'name of the template; default: the name of the file')
    .option('--animation <id>', 'id of the animation, if a .lottie file contains several');
  addMakingOptions(init).action(async (file: string, _, command: Command) => {
    const { templateInitCommand } = await import('./template-init-command.ts');
    done(await templateInitCommand(file, command.optsWithGlobals(), io));
  });
  template
    .command('check')
    .description('check a template package, including rendered frames')
    .argument('<package>', 'its folder, or a .lottie file')
    .option('--strict', 'exit with 1 for warnings too')
    .option('--json', 'print the findings as one JSON document')
    .action(async (named: string, _, command: Command) => {
      const { templateCheckCommand } = await import('./template-check-command.ts');
      done(await templateCheckCommand(named, command.optsWithGlobals(), io));
    });
  template
    .command('pack')
    .description('pack a template package into one .lottie file')
    .argument('<package>', 'its folder')
    .option('--out <file>', 'the file; <name of the folder>.lottie by default')
    .option('--json', 'print the result as one JSON document')
    .action(async (named: string, _, command: Command) => {
      const { templatePackCommand } = await import('./template-pack-command.ts');
      done(await templatePackCommand(named, command.optsWithGlobals(), io));
    });
  template
    .command('push')
    .description('upload the template packages of the repository to the service')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--json', 'print the results as one JSON document')
    .action(async (templates: string[], _, command: Command) => {
      const { templatePushCommand } = await import('./template-push-command.ts');
      done(await templatePushCommand(templates, command.optsWithGlobals(), io));
    });
}

/** Declares the options of commands that make a package from an animation. */
function addMakingOptions(command: Command): Command {
  return command
    .option(
      '--colors [layers]',
      'make each colour that is shared by this many layers editable; default: 2',
      wholeNumber,
    )
    .option('--force', 'overwrite existing files')
    .option('--json', 'print the report as one JSON document');
}

/** Declares `reelform pull`. */
export function addPullCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('pull')
    .description('fetch the specification of each template and write its schema for editors')
    .argument('[template...]', 'names from reelform.yaml; all by default')
    .option('--check', 'change no files; exit with 2 if a file is out of date')
    .action(async (templates: string[], _, command: Command) => {
      const { pullCommand } = await import('./pull-command.ts');
      done(await pullCommand(templates, command.optsWithGlobals(), io));
    });
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new InvalidArgumentError('It must be a whole number of layers.');
  return value;
}
