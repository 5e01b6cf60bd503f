import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type GitLocation, locateInGit } from '../../reconciler/git/revisions.ts';
import { folderSuffix, type WorkflowPlace } from './workflow-text.ts';

/** What `init` finds at and around a folder. */
interface InitPlace extends Omit<WorkflowPlace, 'isRemote'> {
  /** Absolute root of the Git repository; null without Git. */
  readonly top: string | null;
  /** True if the repository is, or is most likely, on GitLab. */
  readonly isGitLab: boolean;
}

const WORKFLOWS = ['plan.yml', 'plan-comment.yml', 'apply.yml', 'drift.yml'];

/** Reads the Git repository around a folder. @param root absolute; need not exist yet */
export async function inspectPlace(root: string): Promise<InitPlace> {
  const { top, branch, isGitLab } = await locateRepository(root);
  const folder = top === null ? '' : relative(top, root).split(sep).join('/');
  const hasFile = (name: string): boolean => existsSync(join(top ?? root, name));
  return {
    top,
    isGitLab: isGitLab || (hasFile('.gitlab-ci.yml') && !hasFile('.github')),
    branch: branch ?? 'main',
    folder,
    suffix: folderSuffix(folder) || (hasWorkflowsWithOurNames(top ?? root) ? '-reelform' : ''),
    usesLfs: [top ?? root, root].some(filtersWithLfs),
  };
}

async function locateRepository(root: string): Promise<Omit<GitLocation, 'up'> & { readonly top: string | null }> {
  let folder = root;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const location = await locateInGit(folder);
  if (location === null) return { top: null, branch: null, isGitLab: false };
  return { ...location, top: resolve(folder, location.up) };
}

function hasWorkflowsWithOurNames(top: string): boolean {
  return WORKFLOWS.some((name) => {
    const path = join(top, '.github/workflows', name);
    return existsSync(path) && !readFileSync(path, 'utf8').includes('reelform');
  });
}

function filtersWithLfs(folder: string): boolean {
  const path = join(folder, '.gitattributes');
  return existsSync(path) && /^[^#\n]*\sfilter=lfs(?:\s|$)/m.test(readFileSync(path, 'utf8'));
}
