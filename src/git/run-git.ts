import { type ExecaError, execa } from 'execa';
import { ReelformError } from '../diagnostic.ts';
import { HAS_GROUPS, killGroup } from '../os-process.ts';

/** Beyond this nobody answers any more. */
const TIMEOUT_MS = 60_000;

/** Of a lockfile, or a journal, with a hundred thousand entries. */
const MAX_OUTPUT_BYTES = 256 * 2 ** 20;

/**
 * The arguments by which git may take the token of a job of GitHub Actions, where the server asks who is there: a checkout need
 * not keep the token in its configuration, where every later step of the job could read it. Git's own credentials come first.
 *
 * The token is in no argument: git runs these lines in a shell of its own, which has it from the environment, and it is given to
 * `GITHUB_SERVER_URL` alone.
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

export interface GitOptions {
  readonly input?: string | Uint8Array;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a hook of git sets for its own repository, and what would lead us into another one. */
const NOT_INHERITED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_TRACE',
  'GIT_CURL_VERBOSE',
];

const ENVIRONMENT = {
  ...Object.fromEntries(NOT_INHERITED.map((name) => [name, undefined])),
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  // Looking must not lock what somebody else is at work on.
  GIT_OPTIONAL_LOCKS: '0',
};

/** How every git of ours is started: as the first of its group, which a Ctrl-C at the terminal does not reach. */
export function gitProcess(root: string) {
  return { cwd: root, env: ENVIRONMENT, stdin: 'ignore', detached: HAS_GROUPS } as const;
}

/**
 * Runs git in a folder. EDGE. No shell, no questions, English messages. What comes from outside stands behind `--` or went
 * through `gitName`.
 *
 * @returns what it wrote, as it is
 * @throws ReelformError `git_failed`, without what a URL carries beside host and path
 */
export async function runGit(root: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const running = execa('git', [...SETTINGS, ...args], {
    ...gitProcess(root),
    env: { ...ENVIRONMENT, ...options.env },
    stripFinalNewline: false,
    maxBuffer: MAX_OUTPUT_BYTES,
    ...(options.input === undefined ? {} : { stdin: 'pipe', input: options.input }),
  });
  let timedOut = false;
  // What it has started holds its output open: git alone gone is not enough.
  const timer = setTimeout(() => {
    timedOut = true;
    if (running.pid !== undefined) killGroup(running.pid);
  }, options.timeoutMs ?? TIMEOUT_MS);
  try {
    return (await running).stdout;
  } catch (error) {
    throw gitFailed(args, error as ExecaError, timedOut);
  } finally {
    clearTimeout(timer);
  }
}

/** The same, with null in place of any failure: for what is worth having and not worth an error. */
export async function tryGit(root: string, args: readonly string[], options?: GitOptions): Promise<string | null> {
  return runGit(root, args, options).catch(() => null);
}

/**
 * A name of a revision, a branch or a remote as it may stand among git's arguments.
 *
 * @throws ReelformError `git_failed` for one that git would take for an option
 */
export function gitName(name: string): string {
  if (name !== '' && !name.startsWith('-') && !/[\0-\x20\x7f]/.test(name)) return name;
  throw new ReelformError('git_failed', `${JSON.stringify(name)} is no name of a commit, a branch or a remote`, {
    hint: 'Write it like main, origin/main or a commit id',
  });
}

/** The URLs of a text without user, password, query and fragment. */
export function withoutCredentials(text: string): string {
  return text
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1')
    .replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#'"]*)[?#][^\s'"]*/gi, '$1');
}

function gitFailed(args: readonly string[], error: ExecaError, timedOut: boolean): ReelformError {
  const action = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`.trim();
  if (error.code === 'ENOENT') {
    return new ReelformError('git_failed', 'There is no git on this machine', { hint: 'Install git' });
  }
  const told = typeof error.stderr === 'string' ? error.stderr.trim() : '';
  const lines = withoutCredentials(told)
    .split('\n')
    .filter((line) => /^(?:fatal|error|remote|ssh)\b/i.test(line));
  const why = timedOut ? 'it did not answer in time' : lines.slice(0, 3).join('; ') || `exit ${error.exitCode}`;
  const owned = /(?:dubious ownership in repository at|unsafe repository) \(?'([^'\n]+)'/.exec(told)?.[1];
  if (owned !== undefined) return ofAnotherUser(action, owned);
  // Without its cause: that one shows the whole command.
  return new ReelformError('git_failed', `${action}: ${why}`, {
    hint: 'Run it by hand to see what it needs: the right to do it, the remote, the history',
  });
}

/** @param folder of the repository, as git names it */
function ofAnotherUser(action: string, folder: string): ReelformError {
  const path = /^[\w./@:+-]+$/.test(folder) ? folder : `'${folder}'`;
  return new ReelformError('git_failed', `${action}: git refuses ${folder}, which belongs to another user`, {
    hint: `Where that is meant, as in a job in a container, run: git config --global --add safe.directory ${path}`,
  });
}
