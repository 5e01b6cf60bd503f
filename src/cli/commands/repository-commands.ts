import { Argument, type Command, Option } from 'commander';
import { type ActionOf, address, addressBelow, collect, days, numberBetween, tag } from '../arguments.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { RunCommand } from '../mcp/mcp-command.ts';

/** Declares `reelform init`. */
export function addInitCommand(program: Command, action: ActionOf): void {
  program
    .command('init')
    .description('create a repository with a configuration, a template, a video and CI workflows')
    .argument('[dir]', 'the folder, created if missing; the current folder by default')
    .option('--yes', 'do not ask; use defaults')
    .option('--service <service>', 'where to render videos: embedded, or the URL of a service')
    .addOption(new Option('--ci <ci>', 'CI system to write workflows for').choices(['github', 'gitlab', 'none']))
    .option('--template <template>', 'the first template: card, none, or a name from the gallery')
    .option('--locales <tags>', 'languages to translate to, such as de,pt-BR')
    .action(action(async () => (await import('../init/init-command.ts')).initCommand));
}

/** Declares the commands that check and write the files of a repository. */
export function addFileCommands(program: Command, action: ActionOf): void {
  program
    .command('validate')
    .description('check the configuration, the templates and every definition')
    .option('--json', 'print the diagnostics as one JSON document')
    .action(action(async () => (await import('../check/validate-command.ts')).validateCommand));
  program
    .command('lint')
    .description('check videos for visible problems: missing glyphs, text overflow, low contrast, blurred images')
    .argument('[glob...]', 'ids of videos; all by default')
    .option('--no-cache', 'check every video again, including unchanged ones')
    .option('--json', 'print the findings as one JSON document')
    .action(action(async () => (await import('../check/lint-command.ts')).lintCommand));
  program
    .command('speak')
    .description('let voices speak the texts of tracks that have not been spoken yet')
    .argument('[glob...]', 'ids of videos; all by default')
    .option('--check', 'speak nothing; exit with 2 if speech is missing')
    .option('--prune', 'speak nothing; list files of speech that no definition needs')
    .option('--yes', 'with --prune: remove the files')
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../speak/speak-command.ts')).speakCommand));
  program
    .command('pull')
    .description('fetch the specification of each template and write its schema for editors')
    .argument('[template...]', 'names from reelform.yaml; all by default')
    .option('--check', 'change no files; exit with 2 if a file is out of date')
    .action(action(async () => (await import('../template/pull-command.ts')).pullCommand));
  program
    .command('fmt')
    .description('format definitions and reelform.yaml without changing their meaning')
    .argument('[file...]', 'files to format; all definitions and reelform.yaml by default')
    .option('--check', 'change no files; exit with 2 if a file is not formatted')
    .action(action(async () => (await import('../check/fmt-command.ts')).fmtCommand));
  const locales = program.command('locales').description('work with catalogues of translated texts');
  locales
    .command('extract')
    .description('write the texts of all definitions into the catalogues; translations stay')
    .option('--check', 'change no files; exit with 2 if a catalogue is out of date')
    .option('--source', 'write a catalogue of the source language too, for tools that translate from a file')
    .addOption(new Option('--stills', 'draw a picture of each text, and name it in the catalogues').conflicts('check'))
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../locales/extract-command.ts')).extractCommand));
  locales
    .command('status')
    .description('count and list the texts that are not translated')
    .option('--verbose', 'list every text')
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../locales/status-command.ts')).statusCommand));
  locales
    .command('import')
    .description('take the translations of a PO, XLIFF or CSV file into the catalogue of its locale')
    .argument('<file>', 'the file of a translator')
    .option('--locale <tag>', 'its locale; by default the one that the file is named after')
    .action(action(async () => (await import('../locales/import-command.ts')).importCommand));
  const cache = program
    .command('cache')
    .description('show the contents of the segment cache')
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../render/segment-cache.ts')).cacheCommand));
  cache
    .command('prune')
    .description('remove the least recently used segments that exceed the cache size')
    .action(action(async () => (await import('../render/segment-cache.ts')).pruneCacheCommand));
  cache
    .command('verify')
    .description('read every segment and remove damaged ones')
    .action(action(async () => (await import('../render/segment-cache.ts')).verifyCacheCommand));
  const captions = program.command('captions').description('the timed texts of videos');
  captions
    .command('fix')
    .description('move times of captions to cuts and close gaps, as the rules of the definitions ask for')
    .argument('[ids...]', 'ids or patterns of videos; default: all')
    .option('--yes', 'write the changes instead of showing them')
    .option('--json', 'print one JSON document')
    .action(action(async () => (await import('../captions/fix-command.ts')).captionsFixCommand));
  program
    .command('doctor')
    .description('check everything that other commands need: this machine, the repository, git and the service')
    .option('--json', 'print the checks as one JSON document')
    .action(action(async () => (await import('../check/doctor-command.ts')).doctorCommand));
}

