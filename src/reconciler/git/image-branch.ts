import { ReelformError } from '../../kernel/diagnostic.ts';
import { sha256 } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { RemoteBranch, type RemoteBranchOptions } from './remote-branch.ts';
import { runGit } from './run-git.ts';

/** Number of lost races before a push is given up. */
const MAX_PUSHES = 8;
/** Paths on the branch: the day of the push, and the digest of the picture. */
const PICTURE_PATH = /^(\d{4}-\d{2}-\d{2})\/[0-9a-f]{64}\.(?:jpg|png)$/;
const DAY_MS = 86_400_000;

interface ImageBranchOptions extends RemoteBranchOptions {
  /** Number of days after which a picture is removed, unless it is pushed again. */
  readonly keepDays: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits before the next attempt. The wait is random, and grows with each attempt. */
  backOff(attempt: number): Promise<void>;
}

/**
 * Pushes pictures to a branch of their own. Each push replaces the commit by a commit without parents, so that old pictures are
 * really deleted. Paths consist of the day of the push and the digest, so that a picture keeps its URL until it expires.
 * Concurrent pushes keep the pictures of all.
 *
 * @param pictures with their file extensions
 * @returns paths on the branch, in the order of the pictures
 * @throws ReelformError `git_failed` when the push fails, or the branch has other files
 */
export async function pushPictures(
  pictures: readonly { readonly bytes: Uint8Array; readonly ending: 'jpg' | 'png' }[],
  options: ImageBranchOptions,
): Promise<readonly string[]> {
  const { keepDays, now, backOff } = options;
  const branch = new RemoteBranch(options, `The branch ${options.branch}`);
  const day = new Date(now()).toISOString().slice(0, 10);
  const oldest = new Date(now() - keepDays * DAY_MS).toISOString().slice(0, 10);
  const paths = pictures.map(({ bytes, ending }) => `${day}/${sha256(bytes)}.${ending}`);
  const added = new Map<string, string>();
  for (const [index, { bytes }] of pictures.entries()) {
    const path = paths[index]!;
    if (!added.has(path)) added.set(path, await branch.object(['hash-object', '-w', '--no-filters', '--stdin'], bytes));
  }
  for (let attempt = 1; ; attempt++) {
    const tip = await branch.fetchTip();
    const present = tip === null ? new Map<string, string>() : await filesOf(options, tip);
    const kept = [...present].filter(([path]) => path.slice(0, day.length) >= oldest);
    const files = new Map([...kept, ...added]);
    if (tip !== null && files.size === present.size && [...files.keys()].every((path) => present.has(path))) {
      return paths;
    }
    const error = await branch.push(await createCommit(branch, files), tip);
    if (error === null) return paths;
    if ((await branch.tip()) === tip || attempt === MAX_PUSHES) {
      throw new ReelformError('git_failed', `The images could not be pushed to ${options.branch}: ${error.message}`, {
        hint: 'The job needs permission to push: in GitHub Actions `permissions: {contents: write}`',
      });
    }
    await backOff(attempt);
  }
}

/** Returns the blobs of a commit by path. Refuses a branch that belongs to someone else, so that it is never overwritten. */
async function filesOf({ root, branch }: ImageBranchOptions, commit: string): Promise<Map<string, string>> {
  const tree = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const files = new Map<string, string>();
  for (const line of tree.split('\0').filter((entry) => entry !== '')) {
    const [, blob = '', path = ''] = /^100644 blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (!PICTURE_PATH.test(path)) {
      throw new ReelformError('git_failed', `The branch ${branch} contains files that are not preview images`, {
        hint: 'Use a separate branch in --preview-host',
      });
    }
    files.set(path, blob);
  }
  return files;
}

async function createCommit(branch: RemoteBranch, files: ReadonlyMap<string, string>): Promise<string> {
  const sorted = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const trees: string[] = [];
  for (const [day, images] of groupBy(sorted, ([path]) => path.split('/')[0]!)) {
    const lines = images.map(([path, blob]) => `100644 blob ${blob}\t${path.split('/')[1]}\n`);
    trees.push(`040000 tree ${await branch.object(['mktree'], lines.join(''))}\t${day}\n`);
  }
  const tree = await branch.object(['mktree'], trees.join(''));
  return branch.object(['commit-tree', '-F', '-', tree], 'Preview images [skip ci]\n');
}
