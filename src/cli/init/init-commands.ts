import { type Command, Option } from 'commander';
import type { Io } from '../io.ts';

/** Declares `reelform init`. */
export function addInitCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('init')
    .description('make a working repository: configuration, a template with a video, workflows')
    .argument('[dir]', 'the folder, which is made when it is not there; this one by default')
    .option('--yes', 'ask nothing: what is not said has its default')
    .option('--service <service>', 'where videos are rendered: embedded, or the URL of a service')
    .addOption(new Option('--ci <ci>', 'whose workflows to write').choices(['github', 'gitlab', 'none']))
    .addOption(new Option('--template <template>', 'the template to begin with').choices(['card', 'none']))
    .action(async (dir: string | undefined, _, command: Command) => {
      const { initCommand } = await import('./init-command.ts');
      done(await initCommand(dir, command.optsWithGlobals(), io));
    });
}
