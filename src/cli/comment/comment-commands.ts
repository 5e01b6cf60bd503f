import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Io } from '../io.ts';
import { days } from '../plan/plan-options.ts';

/** Declares `reelform comment github` and `comment gitlab`. */
export function addCommentCommands(program: Command, io: Io, done: (exitCode: number) => void): void {
  const comment = program.command('comment').description('say what a plan does where it is reviewed');
  addCommentFlags(
    comment.command('github').description('write one comment on a pull request, and keep it up to date'),
    ['update', 'new', 'hide-and-new', 'delete-and-new'],
    'GITHUB_TOKEN',
  )
    .option('--pr <n>', 'the pull request; by default the one that the job runs for', positiveInteger)
    .option('--check', 'write a check run, too')
    .option('--preview-host <place>', 'draw the pictures anew, and publish them: branch:NAME, or s3://bucket/folder/')
    .option('--preview-keep <days>', 'how long pictures stay on the branch, such as 30d; 30d when absent', days)
    .action(async (_, command: Command) => {
      const { commentGitHubCommand } = await import('./comment-github-command.ts');
      done(await commentGitHubCommand(command.optsWithGlobals(), io));
    });
  addCommentFlags(
    comment.command('gitlab').description('write one note on a merge request, and keep it up to date'),
    ['update', 'new', 'delete-and-new'],
    'GITLAB_TOKEN',
  )
    .option('--mr <n>', 'the merge request; by default the one that the job runs for', positiveInteger)
    .action(async (_, command: Command) => {
      const { commentGitLabCommand } = await import('./comment-gitlab-command.ts');
      done(await commentGitLabCommand(command.optsWithGlobals(), io));
    });
}

function addCommentFlags(command: Command, behaviors: readonly string[], token: string): Command {
  const behavior = new Option('--behavior <behavior>', 'what becomes of an earlier comment').choices(behaviors);
  return command
    .requiredOption('--plan <file>', 'the plan, as `reelform plan --json` prints it or `--out` saves it')
    .option('--preview-dir <dir>', 'the pictures that `reelform plan --preview-dir` wrote')
    .option('--preview-url <url>', 'pictures may be shown from addresses below this one, too', addressBelow)
    .option('--page <url>', 'where the page of the plan is: the comment links to it', address)
    .addOption(behavior.default('update'))
    .option('--skip-no-diff', 'write no new comment for a plan without changes')
    .option('--dry-run', 'print the comment, and write none')
    .option('--tag <name>', 'tells this comment from others of reelform', tag, 'plan')
    .option('--token-env <name>', 'the environment variable that holds the token', token)
    .option('--strict', 'fail when it cannot be written');
}

/** Parses a tag, which must be valid inside an HTML comment. */
function tag(text: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._/-]{0,63}$/.test(text) && !text.includes('--')) return text;
  throw new InvalidArgumentError('It must be 1 to 64 letters, digits, ".", "_", "/" and single "-".');
}

function address(text: string): string {
  if (/^https?:\/\/[^\s<>|\\`]{1,300}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be an address such as https://example.com/plan.html.');
}

/**
 * Parses a URL prefix and appends a slash, because `https://example.com` is also a prefix of
 * `https://example.com.evil`.
 */
function addressBelow(text: string, earlier: readonly string[] = []): string[] {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new InvalidArgumentError('It must be an address such as https://cdn.example.com/previews/.');
  }
  return [...earlier, url.href.endsWith('/') ? url.href : `${url.href}/`];
}

function positiveInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError('It must be a whole number above 0.');
}
