import { InvalidArgumentError } from 'commander';

/** The branch of the pull request for a lockfile at the top of its repository. */
const PULL_BRANCH = 'reelform/lock';

/**
 * The branch of the one pull request of `--commit=pr`: each folder of a repository has its own, and no two folders the same.
 *
 * @param path of the lockfile, from the top of the repository
 */
export function commitBranchOf(path: string): string {
  const folders = path.split('/').slice(0, -1);
  if (folders.length === 0) return PULL_BRANCH;
  // `/` would make one branch the folder of another, and the rest means something in names of branches.
  const name = folders.map((folder) => folder.replaceAll(/[^\w-]/g, escapeByte)).join('+');
  return `${PULL_BRANCH}-${name}`;
}

function escapeByte(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/**
 * The name of a branch as it is typed.
 *
 * @throws InvalidArgumentError for what git takes as none
 * @see https://git-scm.com/docs/git-check-ref-format
 */
export function branchArgument(text: string): string {
  const isName =
    text.length <= 200 &&
    !/[\s\p{C}~^:?*[\\]|\.\.|@\{|\/\/|\/$|^[-/]|\.$/u.test(text) &&
    text.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock')) &&
    text !== '@' &&
    text !== 'HEAD';
  if (isName) return text;
  throw new InvalidArgumentError('It is no name that a branch can have.');
}
