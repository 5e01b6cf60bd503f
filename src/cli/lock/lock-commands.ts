import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { PLAN_FORMATS } from '../plan/plan-options.ts';

/** Declares `reelform show`, `output`, `lock …`, `mv`, `rm` and `import`. */
export function addLockCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('show')
    .description('show what the lockfile holds, or a saved plan')
    .argument('[id]', 'one video in full; or the file of a saved plan, whose name ends with .json')
    .option('--json', 'print it as one JSON document')
    .addOption(new Option('--format <format>', 'how to print a saved plan').choices(PLAN_FORMATS))
    .option('--markdown', 'print a saved plan as Markdown: --format markdown')
    .option('--verbose', 'show every change of a saved plan in full')
    .option('--preview-dir <dir>', 'the pictures that `reelform plan --preview-dir` wrote, to show them with it')
    .action(async (id: string | undefined, _, command: Command) => {
      const { showCommand } = await import('./show-command.ts');
      done(await showCommand(id, command.optsWithGlobals(), io));
    });

  program
    .command('output')
    .description('print the video_url of one video, or of all')
    .argument('[id]', 'print this URL and nothing else')
    .option('--json', 'print a JSON object of id and URL')
    .option('--delivered', 'print where they were delivered to instead')
    .action(async (id: string | undefined, _, command: Command) => {
      const { outputCommand } = await import('./show-command.ts');
      done(await outputCommand(id, command.optsWithGlobals(), io));
    });

  const lock = program.command('lock').description('the lockfile as a file: merge, verify, migrate');
  lock
    .command('merge')
    .description("merge a lockfile entry by entry: as git's merge driver, or to mend a conflict")
    .argument('[files...]', 'base, ours and theirs, as git names them: %O %A %B')
    .option('--install', 'let git merge the lockfile by this command')
    .action(async (files: string[], _, command: Command) => {
      const { lockMergeCommand } = await import('./lock-merge-command.ts');
      done(await lockMergeCommand(files, command.optsWithGlobals(), io));
    });
  lock
    .command('verify')
    .description('check that the lockfile is whole, in its form, and that its local files are there')
    .option('--json', 'print the diagnostics as one JSON document')
    .option('--ignore-missing-outputs', 'do not look for local files')
    .action(async (_, command: Command) => {
      const { lockVerifyCommand } = await import('./lock-verify-command.ts');
      done(await lockVerifyCommand(command.optsWithGlobals(), io));
    });
  lock
    .command('migrate')
    .description('write the lockfile in the form of this version')
    .action(async (_, command: Command) => {
      const { lockMigrateCommand } = await import('./lock-verify-command.ts');
      done(await lockMigrateCommand(command.optsWithGlobals(), io));
    });

  program
    .command('mv')
    .description('give a video of the lockfile another id')
    .argument('<from>', 'the id that the lockfile has')
    .argument('<to>', 'the id that it gets')
    .action(async (from: string, to: string, _, command: Command) => {
      const { mvCommand } = await import('./lock-edit-commands.ts');
      done(await mvCommand(from, to, command.optsWithGlobals(), io));
    });
  program
    .command('rm')
    .description('forget videos of the lockfile; the videos stay where they are')
    .argument('<id...>', 'as `reelform show` lists them')
    .action(async (ids: string[], _, command: Command) => {
      const { rmCommand } = await import('./lock-edit-commands.ts');
      done(await rmCommand(ids, command.optsWithGlobals(), io));
    });
  program
    .command('import')
    .description('record a session that the service has rendered as the rendering of a video')
    .argument('<id>', 'a video that a definition has')
    .requiredOption('--session <id>', 'a session at the service', sessionId)
    .action(async (id: string, _, command: Command) => {
      const { importCommand } = await import('./import-command.ts');
      done(await importCommand(id, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform resolve`. */
export function addResolveCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('resolve')
    .description('say what became of a render that was asked for without an answer, or whose session is missing')
    .argument('[id]', 'the video; without it, what is unknown is listed')
    .option('--session <id>', 'the service has it, under this id', sessionId)
    .option('--retry', 'ask again, with the same key and request, even if that may be paid for twice')
    .option('--abandon', 'it counts for nothing: plan the video like any other')
    .option('--attempt <key>', 'which one, where a video has several: how its key begins')
    .action(async (id: string | undefined, _, command: Command) => {
      const { resolveCommand } = await import('./resolve-command.ts');
      done(await resolveCommand(id, command.optsWithGlobals(), io));
    });
}

/** Parses the id of a session. An unset variable of a shell gives an empty id, which is rejected. */
function sessionId(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the id of a session at the service.');
  return text;
}