/** Declares `reelform template add`, `look`, `init`, `check`, `pack` and `push`. */
export function addTemplateCommands(program: Command, action: ActionOf): void {
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
  addMakingOptions(add).action(
    action(async () => (await import('../template/add/template-add-command.ts')).templateAddCommand),
  );
  template
    .command('look')
    .description('draw templates with short, long, empty and foreign texts and images on contact sheets')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--out <folder>', 'where to write them; renders/looks by default')
    .option('--json', 'print the paths as one JSON document')
    .action(action(async () => (await import('../template/template-look-command.ts')).templateLookCommand));
  const init = template
    .command('init')
    .description('create a template package from a Lottie animation')
    .argument('<file>', 'a .json or .lottie file')
    .option('--out <folder>', 'output folder; default: templates/<name of the file>')
    .option('--name <text>', 'name of the template; default: the name of the file')
    .option('--animation <id>', 'id of the animation, if a .lottie file contains several');
  addMakingOptions(init).action(
    action(async () => (await import('../template/template-init-command.ts')).templateInitCommand),
  );
  template
    .command('check')
    .description('check a template package, including rendered frames')
    .argument('<package>', 'its folder, or a .lottie file')
    .option('--strict', 'exit with 1 for warnings too')
    .option('--json', 'print the findings as one JSON document')
    .action(action(async () => (await import('../template/template-check-command.ts')).templateCheckCommand));
  template
    .command('pack')
    .description('pack a template package into one .lottie file')
    .argument('<package>', 'its folder')
    .option('--out <file>', 'the file; <name of the folder>.lottie by default')
    .option('--json', 'print the result as one JSON document')
    .action(action(async () => (await import('../template/template-pack-command.ts')).templatePackCommand));
  template
    .command('push')
    .description('upload the template packages of the repository to the service')
    .argument('[template...]', 'names from reelform.yaml; all packages by default')
    .option('--json', 'print the results as one JSON document')
    .action(action(async () => (await import('../template/template-pack-command.ts')).templatePushCommand));
}

/** Declares the options of commands that make a package from an animation. */
function addMakingOptions(command: Command): Command {
  return command
    .option(
      '--colors [layers]',
      'make each colour that is shared by this many layers editable; default: 2',
      numberBetween(1, Infinity, 'It must be a whole number of layers.'),
    )
    .option('--force', 'overwrite existing files')
    .option('--json', 'print the report as one JSON document');
}

const aboveZero = numberBetween(1, Number.MAX_SAFE_INTEGER, 'It must be a whole number above 0.');

/** Declares `reelform comment github` and `comment gitlab`. */
export function addCommentCommands(program: Command, action: ActionOf): void {
  const comment = program.command('comment').description('post a plan as a comment for review');
  addCommentFlags(
    comment.command('github').description('create or update a comment on a pull request'),
    ['update', 'new', 'hide-and-new', 'delete-and-new'],
    'GITHUB_TOKEN',
  )
    .option('--pr <n>', 'number of the pull request; default: that of the job', aboveZero)
    .option('--check', 'also write a check run')
    .option('--preview-host <place>', 'redraw the images and publish them to branch:NAME or s3://bucket/folder/')
    .option('--preview-keep <days>', 'how long images stay on the branch, such as 30d; default: 30d', days)
    .action(action(async () => (await import('../comment/comment-commands.ts')).commentGitHubCommand));
  addCommentFlags(
    comment.command('gitlab').description('create or update a note on a merge request'),
    ['update', 'new', 'delete-and-new'],
    'GITLAB_TOKEN',
  )
    .option('--mr <n>', 'number of the merge request; default: that of the job', aboveZero)
    .option(
      '--open-merge-requests',
      'write the notes of all open merge requests; `--plan` is then a path in the artifact of their job',
    )
    .option('--job <name>', 'with --open-merge-requests: name of the job that plans; default: plan')
    .action(action(async () => (await import('../comment/comment-gitlab-command.ts')).commentGitLabCommand));
}

function addCommentFlags(command: Command, behaviors: readonly string[], token: string): Command {
  const behavior = new Option('--behavior <behavior>', 'what to do with an earlier comment').choices(behaviors);
  return command
    .requiredOption('--plan <file>', 'a plan from `reelform plan --json` or `--out`')
    .option('--preview-dir <dir>', 'images from `reelform plan --preview-dir`')
    .option('--preview-url <url>', 'also allow images from URLs below this URL', addressBelow)
    .option('--page <url>', 'URL of the plan page, linked from the comment', address)
    .addOption(behavior.default('update'))
    .option('--skip-no-diff', 'do not create a comment for a plan without changes')
    .option('--dry-run', 'print the comment without posting it')
    .option('--tag <name>', 'distinguishes this comment from other reelform comments', tag, 'plan')
    .option('--token-env <name>', 'name of the environment variable with the token', token)
    .option('--strict', 'fail if the comment cannot be posted');
}

/** Declares `reelform completion`, which reads the declarations of all commands. */
export function addCompletionCommand(program: Command, action: ActionOf): void {
  program
    .command('completion')
    .description('print the script that completes commands, options, ids and templates in a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .argument('[words...]', 'after --: words of a command line; prints what can complete the last word')
    .action(
      action(async () => {
        const { completionCommand } = await import('../completion/completion-command.ts');
        return (shell: 'bash' | 'zsh' | 'fish', words: string[], _: object, io: Io) =>
          completionCommand(shell, words, program, io);
      }),
    );
}

/** Declares `reelform mcp`. @param run runs other commands; passed in, because its module imports this module */
export function addMcpCommand(program: Command, action: ActionOf, run: RunCommand): void {
  program
    .command('mcp')
    .description('serve the repository to AI agents over the Model Context Protocol, on stdin and stdout')
    .action(
      action(async () => {
        const { mcpCommand } = await import('../mcp/mcp-command.ts');
        return (options: GlobalOptions, io: Io) => mcpCommand(run, options, io);
      }),
    );
}
