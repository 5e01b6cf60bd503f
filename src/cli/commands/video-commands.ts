import { type Command, Option } from 'commander';
import { OUTPUT_FILE_TYPES } from '../../contract/wire/output.ts';
import { applyCommand } from '../apply/apply-command.ts';
import { APPLY_FORMATS } from '../apply/apply-options.ts';
import { type ActionOf, days, duration, numberBetween, port, serviceUrl, sessionId, shard } from '../arguments.ts';
import { addCommitFlags } from '../commit/commit-options.ts';
import { planCommand } from '../plan/plan-command.ts';
import { addPlanFlags, addPreviewFlags, addSelectionFlags, PLAN_FORMATS } from '../plan/plan-options.ts';

const NO_SEGMENT_CACHE = 'render every segment, including cached ones';

/** Declares the commands that plan, render and show videos. */
export function addVideoCommands(program: Command, action: ActionOf): void {
  // The beginnings of `plan` and `apply` are loaded at startup: they decide what else is.
  addPreviewFlags(addPlanFlags(program.command('plan').description('show what apply would change, and why')))
    .option('--out <file>', 'save the plan for `reelform apply FILE`')
    .option('--report <folder>', 'write the files for a review, even if planning fails: plan.json, plan.html, images')
    .addOption(new Option('--format <format>', 'output format').choices(PLAN_FORMATS))
    .option('--json', 'print the plan as one JSON document: --format json')
    .option('--markdown', 'print the plan as Markdown, for a pull request: --format markdown')
    .option('--detailed-exitcode', 'exit with 2 if there are changes or local files to restore')
    .option('--no-lint', 'do not run lint on the videos to render')
    .option('--verbose', 'show all details of every change')
    .action(action(async () => planCommand));
  addCommitFlags(
    addPlanFlags(program.command('apply').description('render changed videos and record them in the lockfile')),
  )
    .argument('[planfile]', 'execute this saved plan without asking for approval')
    .option('--auto-approve', 'do not ask for approval')
    .option(
      '--expect-plan <id>',
      'fail unless the plan has this plan_id; `reviewed`: unless comments of merged pull requests show each of its changes',
    )
    .option(
      '--allow-unsearched',
      'pay for videos that the history of the lockfile may have, even if it cannot be searched completely',
    )
    .option(
      '--concurrency <n>',
      'maximum number of concurrent renders',
      numberBetween(1, 1000, 'It must be a whole number from 1 to 1000.'),
    )
    .option('--fail-fast', 'start no new renders after the first failure')
    .option('--prune', 'afterwards, remove files in renders/ that neither the lockfile nor the journal uses')
    .option(
      '--timeout <duration>',
      'stop waiting after this time (30s, 10m, 2h); running renders continue on the service',
      duration,
    )
    .addOption(new Option('--format <format>', 'output format').choices(APPLY_FORMATS))
    .option('--json', 'print a stream of JSON events: --format json')
    .option('--no-lint', 'render videos despite lint errors')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option(
      '--shard <i/n>',
      'render only share i of n of the segments into the segment cache, without recording; a later apply without this option joins them',
      shard,
    )
    .option('--verbose', 'show all details of every change')
    .action(action(async () => applyCommand));
  addSelectionFlags(program.command('list'))
    .description('list the videos: id, state against the lockfile, URL')
    .argument('[video...]', 'ids, the last part of ids, definitions, or globs; all videos by default')
    .option('--json', 'print the list as one JSON document')
    .option('--verbose', 'list each video of definitions with variants or locales')
    .action(action(async () => (await import('../list/list-command.ts')).listCommand));
  program
    .command('prune')
    .description('list files of earlier renderings, old previews and unused segments; remove them with --yes')
    .option('--yes', 'remove the files')
    .option('--older-than <days>', 'age of previews and segments to remove, such as 7d; 30d by default', days)
    .option('--json', 'print the files as one JSON document')
    .action(action(async () => (await import('../list/prune-command.ts')).pruneCommand));
  addSelectionFlags(program.command('drift'))
    .description('check that rendered videos still exist and specifications are unchanged; exit with 2 if not')
    .option('--ignore-missing-outputs', 'ignore missing and damaged local files')
    .option('--issue', 'report drift in a GitHub issue, which is closed when there is none')
    .option('--json', 'print the findings as one JSON document')
    .action(action(async () => (await import('../plan/drift/drift-command.ts')).driftCommand));
  program
    .command('explain')
    .description('show why a video would be rendered, or why it was rendered')
    .argument('<id>', 'id of a video in a definition or the lockfile')
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../plan/explain-command.ts')).explainCommand));
  program
    .command('render')
    .description('render one video or one of its frames for viewing, without recording it')
    .argument('<video>', 'path of the definition, or id of the video')
    .option('--frame <frame>', 'render one frame as PNG: number from 0, or time (1.5s)')
    .option('--draft', 'render with half the height and low quality')
    .addOption(
      new Option('--format <format>', 'output format; lottie writes the video as one Lottie document').choices([
        ...Object.keys(OUTPUT_FILE_TYPES),
        'lottie',
      ]),
    )
    .option('--height <pixels>', 'height in pixels; the width keeps the aspect ratio', Number)
    .option('--fps <n>', 'frames per second', Number)
    .option('--out <file>', 'output file; default: in renders/looks/')
    .option('--no-segment-cache', NO_SEGMENT_CACHE)
    .option('--json', 'print the result as one JSON document')
    .action(action(async () => (await import('../render/render-command.ts')).renderCommand));
  program
    .command('preview')
    .alias('dev')
    .description('open a local page that shows every video while you edit it')
    .option('--port <port>', 'port of the page; 4321 by default, 0 for any free port', port)
    .option('--host <address>', 'address to listen on; 127.0.0.1 by default, which only this machine reaches')
    .option('--open', 'open the page in the browser')
    .option('--build <folder>', 'write the page with the present videos as static files, and end')
    .action(action(async () => (await import('../preview/preview-command.ts')).previewCommand));
}

