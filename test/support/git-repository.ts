import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { cp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { writeFiles } from './temporary-repository.ts';

/** A real repository that runs any git command. */
export interface GitRepository {
  readonly root: string;
  git(...args: string[]): Promise<string>;
  /** Writes files and commits everything. @returns the commit */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
}

/** Makes git behave the same on every machine. */
export const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
  // Without the sample hooks that git copies into each new repository.
  GIT_TEMPLATE_DIR: '',
};

const execute = promisify(execFile);

/** Git starts two processes after each commit, fetch and push to see whether there is something to clean up. */
const WITHOUT_CLEANING = '[maintenance]\n\tauto = false\n[receive]\n\tautogc = false\n';

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-git-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function gitIn(root: string): GitRepository {
  const options = { cwd: root, maxBuffer: 1 << 28 };
  // Half the processor time of a start with execa, of which tests make thousands.
  const git = async (...args: string[]): Promise<string> =>
    (await execute('git', args, { ...options, env: { ...process.env, ...GIT_ENVIRONMENT } })).stdout.replace(/\n$/, '');
  return {
    root,
    git,
    async commit(files, message = 'Change') {
      writeFiles(root, files);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

/** Adds commits of one file to the checked-out branch, by one process. Leaves the checkout at the last one. */
export async function makeCommits(
  { root, git }: GitRepository,
  count: number,
  textOf: (index: number) => string,
  path = 'reelform.lock.json',
): Promise<void> {
  const branch = `refs/heads/${await git('branch', '--show-current')}`;
  const lines = Array.from({ length: count }, (_, index) => {
    const text = Buffer.from(textOf(index));
    const from = index === 0 ? `from ${branch}^0\n` : '';
    const person = `committer Test <test@localhost> ${1_800_000_000 + index} +0000`;
    return `commit ${branch}\n${person}\ndata 6\nChange\n${from}M 100644 inline ${path}\ndata ${text.length}\n${text}\n`;
  });
  execFileSync('git', ['fast-import', '--quiet', '--force'], { cwd: root, input: lines.join('') });
  await git('reset', '--quiet', '--hard');
}

export async function newRepository(): Promise<GitRepository> {
  const root = newFolder();
  await cp(emptyRepository(), join(root, '.git'), { recursive: true });
  return gitIn(root);
}

/** Makes a folder the repository of a checkout without commits. */
export async function initializeIn(root: string, remoteUrl: string): Promise<GitRepository> {
  await cp(emptyRepository(), join(root, '.git'), { recursive: true });
  writeFileSync(join(root, '.git/HEAD'), 'ref: refs/heads/unborn\n');
  const remote = `[remote "origin"]\n\turl = ${remoteUrl}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  appendFileSync(join(root, '.git/config'), remote);
  return gitIn(root);
}

/** Creates a bare repository, as at a git host. */
export async function newRemote(): Promise<GitRepository> {
  const root = newFolder();
  await cp(emptyRepository(), root, { recursive: true });
  appendFileSync(join(root, 'config'), '[core]\n\tbare = true\n\tlogallrefupdates = false\n');
  return gitIn(root);
}

/** Returns the `.git` folder of an empty repository, made once for each run of the tests. */
function emptyRepository(): string {
  const folder = join(realpathSync(tmpdir()), 'reelform-empty-repository');
  if (existsSync(folder)) return folder;
  const made = mkdtempSync(`${folder}-`);
  execFileSync('git', ['init', '--quiet', '--initial-branch=main'], {
    cwd: made,
    env: { ...process.env, ...GIT_ENVIRONMENT },
  });
  const empty = join(made, '.git');
  appendFileSync(join(empty, 'config'), WITHOUT_CLEANING);
  mkdirSync(join(empty, 'hooks'));
  try {
    renameSync(empty, folder);
  } catch {
    // Another process was faster.
  }
  rmSync(made, { recursive: true, force: true });
  return folder;
}

/** Clones a repository. @param options options of `git clone`, such as `--depth=1` */
export async function cloneOf(remote: GitRepository, ...options: string[]): Promise<GitRepository> {
  const clone = gitIn(newFolder());
  // A file: URL uses the transport of a server; a path would not.
  const config = ['maintenance.auto=false', 'receive.autogc=false'].flatMap((value) => ['--config', value]);
  await clone.git('clone', '--quiet', ...config, ...options, `file://${remote.root}`, '.');
  return clone;
}
