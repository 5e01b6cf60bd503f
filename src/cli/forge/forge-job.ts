import { appendFile, readFile, stat } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { parseJson } from '../../kernel/json.ts';
import { headLocation } from '../../reconciler/git/revisions.ts';
import { SUMMARY } from '../../report/markdown/plan-markdown.ts';
import { warningText } from '../../report/terminal/forge-text.ts';
import type { Io } from '../io.ts';
import { type ForgeClock, ForgeError } from './forge-client.ts';
import { type GitHub, openGitHub } from './github/github.ts';
import { type GitHubJob, readGitHubJob } from './github/job.ts';

/**
 * Loads the job's context from the environment and the event file.
 *
 * @throws ReelformError `forge_unknown` if no repository is named
 */
export async function loadGitHubJob(flags: { readonly number?: number | undefined }, io: Io): Promise<GitHubJob> {
  const path = io.env.GITHUB_EVENT_PATH ?? '';
  // Without the event, a flag has to name the pull request.
  const text = path === '' ? '' : await readFile(path, 'utf8').catch(() => '');
  const job = readGitHubJob(io.env, parseJson(text), flags);
  if (job !== null) return job;
  throw new ReelformError('forge_unknown', 'GITHUB_REPOSITORY does not name a repository', {
    hint: 'GitHub Actions sets it; elsewhere set it to owner/name',
  });
}

/** Returns whether to use GitHub's API instead of git: by default in its jobs, which name their repository. */
export function usesGitHubApi({ forge }: { readonly forge?: 'github' | 'git' }, { env }: Pick<Io, 'env'>): boolean {
  return (forge ?? ((env.GITHUB_REPOSITORY ?? '') === '' ? 'git' : 'github')) === 'github';
}

/**
 * Opens GitHub with the token of the job, or with another token.
 *
 * @param otherToken preferred to the token of the job; empty counts as absent
 * @throws ReelformError `forge_refused` without a token, `forge_unknown`
 */
export async function openJobGitHub(io: Io, otherToken?: string): Promise<GitHub> {
  const { address } = await loadGitHubJob({}, io);
  const token = (otherToken ?? '').trim() || (io.env.GITHUB_TOKEN ?? '').trim();
  if (token !== '') return openGitHub(address, token, forgeClock(io));
  throw new ForgeError('forge_refused', 'GITHUB_TOKEN contains no token', {
    hint: 'Set env: GITHUB_TOKEN for the step: the token of the job, with permission to write contents; elsewhere use --forge git',
  });
}

/**
 * Returns the URL at which GitHub shows the files of the checked-out commit, with a trailing `/` to which a
 * repository-relative path can be appended. Null if GitHub's environment or git do not name the repository or the commit.
 */
export async function filesUrl(root: string, io: Io): Promise<string | null> {
  try {
    const { serverUrl, address } = await loadGitHubJob({}, io);
    const { commit, folder } = await headLocation(root);
    const path = folder.split('/').map(encodeURIComponent).join('/');
    return `${serverUrl}/${address.repository}/blob/${commit}/${path}`;
  } catch (error) {
    if (error instanceof ReelformError) return null;
    throw error;
  }
}

/** Returns the clock for clients of forges. */
export function forgeClock(io: Io): ForgeClock {
  return {
    now: () => io.now(),
    wait: io.wait,
    random: Math.random,
  };
}

/** Prints a warning that does not fail the command, as an annotation in a job of GitHub Actions. */
export function printWarning(
  warning: { readonly message: string; readonly code?: string; readonly hint?: string | undefined },
  io: Io,
): void {
  io.stderr.write(warningText(warning, io.env.GITHUB_ACTIONS === 'true'));
}

/**
 * Runs writes to a forge in sequence. A write that the forge refuses becomes a warning; later writes still run.
 *
 * @param strict whether a refused write fails the command
 * @returns the exit status
 */
export async function runForgeWrites(
  writes: readonly (() => Promise<void>)[],
  strict: boolean,
  io: Io,
): Promise<number> {
  let exitCode: number = EXIT.ok;
  for (const write of writes) {
    try {
      await write();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      printWarning(error, io);
      if (strict) exitCode = EXIT.error;
    }
  }
  return exitCode;
}

/**
 * Appends to a file that a step of GitHub Actions names in its environment. Does nothing if none is named; a file that cannot
 * be written is reported on stderr and does not fail the command.
 *
 * @param content called with the path of the file
 */
export async function appendToJobFile(
  name: 'GITHUB_STEP_SUMMARY' | 'GITHUB_OUTPUT',
  io: Io,
  content: (file: string) => Promise<string> | string,
): Promise<void> {
  const file = io.env[name] ?? '';
  if (file === '') return;
  try {
    await appendFile(file, await content(file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    io.stderr.write(`The file in ${name} cannot be written: ${code}\n`);
  }
}

/** Returns how many bytes still fit in the summary of the step, at least 2,000. */
export async function summaryBudget(file: string): Promise<number> {
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  return Math.max(2000, SUMMARY - size);
}

/**
 * Returns the path from the workspace of a job to a folder in it, with `/` separators and a trailing `/`: `shop/videos/`.
 * Empty if both are the same, if the workspace is unknown, and if the folder is outside of it.
 */
export function relativeFolder(workspace: string | undefined, folder: string): string {
  if (workspace === undefined || workspace === '') return '';
  const path = relative(workspace, folder);
  if (path === '' || path === '..' || path.startsWith(`..${sep}`) || isAbsolute(path)) return '';
  return `${path.split(sep).join('/')}/`;
}
