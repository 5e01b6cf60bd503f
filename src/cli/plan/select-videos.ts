import { readFile } from 'node:fs/promises';
import { posix, resolve } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { LeftOutVideo } from '../../reconciler/definition/video.ts';
import type { DesiredVideo } from '../../reconciler/plan/desired-video.ts';
import type { Change, Plan } from '../../reconciler/plan/plan.ts';
import { type IdGlobs, type Selection, selectChanges } from '../../reconciler/plan/select-changes.ts';
import type { Io } from '../io.ts';
import type { DesiredState } from '../state/load-desired-state.ts';
import type { PlanFlags } from './plan-options.ts';

/**
 * Returns the selected part of a plan; the plan itself if everything is selected.
 *
 * @throws ReelformError for a revision that Git does not have
 */
export async function selectVideos(
  plan: Plan,
  globs: IdGlobs,
  flags: PlanFlags,
  repository: DesiredState,
): Promise<Plan> {
  const { targets, excludes } = globs;
  if (targets === null && excludes.length === 0 && flags.changedSince === undefined) return plan;
  if (flags.changedSince === undefined) return selectChanges(plan, globs);
  return selectChanges(plan, { ...globs, ...(await changedSince(flags.changedSince, repository)) });
}

/** Returns filters for what comes from files which changed since the branch was created. */
async function changedSince(
  ref: string,
  repository: DesiredState,
): Promise<Required<Pick<Selection, 'only' | 'onlyLeftOut'>>> {
  const { changedFiles } = await import('../../reconciler/git/revisions.ts');
  const changed = await changedFiles(repository.root, ref);
  const answers = new Map<string, boolean>();
  const isMadeOfChanged = (desired: DesiredVideo): boolean => {
    const known = answers.get(desired.id);
    if (known !== undefined) return known;
    const answer = repository.dependenciesOf(desired).some((file) => changed.has(file));
    answers.set(desired.id, answer);
    return answer;
  };
  // For a video without a definition the lockfile only has the id, which is the name of a removed file or of rows.
  const named = [...changed].map(withoutEnding);
  const isRow = ({ id, path }: DesiredVideo): boolean => endsWithPath(withoutEnding(path), posix.dirname(id));
  const ofRows = repository.desired.filter((video) => isRow(video) && isMadeOfChanged(video));
  const folders = new Set(ofRows.map(({ id }) => posix.dirname(id)));
  const wasNamed = (id: string): boolean =>
    folders.has(posix.dirname(id)) ||
    named.some((name) => endsWithPath(name, id) || endsWithPath(name, posix.dirname(id)));
  const onlyLeftOut = ({ path }: Pick<LeftOutVideo, 'path'>): boolean =>
    repository.originsOf(path).some((file) => changed.has(file));
  const wasForgotten = ({ id, leftOut }: Change & { readonly action: 'forget' }): boolean =>
    wasNamed(id) || (leftOut !== undefined && onlyLeftOut(leftOut));
  const only = (change: Change): boolean =>
    change.action === 'forget' ? wasForgotten(change) : isMadeOfChanged(change.desired);
  return { only, onlyLeftOut };
}

function withoutEnding(path: string): string {
  return path.replace(/\.[^./]*$/, '');
}

function endsWithPath(path: string, end: string): boolean {
  return end !== '.' && (path === end || path.endsWith(`/${end}`));
}

/**
 * Returns the globs of the command line and of the files it names: one per line, trimmed; ignores empty lines and lines
 * that start with `#`.
 *
 * @param directory that file paths are relative to
 * @throws ReelformError `file_system`, `options_conflict` if stdin is named twice
 */
export async function readGlobs(flags: PlanFlags, directory: string, io: Io): Promise<IdGlobs> {
  const { target, targetFile = [], exclude = [], excludeFile = [] } = flags;
  if ([...targetFile, ...excludeFile].filter((file) => file === '-').length > 1) {
    throw new ReelformError('options_conflict', 'Two options read standard input, which can only be read once', {
      hint: 'Write one of the lists into a file',
    });
  }
  const read = async (files: readonly string[]): Promise<string[]> => {
    const texts = await Promise.all(files.map((file) => (file === '-' ? io.readInput() : readText(file, directory))));
    return texts.flatMap(globsOf);
  };
  const isLimited = target !== undefined || targetFile.length > 0;
  return {
    targets: isLimited ? [...(target ?? []), ...(await read(targetFile))] : null,
    excludes: [...exclude, ...(await read(excludeFile))],
  };
}

function globsOf(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

async function readText(file: string, directory: string): Promise<string> {
  try {
    return await readFile(resolve(directory, file), 'utf8');
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new ReelformError('file_system', `The list of globs ${file} cannot be read: ${why}`, {
      hint: 'Check the path, which is relative to the working directory',
      cause: error,
    });
  }
}
