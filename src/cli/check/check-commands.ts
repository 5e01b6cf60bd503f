import type { Command } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform validate`. */
export function addValidateCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('validate')
    .description('check the configuration, the templates and every definition')
    .option('--json', 'print the diagnostics as one JSON document')
    .action(async (_, command: Command) => {
      const { validateCommand } = await import('./validate-command.ts');
      done(await validateCommand(command.optsWithGlobals(), io));
    });
}

/** Declares `reelform lint`. */
export function addLintCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('lint')
    .description('look at videos for what a viewer would notice: glyphs, overflow, contrast, soft images')
    .argument('[glob...]', 'ids of videos; all of them by default')
    .option('--no-cache', 'look at every video again, also at those that have not changed')
    .option('--json', 'print what was found as one JSON document')
    .action(async (globs: string[], _, command: Command) => {
      const { lintCommand } = await import('./lint-command.ts');
      done(await lintCommand(globs, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform fmt`. */
export function addFmtCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('fmt')
    .description('write definitions and reelform.yaml in one form; their meaning stays')
    .argument('[file...]', 'files of the repository; all definitions and reelform.yaml by default')
    .option('--check', 'write nothing; exit with 2 when a file is not in form')
    .action(async (files: string[], _, command: Command) => {
      const { fmtCommand } = await import('./fmt-command.ts');
      done(await fmtCommand(files, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform doctor`. */
export function addDoctorCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('doctor')
    .description('look at everything that the other commands need: this machine, the repository, git, the service')
    .option('--json', 'print what was looked at as one JSON document')
    .action(async (_, command: Command) => {
      const { doctorCommand } = await import('./doctor-command.ts');
      done(await doctorCommand(command.optsWithGlobals(), io));
    });
}
