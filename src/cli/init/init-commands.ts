import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform init`. */
export function addInitCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('init')
    .description('create a repository with a configuration, a template, a video and CI workflows')
    .argument('[dir]', 'the folder, created if missing; the current one by default')
    .option('--yes', 'do not ask; use defaults')
    .option('--service <service>', 'where to render videos: embedded, or the URL of a service')
    .addOption(new Option('--ci <ci>', 'CI system to write workflows for').choices(['github', 'gitlab', 'none']))
    .option('--template <template>', 'the first template: card, none, or the name of one in the gallery')
    .action(async (dir: string | undefined, _, command: Command) => {
      const { initCommand } = await import('./init-command.ts');
      done(await initCommand(dir, command.optsWithGlobals(), io));
    });
}
