import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { StyleVersion } from '../../src/wire/style-version.ts';
import { cloneOf, type GitRepository, newRemote } from './git-repository.ts';
import { type GitHubServer, startGitHub } from './github-server.ts';
import { type InterfaceService, startInterfaceService } from './interface-service.ts';
import { definition } from './repository.ts';
import { smallPackage } from './small-package.ts';
import { type Ran, reelform, type TestIoOptions } from './test-io.ts';

const STRANGER: StyleVersion = { ...smallPackage().spec, id: 'tsv_stranger' };
const TOKEN = 'ghs_0canary0';
const USERS = { [TOKEN]: { login: 'github-actions[bot]', rights: 'write' } } as const;
export const POST = 'POST /v2/render_sessions';
export const COMMIT = 'GraphQL createCommitOnBranch';
export const LOCK = 'reelform.lock.json';

/** A repository at a remote, whose videos a service renders, and GitHub's interface to the same remote. */
export interface MergeFlow {
  readonly remote: GitRepository;
  readonly github: GitHubServer;
  readonly service: InterfaceService;
  /** A merge: definitions by id, with the texts that they show; null removes one. @returns the commit */
  merge(texts: Readonly<Record<string, string | null>>): Promise<string>;
  /** A runner's checkout of main, or of a commit. */
  checkout(commit?: string): Promise<string>;
  /** A job: a checkout, unless one is given, and `reelform apply` in it. */
  apply(flags: readonly string[], options?: { root?: string; forge?: 'github' | 'git' } & TestIoOptions): Promise<Ran>;
  /** By id, the lockfile's entries on a branch. */
  lock(branch?: string): Promise<Readonly<Record<string, { readonly fingerprint: string; readonly session: string }>>>;
  /** The commits of a branch that changed the lockfile. */
  lockCommits(branch?: string): Promise<number>;
}

export async function startMergeFlow(options: { readonly journal?: boolean } = {}): Promise<MergeFlow> {
  const service = await startInterfaceService({ looks: 1, styleVersions: [STRANGER], keepsKeys: true });
  const remote = await newRemote();
  const github = await startGitHub({ users: USERS, remote });
  onTestFinished(async () => {
    await service.close();
    await github.close();
  });
  const journal = options.journal === true ? 'journal: {git: reelform-journal}\n' : '';
  const config = `service: {url: "${service.url}", token_env: SHOP_TOKEN}\ntemplates:\n  small: tsv_stranger\n${journal}`;
  const person = await cloneOf(remote);
  await person.commit({ 'reelform.yaml': config, '.gitignore': '.reelform/\nrenders/\n', 'videos/.gitkeep': '' });
  expect(await reelform(person.root, ['pull'], { env: { SHOP_TOKEN: service.token } })).toMatchObject({ exitCode: 0 });
  await person.commit({});
  await person.git('push', '--quiet', 'origin', 'main');

  const flow: MergeFlow = {
    remote,
    github,
    service,
    async merge(texts) {
      await person.git('pull', '--quiet', '--rebase', 'origin', 'main');
      const files: Record<string, string> = {};
      for (const [id, text] of Object.entries(texts)) {
        if (text === null) rmSync(join(person.root, `videos/${id}.yaml`));
        else files[`videos/${id}.yaml`] = definition(text, '  (Footage)/USER/photo.png: http://127.0.0.1:9/a.png\n');
      }
      const commit = await person.commit(files, 'Merge');
      await person.git('push', '--quiet', 'origin', 'main');
      return commit;
    },
    async checkout(commit) {
      const { root, git } = await cloneOf(remote, ...(commit === undefined ? ['--depth=1'] : []));
      if (commit !== undefined) await git('checkout', '--quiet', '-B', 'main', commit);
      return root;
    },
    async apply(flags, { root, forge = 'github', ...ioOptions } = {}) {
      const env = { SHOP_TOKEN: service.token, ...(forge === 'github' ? github.env(TOKEN) : {}) };
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
  };
  return flow;
}
