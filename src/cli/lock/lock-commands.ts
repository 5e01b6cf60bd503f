import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { PLAN_FORMATS } from '../plan/plan-options.ts';

/** Declares `reelform show`, `output`, `lock …`, `mv`, `rm` and `import`. */
export function addLockCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('show')
    .description('show the lockfile, a video of it, or a saved plan')
    .argument('[id]', 'a video to show in detail, or a saved plan (a .json file)')
    .option('--json', 'print one JSON document')
    .addOption(new Option('--format <format>', 'output format of a saved plan').choices(PLAN_FORMATS))
    .option('--markdown', 'print a saved plan as Markdown: --format markdown')
    .option('--verbose', 'show all details of a saved plan')
    .option('--preview-dir <dir>', 'images from `reelform plan --preview-dir` to include')
    .action(async (id: string | undefined, _, command: Command) => {
      const { showCommand } = await import('./show-command.ts');
      done(await showCommand(id, command.optsWithGlobals(), io));
    });

  program
    .command('output')
    .description('print the URL of one video or of all videos')
    .argument('[id]', 'print only the URL of this video')
    .option('--json', 'print a JSON object from id to URL')
    .option('--delivered', 'print the URLs of the deliveries instead')
    .action(async (id: string | undefined, _, command: Command) => {
      const { outputCommand } = await import('./show-command.ts');
      done(await outputCommand(id, command.optsWithGlobals(), io));
    });

  const lock = program.command('lock').description('merge, verify or migrate the lockfile');
  lock
    .command('merge')
    .description('merge the lockfile entry by entry, as git merge driver or to resolve a conflict')
    .argument('[files...]', 'base, ours and theirs: %O %A %B of a git merge driver')
    .option('--install', 'install this command as git merge driver of the lockfile')
    .action(async (files: string[], _, command: Command) => {
      const { lockMergeCommand } = await import('./lock-merge-command.ts');
      done(await lockMergeCommand(files, command.optsWithGlobals(), io));
    });
  lock
    .command('verify')
    .description('check the format of the lockfile and that its local files exist')
    .option('--json', 'print the diagnostics as one JSON document')
    .option('--ignore-missing-outputs', 'do not check local files')
    .action(async (_, command: Command) => {
      const { lockVerifyCommand } = await import('./lock-verify-command.ts');
      done(await lockVerifyCommand(command.optsWithGlobals(), io));
    });
  lock
    .command('migrate')
    .description('write the lockfile in the format of this version')
    .action(async (_, command: Command) => {
      const { lockMigrateCommand } = await import('./lock-verify-command.ts');
      done(await lockMigrateCommand(command.optsWithGlobals(), io));
    });

  program
    .command('mv')
    .description('rename a video in the lockfile')
    .argument('<from>', 'current id in the lockfile')
    .argument('<to>', 'new id')
    .action(async (from: string, to: string, _, command: Command) => {
      const { mvCommand } = await import('./lock-edit-commands.ts');
      done(await mvCommand(from, to, command.optsWithGlobals(), io));
    });
  program
    .command('rm')
    .description('remove videos from the lockfile; their files are not deleted')
    .argument('<id...>', 'ids as listed by `reelform show`')
    .action(async (ids: string[], _, command: Command) => {
      const { rmCommand } = await import('./lock-edit-commands.ts');
      done(await rmCommand(ids, command.optsWithGlobals(), io));
    });
  program
    .command('import')
    .description('record a finished session of the service as the rendering of a video')
    .argument('<id>', 'id of a video with a definition')
    .requiredOption('--session <id>', 'id of a session on the service', sessionId)
    .action(async (id: string, _, command: Command) => {
      const { importCommand } = await import('./import-command.ts');
      done(await importCommand(id, command.optsWithGlobals(), io));
    });
}

/** Declares `reelform resolve`. */
export function addResolveCommand(program: Command, io: Io, done: (exitCode: number) => void): void {
  program
    .command('resolve')
    .description('resolve a render whose request got no response or whose session is missing')
    .argument('[id]', 'id of the video; without it, lists all unresolved renders')
    .option('--session <id>', 'the service has the session, with this id', sessionId)
    .option('--retry', 'send the same request with the same key again, even if it may be paid for twice')
    .option('--abandon', 'discard the attempt: plan the video as usual')
    .option('--attempt <key>', 'beginning of the key, if the video has several unresolved renders')
    .action(async (id: string | undefined, _, command: Command) => {
      const { resolveCommand } = await import('./resolve-command.ts');
      done(await resolveCommand(id, command.optsWithGlobals(), io));
    });
}

/** Parses the id of a session. An unset variable of a shell gives an empty id, which is rejected. */
function sessionId(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must be the id of a session on the service.');
  return text;
}
