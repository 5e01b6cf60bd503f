import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { days } from '../plan/plan-options.ts';

/** Declares `reelform comment github` and `comment gitlab`. */
export function addCommentCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const comment = program.command('comment').description('post a plan as a comment for review');
  addCommentFlags(
    comment.command('github').description('create or update one comment on a pull request'),
    ['update', 'new', 'hide-and-new', 'delete-and-new'],
    'GITHUB_TOKEN',
  )
    .option('--pr <n>', 'number of the pull request; default: the one that the job runs for', positiveInteger)
    .option('--check', 'also write a check run')
    .option('--preview-host <place>', 'redraw the images and publish them to branch:NAME or s3://bucket/folder/')
    .option('--preview-keep <days>', 'how long images stay on the branch, such as 30d; default: 30d', days)
    .action(async (_, command: Command) => {
      const { commentGitHubCommand } = await import('./comment-github-command.ts');
      done(await commentGitHubCommand(command.optsWithGlobals(), io));
    });
  addCommentFlags(
    comment.command('gitlab').description('create or update one note on a merge request'),
    ['update', 'new', 'delete-and-new'],
    'GITLAB_TOKEN',
  )
    .option('--mr <n>', 'number of the merge request; default: the one that the job runs for', positiveInteger)
    .action(async (_, command: Command) => {
      const { commentGitLabCommand } = await import('./comment-gitlab-command.ts');
      done(await commentGitLabCommand(command.optsWithGlobals(), io));
    });
}

function addCommentFlags(command: Command, behaviors: readonly string[], token: string): Command {
  const behavior = new Option('--behavior <behavior>', 'what to do with an earlier comment').choices(behaviors);
  return command
    .requiredOption('--plan <file>', 'a plan from `reelform plan --json` or `--out`')
    .option('--preview-dir <dir>', 'images from `reelform plan --preview-dir`')
    .option('--preview-url <url>', 'also allow images from URLs below this one', addressBelow)
    .option('--page <url>', 'URL of the plan page, linked from the comment', address)
    .addOption(behavior.default('update'))
    .option('--skip-no-diff', 'do not create a comment for a plan without changes')
    .option('--dry-run', 'print the comment without posting it')
    .option('--tag <name>', 'distinguishes this comment from other reelform comments', tag, 'plan')
    .option('--token-env <name>', 'name of the environment variable with the token', token)
    .option('--strict', 'fail if the comment cannot be posted');
}

/** Parses a tag, which must be valid inside an HTML comment. */
function tag(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/.test(text) && !text.includes('--')) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, ".", "_", "/" and single "-".');
}

function address(text: string): string {
  if (/^https?:\/\/[^\s<>|\\`]{1,300}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be a URL such as https://example.com/plan.html.');
}

/**
 * Parses a URL prefix and appends a slash, because `https://example.com` is also a prefix of
 * `https://example.com.evil`.
 */
function addressBelow(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be a URL such as https://cdn.example.com/previews/.');
  }
  return [...earlier, url.href.endsWith('/') ? url.href : `${url.href}/`];
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