/** Declares the commands that read and change the lockfile and the journal. */
export function addLockCommands(program: Command, action: ActionOf): void {
  program
    .command('resolve')
    .description('resolve a render whose request got no response or whose session is missing')
    .argument('[id]', 'id of the video; without it, lists all unresolved renders')
    .option('--session <id>', 'the service has the session, with this id', sessionId)
    .option('--retry', 'send the same request with the same key again, even if it may be paid for twice')
    .option('--abandon', 'discard the attempt: plan the video as usual')
    .option('--attempt <key>', 'beginning of the key, if the video has several unresolved renders')
    .action(action(async () => (await import('../lock/resolve-command.ts')).resolveCommand));
  program
    .command('show')
    .description('show the lockfile, a video of it, or a saved plan')
    .argument('[id]', 'a video to show in detail, or a saved plan (a .json file)')
    .option('--json', 'print one JSON document')
    .addOption(new Option('--format <format>', 'output format of a saved plan').choices(PLAN_FORMATS))
    .option('--markdown', 'print a saved plan as Markdown: --format markdown')
    .option('--verbose', 'show all details of a saved plan')
    .option('--preview-dir <dir>', 'images from `reelform plan --preview-dir` to include')
    .action(action(async () => (await import('../lock/show-command.ts')).showCommand));
  program
    .command('output')
    .description('print the URL of one video or of all videos')
    .argument('[id]', 'print only the URL of this video')
    .option('--json', 'print a JSON object from id to URL')
    .option('--delivered', 'print the URLs of the deliveries instead')
    .action(action(async () => (await import('../lock/show-command.ts')).outputCommand));
  const lock = program.command('lock').description('merge, verify, migrate or move the lockfile');
  lock
    .command('merge')
    .description('merge the lockfile entry by entry, as git merge driver or to resolve a conflict')
    .argument('[files...]', 'base, ours and theirs: %O %A %B of a git merge driver')
    .option('--install', 'install this command as git merge driver of the lockfile')
    .action(action(async () => (await import('../lock/lock-merge-command.ts')).lockMergeCommand));
  lock
    .command('verify')
    .description('check the format of the lockfile and that its local files exist')
    .option('--json', 'print the diagnostics as one JSON document')
    .option('--ignore-missing-outputs', 'do not check local files')
    .action(action(async () => (await import('../lock/lock-verify-command.ts')).lockVerifyCommand));
  lock
    .command('migrate')
    .description('write the lockfile in the format of this version')
    .action(action(async () => (await import('../lock/lock-verify-command.ts')).lockMigrateCommand));
  lock
    .command('service')
    .description('move the videos of a service that has a new address, if it still has their sessions')
    .argument('<old>', 'earlier URL of the service', serviceUrl)
    .argument('<new>', 'present URL of the service', serviceUrl)
    .action(action(async () => (await import('../lock/lock-service-command.ts')).lockServiceCommand));
  program
    .command('mv')
    .description('rename a video in the lockfile')
    .argument('<from>', 'current id in the lockfile')
    .argument('<to>', 'new id')
    .action(action(async () => (await import('../lock/lock-edit-commands.ts')).mvCommand));
  program
    .command('rm')
    .description('remove videos from the lockfile; their files are not deleted')
    .argument('<id...>', 'ids as listed by `reelform show`')
    .action(action(async () => (await import('../lock/lock-edit-commands.ts')).rmCommand));
  program
    .command('import')
    .description('record a finished session of the service as the rendering of a video')
    .argument('<id>', 'id of a video with a definition')
    .requiredOption('--session <id>', 'id of a session on the service', sessionId)
    .action(action(async () => (await import('../lock/lock-edit-commands.ts')).importCommand));
}
