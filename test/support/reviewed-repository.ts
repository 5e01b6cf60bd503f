import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { cloneOf, type GitRepository, newRemote } from './git-repository.ts';
import { type GitHubServer, startGitHub } from './github-server.ts';
import { reelform } from './test-io.ts';
import {
  type JobRun,
  type RepositoryEvent,
  startWorkflowHost,
  type WorkflowHost,
  type WorkflowHostOptions,
} from './workflow-runner.ts';

const TOKENS = { write: 'ghs_0canary0', read: 'ghs_0canary0fork' };
export const BOT = 'github-actions[bot]';

/** A repository created by `reelform init`, on a forge that runs its workflows. */
export interface ReviewedRepository {
  readonly remote: GitRepository;
  /** A user's clone, on main. */
  readonly person: GitRepository;
  readonly github: GitHubServer;
  readonly host: WorkflowHost;
  /** Commits files on main and pushes them. @returns the jobs that this starts */
  push(files: Readonly<Record<string, string>>): Promise<readonly JobRun[]>;
  /** Opens a pull request with these files. */
  open(files: Readonly<Record<string, string>>, options?: { readonly isOfFork?: boolean }): Promise<OpenPull>;
  /** Comments of the bot on a pull request. */
  comments(number: number): string[];
  /** An event on main in its current state. */
  onMain(name: 'schedule' | 'workflow_dispatch' | 'push'): Promise<RepositoryEvent>;
}

export interface OpenPull {
  readonly number: number;
  readonly event: RepositoryEvent;
  /** Runs the workflow that plans the pull request. */
  plan(): Promise<readonly JobRun[]>;
  /** Merges the pull request. @returns the jobs of the push */
  merge(): Promise<readonly JobRun[]>;
}

/**
 * Creates the repository and its forge.
 *
 * @param options.config text appended to reelform.yaml
 * @param options.init arguments of `reelform init`
 * @param options.folder folder that `init` creates; the repository's root when absent
 */
export async function reviewedRepository(
  options: Pick<WorkflowHostOptions, 'env' | 'secrets' | 'variables' | 'onLog'> & {
    readonly config?: string;
    readonly init?: readonly string[];
    readonly folder?: string;
  } = {},
): Promise<ReviewedRepository> {
  const remote = await newRemote();
  const users = {
    [TOKENS.write]: { login: BOT, rights: 'write' },
    [TOKENS.read]: { login: BOT, rights: 'read' },
  } as const;
  const github = await startGitHub({ users, remote });
  onTestFinished(() => github.close());
  const host = await startWorkflowHost({ remote, github, tokens: TOKENS, ...options });
  const person = await cloneOf(remote);
  expect(await reelform(person.root, ['init', '--yes', ...(options.init ?? [])])).toMatchObject({ exitCode: 0 });
  // What npm install would do. Videos are smaller, to save time.
  const own = join(person.root, options.folder ?? '.');
  writeFileSync(join(own, 'package-lock.json'), '{}');
  const hello = join(own, 'videos/hello.yaml');
  if (existsSync(hello)) appendFileSync(hello, 'output:\n  height: 90\n  fps: 10\n');
  appendFileSync(join(own, 'reelform.yaml'), options.config ?? '');
  await person.commit({});
  await person.git('push', '--quiet', 'origin', 'main');

  const pushed = async (before: string): Promise<readonly JobRun[]> => {
    const sha = await remote.git('rev-parse', 'main');
    const changed = (await remote.git('diff', '--name-only', before, sha)).split('\n');
    const payload = { ref: 'refs/heads/main', before, after: sha, head_commit: { id: sha } };
    return host.happen({ name: 'push', payload, ref: 'main', sha, changed });
  };
  const repository: ReviewedRepository = {
    remote,
    person,
    github,
    host,
    async push(files) {
      await person.git('pull', '--quiet', '--rebase', 'origin', 'main');
      const before = await remote.git('rev-parse', 'main');
      await person.commit(files);
      await person.git('push', '--quiet', 'origin', 'main');
      return pushed(before);
    },
    async open(files, { isOfFork = false } = {}) {
      await person.git('fetch', '--quiet', 'origin');
      const branch = `change-${github.issues.length}`;
      await person.git('checkout', '--quiet', '-b', branch, 'origin/main');
      const sha = await person.commit(files, 'Title with $(touch pwned) and `touch pwned`');
      await person.git('checkout', '--quiet', 'main');
      const owner = isOfFork ? 'stranger' : 'acme';
      const pull = { headOwner: owner, headBranch: branch, headSha: sha, base: 'main' };
      const { number } = github.open({ title: '$(touch pwned)', user: owner, pull });
      // Commits of a fork are reachable only through the ref of the pull request.
      const head = isOfFork ? `refs/pull/${number}/head` : `refs/heads/${branch}`;
      await person.git('push', '--quiet', 'origin', `${sha}:${head}`);
      const main = await remote.git('rev-parse', 'main');
      const tree = await remote.git('merge-tree', '--write-tree', main, sha);
      const merged = await remote.git('commit-tree', tree, '-p', main, '-p', sha, '-m', `Merge ${sha} into ${main}`);
      await remote.git('update-ref', `refs/pull/${number}/merge`, merged);
      const repo = { id: isOfFork ? 2 : 1, full_name: `${owner}/videos`, owner: { login: owner } };
      const payload = {
        action: 'opened',
        pull_request: {
          number,
          title: '$(touch pwned)',
          head: { sha, ref: branch, repo },
          base: { ref: 'main', sha: main },
        },
      };
      const ref = `refs/pull/${number}/merge`;
      const event = {
        name: 'pull_request',
        payload,
        ref,
        sha: merged,
        baseRef: 'main',
        isOfFork,
        changed: Object.keys(files),
      } as const;
      return {
        number,
        event,
        plan: () => host.happen(event),
        async merge() {
          await remote.git('update-ref', 'refs/heads/main', merged, main);
          Object.assign(github.issues.find((one) => one.number === number)!, { state: 'closed' });
          github.issues.find((one) => one.number === number)!.pull!.mergedAs = merged;
          return pushed(main);
        },
      };
    },
    comments: (number) =>
      github.comments.filter((one) => one.number === number && one.user === BOT).map(({ body }) => body),
    async onMain(name) {
      const sha = await remote.git('rev-parse', 'main');
      const payload = name === 'push' ? { ref: 'refs/heads/main', after: sha } : {};
      return { name, payload, ref: 'main', sha };
    },
  };
  return repository;
}
