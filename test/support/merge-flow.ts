import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../src/contract/wire/style-version.ts';
import { schemaFiles } from '../../src/reconciler/project/schema-files.ts';
import { cloneOf, type GitRepository, newRemote } from './git-repository.ts';
import { type GitHubFault, type GitHubServer, startGitHub } from './github-server.ts';
import { type InterfaceService, type InterfaceServiceOptions, startInterfaceService } from './interface-service.ts';
import { definition } from './repository.ts';
import { smallPackage } from './small-package.ts';
import { type Ran, reelform, type TestIoOptions } from './test-io.ts';

const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const TOKEN = 'ghs_0canary0';
/** Token of the job of a fork's pull request. */
export const FORK_TOKEN = 'ghs_0canary0fork';
export const BOT = 'github-actions[bot]';
/** Token of an app installed in the repository. */
export const APP_TOKEN = 'ghs_0canary0app';
export const APP = 'acme-videos[bot]';
const USERS = {
  [TOKEN]: { login: BOT, rights: 'write' },
  [FORK_TOKEN]: { login: BOT, rights: 'read' },
  [APP_TOKEN]: { login: APP, rights: 'write' },
} as const;
export const POST = 'POST /v2/render_sessions';
export const COMMIT = 'GraphQL createCommitOnBranch';
export const LOCK = 'reelform.lock.json';

/** A remote repository whose videos a service renders, with GitHub's interface to the same remote. */
export interface MergeFlow {
  readonly remote: GitRepository;
  readonly github: GitHubServer;
  readonly service: InterfaceService;
  /** Texts that the definitions on main want after each merge, by commit, in order. */
  readonly wanted: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Merges definitions, given as texts by id; null removes one. @returns the commit */
  merge(texts: Readonly<Record<string, string | null>>): Promise<string>;
  /** Environment of a job, in addition to that of the machine. */
  env(forge?: 'github' | 'git'): Record<string, string>;
  /** Creates a runner's checkout of main, or of a commit. */
  checkout(commit?: string): Promise<string>;
  /** Runs a job: a checkout, unless one is given, and `reelform apply` in it. */
  apply(flags: readonly string[], options?: { root?: string; forge?: 'github' | 'git' } & TestIoOptions): Promise<Ran>;
  /** Entries of the lockfile on a branch, by id. */
  lock(branch?: string): Promise<Readonly<Record<string, { readonly fingerprint: string; readonly session: string }>>>;
  /** Number of commits on a branch that changed the lockfile. */
  lockCommits(branch?: string): Promise<number>;
  /** Closes its servers; they also close with the test. */
  close(): Promise<void>;
}

/** @param options.service duration of its sessions; the service keeps keys */
export async function startMergeFlow(
  options: { readonly journal?: boolean; readonly service?: InterfaceServiceOptions } = {},
): Promise<MergeFlow> {
  const service = await startInterfaceService({
    looks: 1,
    styleVersions: [STRANGER],
    keepsKeys: true,
    ...options.service,
  });
  const remote = await newRemote();
  const github = await startGitHub({ users: USERS, remote });
  const close = async (): Promise<void> => {
    await service.close();
    await github.close();
  };
  onTestFinished(close);
  const journal = options.journal === true ? 'journal: {git: reelform-journal}\n' : '';
  const capabilities = 'capabilities: {idempotency_hours: 24}';
  const config = `service: {url: "${service.url}", token_env: SHOP_TOKEN, ${capabilities}}\ntemplates:\n  small: tsv_stranger\n${journal}`;
  const person = await cloneOf(remote);
  await person.commit({
    'reelform.yaml': config,
    '.gitignore': '.reelform/\nrenders/\n',
    'videos/.gitkeep': '',
    ...Object.fromEntries(schemaFiles('small', STRANGER).map(({ path, text }) => [path, text])),
  });
  await person.git('push', '--quiet', 'origin', 'main');

  const pushed = (): Promise<boolean> =>
    person.git('push', '--quiet', 'origin', 'main').then(
      () => true,
      () => false,
    );
  const wanted = new Map<string, Readonly<Record<string, string>>>();
  let now: Record<string, string> = {};
  const flow: MergeFlow = {
    remote,
    github,
    service,
    wanted,
    async merge(texts) {
      await person.git('pull', '--quiet', '--rebase', 'origin', 'main');
      const files: Record<string, string> = {};
      for (const [id, text] of Object.entries(texts)) {
        if (text === null) rmSync(join(person.root, `videos/${id}.yaml`));
        else files[`videos/${id}.yaml`] = definition(text, '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n');
      }
      await person.commit(files, 'Merge');
      // A run may commit in the meantime, which GitHub's merge button ignores.
      while (!(await pushed())) await person.git('pull', '--quiet', '--rebase', 'origin', 'main');
      const commit = await person.git('rev-parse', 'HEAD');
      const kept = Object.entries({ ...now, ...texts }).filter((one): one is [string, string] => one[1] !== null);
      now = Object.fromEntries(kept);
      wanted.set(commit, now);
      return commit;
    },
    env: (forge = 'github') => ({ SHOP_TOKEN: service.token, ...(forge === 'github' ? github.env(TOKEN) : {}) }),
    async checkout(commit) {
      const { root, git } = await cloneOf(remote);
      if (commit !== undefined) await git('checkout', '--quiet', '-B', 'main', commit);
      return root;
    },
    async apply(flags, { root, forge = 'github', ...ioOptions } = {}) {
      const env = flow.env(forge);
      const args = ['apply', '--auto-approve', ...flags];
      const ran = await reelform(root ?? (await flow.checkout()), args, { isLate: true, env, ...ioOptions });
      expect(ran.stdout + ran.stderr).not.toContain('canary');
      return ran;
    },
    async lock(branch = 'main') {
      const text = await remote.git('show', `${branch}:${LOCK}`).catch(() => '{"videos": {}}');
      return (JSON.parse(text) as { videos: Record<string, { fingerprint: string; session: string }> }).videos;
    },
    lockCommits: async (branch = 'main') => Number(await remote.git('rev-list', '--count', branch, '--', LOCK)),
    close,
  };
  return flow;
}

/**
 * Generates changes of definitions as people make them: a few at a time, over a dozen videos that come and go. Texts
 * are unique.
 */
export function randomMerges(): { next(): Record<string, string | null> } {
  const there = new Set<string>();
  let serial = 0;
  return {
    next() {
      const merge: Record<string, string | null> = {};
      for (let change = 0; change < 1 + Math.random() * 4; change++) {
        const id = `v${Math.floor(Math.random() * 12)}`;
        if (Object.hasOwn(merge, id)) continue;
        const isRemoved = there.has(id) && Math.random() < 0.3;
        if (isRemoved) there.delete(id);
        else there.add(id);
        merge[id] = isRemoved ? null : `${id} ${++serial}`;
      }
      return merge;
    },
  };
}

/**
 * Creates a fault that holds a request at GitHub until released. @param options.afterDoing performs the request and
 * holds only the answer
 */
export function holdRequest(options: { readonly afterDoing?: boolean } = {}) {
  let onHeld = (): void => {};
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    onHeld = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const fault: GitHubFault = { kind: 'hold', ...options, onHeld: () => onHeld(), released };
  return { fault, held, release: () => release() };
}
