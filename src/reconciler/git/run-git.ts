import { spawn } from 'node:child_process';
import { env as environment } from 'node:process';
import type { Readable } from 'node:stream';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { HAS_GROUPS, killGroup } from '../../kernel/os-process.ts';

/** A remote that is silent for this long will not answer. */
const TIMEOUT_MS = 60_000;

/** Enough for a lockfile, or a journal, with a hundred thousand entries. */
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * Options that let git use the token of a GitHub Actions job when the server asks for credentials. A checkout then need
 * not store the token in its configuration, where every later step of the job could read it. Git's own credentials have
 * precedence.
 *
 * The token is not in an argument: git runs these lines in its own shell, which reads it from the environment, and only
 * for `GITHUB_SERVER_URL`.
 *
 * @see https://git-scm.com/docs/gitcredentials#_custom_helpers
 */
const JOB_CREDENTIALS: readonly string[] = [
  '-c',
  `credential.helper=!f() {
  test "$1" = get && test -n "$GITHUB_TOKEN" || return 0
  while IFS= read -r line; do
    case $line in protocol=*) protocol=\${line#*=} ;; host=*) host=\${line#*=} ;; esac
  done
  test "$protocol://$host" = "$GITHUB_SERVER_URL" || return 0
  printf 'username=x-access-token\\npassword=%s\\n' "$GITHUB_TOKEN"
}; f`,
];

const SETTINGS = ['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', ...JOB_CREDENTIALS];

interface GitOptions {
  readonly input?: string | Uint8Array;
  /** Infinity for work on local objects, whose duration depends on the repository only; one minute when absent. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** Variables that git sets for hooks; inherited, they would make git use the repository of the hook. */
const NOT_INHERITED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_LITERAL_PATHSPECS',
  'GIT_TRACE',
  'GIT_CURL_VERBOSE',
];

const ENVIRONMENT = {
  ...Object.fromEntries(NOT_INHERITED.map((name) => [name, undefined])),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Reading must not take locks that another process needs.
  GIT_OPTIONAL_LOCKS: '0',
};

/** Options of every git process. It leads its own process group, which Ctrl-C at the terminal does not reach. */
export function gitProcess(root: string) {
  return { cwd: root, env: { ...environment, ...ENVIRONMENT }, detached: HAS_GROUPS, windowsHide: true };
}

/**
 * Runs git in a folder, without a shell or prompts, and with English messages. External names follow `--` or are
 * checked by `gitName`.
 *
 * Every plan of changes runs git, and loading execa would take as long as git does.
 *
 * @returns its unmodified output
 * @throws ReelformError `git_failed`, with URLs reduced to host and path
 */
export async function runGit(root: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const ended = await endOfGit(root, args, options).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new ReelformError('git_failed', 'git is not installed', { hint: 'Install git' });
    throw gitFailed(args, { stopped: error.message, exitCode: null, stderr: '' });
  });
  if (ended.exitCode !== 0 || ended.stopped !== null) throw gitFailed(args, ended);
  return ended.stdout;
}

/** How a git process ended. */
interface GitEnd {
  /** Why it was killed, or not started. */
  readonly stopped: string | null;
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @throws Error if git cannot be started */
async function endOfGit(
  root: string,
  args: readonly string[],
  { input, env, timeoutMs = TIMEOUT_MS }: GitOptions,
): Promise<GitEnd> {
  const ofRoot = gitProcess(root);
  const running = spawn('git', [...SETTINGS, ...args], {
    ...ofRoot,
    env: { ...ofRoot.env, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  let stopped: string | null = null;
  // Kills the whole group, because child processes keep the output open.
  const stop = (why: string): void => {
    stopped ??= why;
    if (running.pid !== undefined) killGroup(running.pid);
  };
  let size = 0;
  const collect = (stream: Readable | null): Buffer[] => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_OUTPUT_BYTES) stop(`it printed more than ${MAX_OUTPUT_BYTES} bytes`);
    });
    return chunks;
  };
  const [stdout, stderr] = [collect(running.stdout), collect(running.stderr)];
  // Git may end before it has read everything.
  running.stdin?.on('error', () => undefined).end(input);
  const timer = timeoutMs === Infinity ? undefined : setTimeout(stop, timeoutMs, 'timeout');
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      running.once('error', reject).once('close', resolve);
    });
    return { stopped, exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
  } finally {
    clearTimeout(timer);
  }
}

/** Runs git and returns null on any failure. */
export async function tryGit(root: string, args: readonly string[], options?: GitOptions): Promise<string | null> {
  return runGit(root, args, options).catch(() => null);
}

/** Checks whether the local repository has a commit. */
export async function hasCommit(root: string, commit: string): Promise<boolean> {
  return (await tryGit(root, ['cat-file', '-e', `${commit}^{commit}`])) !== null;
}

/** Checks whether the clone is shallow. @throws ReelformError `git_failed` */
export async function isShallow(root: string): Promise<boolean> {
  return (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
}

/**
 * Validates the name of a revision, a branch or a remote for use in git's arguments.
 *
 * @throws ReelformError `git_failed` for a name that git would parse as an option
 */
export function gitName(name: string): string {
  if (name !== '' && !name.startsWith('-') && !/[\0-\x20\x7f]/.test(name)) return name;
  throw new ReelformError('git_failed', `${JSON.stringify(name)} is not the name of a commit, branch or remote`, {
    hint: 'Write it like main, origin/main or a commit id',
  });
}

/** Removes user, password, query and fragment from the URLs of a text. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1')
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}

function gitFailed(args: readonly string[], { stopped, exitCode, stderr }: Omit<GitEnd, 'stdout'>): ReelformError {
  const action = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`.trim();
  // Git pads the lines of a remote, and indents a rejected push.
  const lines = withoutCredentials(stderr.trim())
    .split('\n')
    .map((line) => line.replace(/^ ! /, '').trimEnd())
    .filter((line) => /^(?:fatal|error|remote|ssh)\b|^\[(?:remote )?rejected\]/i.test(line))
    .sort((first, second) => Number(second.startsWith('[')) - Number(first.startsWith('[')));
  const why = stopped ?? (lines.slice(0, 3).join('; ') || `exit ${exitCode}`);
  const owned = /(?:dubious ownership in repository at|unsafe repository) \(?'([^'\n]+)'/.exec(stderr)?.[1];
  if (owned !== undefined) return ofAnotherUser(action, owned);
  const hint = HINTS.find(([message]) => message.test(stderr))?.[1];
  return new ReelformError('git_failed', `${action}: ${why}`, {
    hint: hint ?? 'Run the command by hand; it may lack permissions, the remote or the history',
  });
}

/** Messages of git with a certain remedy. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/not a git repository/, 'Run the command in a clone, or create a repository: git init'],
  [/Needed a single revision/, 'The repository has no commit yet; commit first: git add --all && git commit'],
  [/'origin' does not appear to be a git repository/, 'Add the remote: git remote add origin URL'],
];

/** @param folder path of the repository, as printed by git */
function ofAnotherUser(action: string, folder: string): ReelformError {
  const path = /^[\w./@:+-]+$/.test(folder) ? folder : `'${folder}'`;
  return new ReelformError('git_failed', `${action}: git refuses ${folder}, which belongs to another user`, {
    hint: `If this is intended, for example in a container job, run: git config --global --add safe.directory ${path}`,
  });
}
