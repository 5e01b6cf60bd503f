import type { Command } from 'commander';
import type { Io } from '../io.ts';

/** `reelform validate`, `lint`, `pull`, `fmt`, `cache`, `doctor`: the files that videos are made from. */
export function addRepositoryCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('validate')
    .description('check the configuration, the templates and every definition')
    .option('--json', 'print the diagnostics as one JSON document')
    .action(async (_, command: Command) => {
      const { validateCommand } = await import('../repository/validate-command.ts');
      done(await validateCommand(command.optsWithGlobals(), io));
    });

  program
    .command('lint')
    .description('look at videos for what a viewer would notice: glyphs, overflow, contrast, soft images')
    .argument('[glob...]', 'ids of videos; all of them by default')
    .option('--no-cache', 'look at every video again, also at those that have not changed')
    .option('--json', 'print what was found as one JSON document')
    .action(async (globs: string[], _, command: Command) => {
      const { lintCommand } = await import('../lint/lint-command.ts');
      done(await lintCommand(globs, command.optsWithGlobals(), io));
    });

  program
    .command('pull')
    .description('fetch the specification of each template and write its schema for editors')
    .argument('[template...]', 'names from reelform.yaml; all of them by default')
    .option('--check', 'write nothing; exit with 2 when a file is out of date')
    .action(async (templates: string[], _, command: Command) => {
      const { pullCommand } = await import('../repository/pull-command.ts');
      done(await pullCommand(templates, command.optsWithGlobals(), io));
    });

  program
    .command('fmt')
    .description('write definitions and reelform.yaml in one form; their meaning stays')
    .argument('[file...]', 'files of the repository; all definitions and reelform.yaml by default')
    .option('--check', 'write nothing; exit with 2 when a file is not in form')
    .action(async (files: string[], _, command: Command) => {
      const { fmtCommand } = await import('../repository/fmt-command.ts');
      done(await fmtCommand(files, command.optsWithGlobals(), io));
    });

  const cache = program
    .command('cache')
    .description('print what the segment cache of this repository holds')
    .option('--json', 'print it as one JSON document')
    .action(async (_, command: Command) => {
      const { cacheCommand } = await import('../repository/cache-command.ts');
      done(await cacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('prune')
    .description('remove the least recently used segments beyond the size of the cache')
    .action(async (_, command: Command) => {
      const { pruneCacheCommand } = await import('../repository/cache-command.ts');
      done(await pruneCacheCommand(command.optsWithGlobals(), io));
    });
  cache
    .command('verify')
    .description('read every segment, and remove those that are damaged')
    .action(async (_, command: Command) => {
      const { verifyCacheCommand } = await import('../repository/cache-command.ts');
      done(await verifyCacheCommand(command.optsWithGlobals(), io));
    });

  program
    .command('doctor')
    .description('look at everything that the other commands need: this machine, the repository, git, the service')
    .option('--json', 'print what was looked at as one JSON document')
    .action(async (_, command: Command) => {
      const { doctorCommand } = await import('../doctor/doctor-command.ts');
      done(await doctorCommand(command.optsWithGlobals(), io));
    });
}
