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
    .description('check videos for visible problems: missing glyphs, text overflow, low contrast, blurred images')
    .argument('[glob...]', 'ids of videos; all by default')
    .option('--no-cache', 'check every video again, including unchanged ones')
    .option('--json', 'print the findings as one JSON document')
    .action(async (globs: string[], _, command: Command) => {
      const { lintCommand } = await import('./lint-command.ts');
      done(await lintCommand(globs, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform fmt`. */
export function addFmtCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('fmt')
    .description('format definitions and reelform.yaml without changing their meaning')
    .argument('[file...]', 'files to format; all definitions and reelform.yaml by default')
    .option('--check', 'change no files; exit with 2 if a file is not formatted')
    .action(async (files: string[], _, command: Command) => {
      const { fmtCommand } = await import('./fmt-command.ts');
      done(await fmtCommand(files, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform doctor`. */
export function addDoctorCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('doctor')
    .description('check everything that other commands need: this machine, the repository, git and the service')
    .option('--json', 'print the checks as one JSON document')
    .action(async (_, command: Command) => {
      const { doctorCommand } = await import('./doctor-command.ts');
      done(await doctorCommand(command.optsWithGlobals(), io));
    });
}
