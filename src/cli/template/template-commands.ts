import { type Command, InvalidArgumentError } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform template init`, `check`, `pack` and `push`. */
export function addTemplateCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const template = program.command('template').description('template packages: make, check, pack and upload them');
  template
    .command('init')
    .description('make a template package from a Lottie animation')
    .argument('<file>', 'a .json or .lottie file')
    .option('--out <folder>', 'where to make it; templates/<name of the file> by default')
    .option('--name <text>', 'what to call the template, instead of the name of the file')
    .option('--animation <id>', 'which animation of a .lottie file that has several')
    .option('--colors [layers]', 'offer each colour that so many layers share, 2 by default', wholeNumber)
    .option('--force', 'write over files that are there')
    .option('--json', 'print the report as one JSON document')
    .action(async (file: string, _, command: Command) => {
      const { templateInitCommand } = await import('./template-init-command.ts');
      done(await templateInitCommand(file, command.optsWithGlobals(), io));
    });
  template
    .command('check')
    .description('check a template package, and look at what it draws')
    .argument('<package>', 'its folder, or a .lottie file')
    .option('--strict', 'exit with 1 for warnings, too')
    .option('--json', 'print what was found as one JSON document')
    .action(async (named: string, _, command: Command) => {
      const { templateCheckCommand } = await import('./template-check-command.ts');
      done(await templateCheckCommand(named, command.optsWithGlobals(), io));
    });
  template
    .command('pack')
    .description('pack a template package into one .lottie file')
    .argument('<package>', 'its folder')
    .option('--out <file>', 'the file; <name of the folder>.lottie by default')
    .option('--json', 'print what was made as one JSON document')
    .action(async (named: string, _, command: Command) => {
      const { templatePackCommand } = await import('./template-pack-command.ts');
      done(await templatePackCommand(named, command.optsWithGlobals(), io));
    });
  template
    .command('push')
    .description('upload the template packages of the repository to the service')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--json', 'print what became of each as one JSON document')
    .action(async (templates: string[], _, command: Command) => {
      const { templatePushCommand } = await import('./template-push-command.ts');
      done(await templatePushCommand(templates, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform pull`. */
export function addPullCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('pull')
    .description('fetch the specification of each template and write its schema for editors')
    .argument('[template...]', 'names from reelform.yaml; all of them by default')
    .option('--check', 'write nothing; exit with 2 when a file is out of date')
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
