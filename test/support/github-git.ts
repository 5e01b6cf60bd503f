import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../src/kernel/defined.ts';
import { GIT_ENVIRONMENT } from './git-repository.ts';

/**
 * The git operations of GitHub on a repository on disk. Each is synchronous, so that no other handler of the server
 * runs in between.
 */
export class GitHubGit {
  readonly #root: string;

  /** @param root root of a bare repository */
  constructor(root: string) {
    this.#root = root;
  }

  head(branch: string): string | null {
    // A start of git takes twenty times as long, and every request asks.
    const loose = join(this.#root, 'refs/heads', branch);
    if (existsSync(loose) && statSync(loose).isFile()) return readFileSync(loose, 'utf8').trim();
    return this.#try('rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`);
  }

  /** @param ref a commit or the name of a branch */
  commitOf(ref: string): string | null {
    const head = /^[0-9a-f]{40}$/.test(ref) ? null : this.head(ref);
    return head ?? this.#try('rev-parse', '--verify', '--quiet', `${ref}^{commit}`);
  }

  /** Returns the blob at a path, or null if there is none. */
  blobAt(commit: string, path: string): { sha: string; bytes: Buffer } | null {
    const input = `${commit}:${path}\n`;
    const output = execFileSync('git', ['cat-file', '--batch'], { ...this.#options, input });
    const head = output.subarray(0, output.indexOf('\n')).toString();
    const [, sha] = /^([0-9a-f]+) blob \d+$/.exec(head) ?? [];
    return sha === undefined ? null : { sha, bytes: output.subarray(head.length + 1, -1) };
  }

  blob(sha: string): Buffer {
    return execFileSync('git', ['cat-file', 'blob', sha], this.#options);
  }

  setBranch(branch: string, sha: string): void {
    this.#git(['update-ref', `refs/heads/${branch}`, sha]);
  }

  isAncestor(one: string, other: string): boolean {
    return this.#try('merge-base', '--is-ancestor', one, other) !== null;
  }

  /** Reads a tree or the tree of a commit. @returns the tree and the parents */
  look(commit: string): { tree: string; parents: string[] } {
    const [tree = '', ...parents] = this.#git(['show', '--no-patch', '--format=%T %P', commit]).split(' ');
    return { tree, parents: parents.filter((parent) => parent !== '') };
  }

  /** Returns a tree with some files replaced. */
  makeTree(base: string, files: readonly { path: string; content: string }[]): string {
    const folder = mkdtempSync(join(tmpdir(), 'reelform-github-'));
    try {
      const env = { GIT_INDEX_FILE: join(folder, 'index') };
      this.#git(['read-tree', base], { env });
      for (const { path, content } of files) {
        const blob = this.#git(['hash-object', '-w', '--stdin'], { input: Buffer.from(content) });
        this.#git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
      }
      return this.#git(['write-tree'], { env });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  makeCommit(tree: string, parents: readonly string[], message: string, author: string): string {
    const env = { GIT_AUTHOR_NAME: author, GIT_COMMITTER_NAME: 'GitHub' };
    const args = ['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent])];
    return this.#git(args, { input: Buffer.from(message), env });
  }

  /**
   * Moves a branch by compare-and-swap. @param before expected commit; zeros if the branch must not exist @returns
   * whether the branch was at `before`
   */
  swap(branch: string, before: string, after: string): boolean {
    return this.#try('update-ref', `refs/heads/${branch}`, after, before) !== null;
  }

  deleteBranch(branch: string): void {
    this.#git(['update-ref', '-d', `refs/heads/${branch}`]);
  }

  /** Commits to a branch. @returns the commit, or null if the branch is no longer at `expectedHead` */
  commit(
    branch: string,
    expectedHead: string,
    message: string,
    author: string,
    changes: { additions: { path: string; contents: string }[]; deletions: { path: string }[] },
  ): string | null {
    if (this.head(branch) !== expectedHead) return null;
    const folder = mkdtempSync(join(tmpdir(), 'reelform-github-'));
    try {
      const env = { GIT_INDEX_FILE: join(folder, 'index') };
      this.#git(['read-tree', expectedHead], { env });
      for (const { path, contents } of changes.additions) {
        const blob = this.#git(['hash-object', '-w', '--stdin'], { input: Buffer.from(contents, 'base64') });
        this.#git(['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`], { env });
      }
      for (const { path } of changes.deletions) this.#git(['update-index', '--force-remove', path], { env });
      const tree = this.#git(['write-tree'], { env });
      const commit = this.#git(['commit-tree', tree, '-p', expectedHead], {
        input: Buffer.from(message),
        env: { GIT_AUTHOR_NAME: author, GIT_COMMITTER_NAME: 'GitHub' },
      });
      // Another process may push at the same time, so compare and swap.
      return this.#try('update-ref', `refs/heads/${branch}`, commit, expectedHead) === null ? null : commit;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  #git(args: readonly string[], options: { input?: Buffer; env?: Record<string, string> } = {}): string {
    const { input, env = {} } = options;
    return execFileSync('git', args, {
      ...this.#options,
      env: { ...this.#options.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      ...defined({ input }),
    })
      .toString()
      .trim();
  }

  #try(...args: string[]): string | null {
    try {
      return this.#git(args);
    } catch {
      return null;
    }
  }

  get #options() {
    return { cwd: this.#root, env: { ...process.env, ...GIT_ENVIRONMENT }, maxBuffer: 1 << 28 };
  }
}
