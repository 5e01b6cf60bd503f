import { ReelformError } from '../diagnostic.ts';
import { sha256 } from '../digest.ts';
import { gitName, runGit, tryGit } from './run-git.ts';

/** Whose commits these are, wherever they are made. */
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Reelform',
  GIT_AUTHOR_EMAIL: 'reelform@localhost',
  GIT_COMMITTER_NAME: 'Reelform',
  GIT_COMMITTER_EMAIL: 'reelform@localhost',
};
/** Racing runs push in turn; so often one of them tries again. */
const ATTEMPTS = 8;
/** Of a day and a picture: all that such a branch holds. */
const PLACE = /^(\d{4}-\d{2}-\d{2})\/[0-9a-f]{64}\.(?:jpg|png)$/;
const DAY_MS = 86_400_000;

export interface ImageBranchOptions {
  /** Absolute; a folder of the repository. */
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  /** For how many days a picture stays that nobody pushes again. */
  readonly keepDays: number;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Waits a little, longer with each attempt, and not as long as others do. */
  backOff(attempt: number): Promise<void>;
}

/**
 * Pushes pictures to a branch of the remote that holds nothing else: each push is one commit without parents in place of the
 * one before, so that what is too old is gone for good. EDGE. Names are made from content, below the day of the push, so that
 * a picture stays where it is until its day is too long ago. Neither the work tree nor the index nor any other branch, here or
 * there, is touched; of racing pushes each keeps the other's pictures.
 *
 * @param pictures with the endings of their files
 * @returns paths on the branch, in the order of the pictures
 * @throws ReelformError `git_failed` when it cannot be pushed, or the branch holds something else
 */
export async function pushPictures(
  pictures: readonly { readonly bytes: Uint8Array; readonly ending: 'jpg' | 'png' }[],
  options: ImageBranchOptions,
): Promise<readonly string[]> {
  const { root, branch, keepDays, now, backOff } = options;
  const day = new Date(now()).toISOString().slice(0, 10);
  const oldest = new Date(now() - keepDays * DAY_MS).toISOString().slice(0, 10);
  const paths = pictures.map(({ bytes, ending }) => `${day}/${sha256(bytes)}.${ending}`);
  const added = new Map<string, string>();
  for (const [index, { bytes }] of pictures.entries()) {
    if (!added.has(paths[index]!)) added.set(paths[index]!, await writeBlob(root, bytes));
  }
  for (let attempt = 1; ; attempt++) {
    const tip = await readTip(options);
    const kept = [...(tip?.files ?? [])].filter(([path]) => path.slice(0, day.length) >= oldest);
    const files = new Map([...kept, ...added]);
    if (tip !== null && files.size === tip.files.size && [...files.keys()].every((path) => tip.files.has(path)))
      return paths;
    const commit = await commitOf(root, files);
    const error = await push(options, commit, tip?.commit ?? '');
    if (error === null) return paths;
    const moved = await tipOf(options);
    if (moved === (tip?.commit ?? null) || attempt === ATTEMPTS) {
      throw new ReelformError('git_failed', `The pictures could not be pushed to ${branch}: ${error.message}`, {
        hint: 'The run needs the right to push: in GitHub Actions `permissions: {contents: write}`',
      });
    }
    await backOff(attempt);
  }
}

interface Tip {
  readonly commit: string;
  /** Path → blob. */
  readonly files: ReadonlyMap<string, string>;
}

async function tipOf({ root, remote, branch }: ImageBranchOptions): Promise<string | null> {
  const ref = refOf(branch);
  const told = await runGit(root, ['ls-remote', '--', gitName(remote), ref]);
  const line = told.split('\n').find((one) => one.endsWith(`\t${ref}`));
  return line?.split('\t')[0] ?? null;
}

async function readTip(options: ImageBranchOptions): Promise<Tip | null> {
  const { root, remote, branch } = options;
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const commit = await tipOf(options);
    if (commit === null) return null;
    const has = async () => (await tryGit(root, ['cat-file', '-e', `${commit}^{commit}`])) !== null;
    if (!(await has())) {
      const fetch = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap='];
      await runGit(root, [...fetch, '--', gitName(remote), refOf(branch)]);
    }
    if (await has()) return { commit, files: await filesOf(root, commit, branch) };
  }
  throw new ReelformError('git_failed', `The branch ${branch} changes faster than it can be read`);
}

/** Somebody's branch of the same name is nothing to write over. */
async function filesOf(root: string, commit: string, branch: string): Promise<Map<string, string>> {
  const listed = await runGit(root, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  const files = new Map<string, string>();
  for (const line of listed.split('\0').filter((one) => one !== '')) {
    const [, blob = '', path = ''] = /^100644 blob ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (!PLACE.test(path)) {
      throw new ReelformError('git_failed', `The branch ${branch} holds other files than pictures of previews`, {
        hint: 'Name a branch in --preview-host that nothing else uses',
      });
    }
    files.set(path, blob);
  }
  return files;
}

async function writeBlob(root: string, bytes: Uint8Array): Promise<string> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin'];
  return (await runGit(root, args, { input: bytes })).trim();
}

async function commitOf(root: string, files: ReadonlyMap<string, string>): Promise<string> {
  const days = new Map<string, string[]>();
  for (const [path, blob] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [day = '', name = ''] = path.split('/');
    days.set(day, [...(days.get(day) ?? []), `100644 blob ${blob}\t${name}\n`]);
  }
  const trees: string[] = [];
  for (const [day, lines] of days)
    trees.push(`040000 tree ${await object(root, ['mktree'], lines.join(''))}\t${day}\n`);
  const tree = await object(root, ['mktree'], trees.join(''));
  return object(root, ['commit-tree', '-F', '-', tree], 'Pictures of previews [skip ci]\n');
}

async function object(root: string, args: readonly string[], input: string): Promise<string> {
  return (await runGit(root, args, { input, env: IDENTITY })).trim();
}

async function push(options: ImageBranchOptions, commit: string, seen: string): Promise<Error | null> {
  const ref = refOf(options.branch);
  const flags = ['--quiet', '--no-verify', '--no-recurse-submodules', '--no-follow-tags', '--no-signed'];
  const lease = `--force-with-lease=${ref}:${seen}`;
  try {
    await runGit(options.root, ['push', ...flags, lease, '--', gitName(options.remote), `${commit}:${ref}`]);
    return null;
  } catch (error) {
    return error as Error;
  }
}

function refOf(branch: string): string {
  return `refs/heads/${gitName(branch)}`;
}
