import { hasErrors, sortDiagnostics } from '../../diagnostic.ts';
import { idMatcher, unmatchedGlobs } from '../../plan/select-changes.ts';
import { lintText } from '../../report/terminal/repository-text.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printCheckResult } from '../output.ts';
import { loadDesiredState } from '../plan/load-desired-state.ts';
import { projectVideos } from '../plan/planned-videos.ts';
import { pointersOf } from './lint-plan.ts';
import { type Linted, lintVideos } from './lint-videos.ts';

interface LintCommandOptions extends JsonOptions {
  /** False to check every video again. */
  readonly cache?: boolean;
}

/** `reelform lint`: reports visible problems of each video before it is rendered. */
export async function lintCommand(globs: readonly string[], options: LintCommandOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const repository = await loadDesiredState(directory, { cache: options.cache !== false });
  const project = await repository.project();
  const ids = repository.desired.map(({ id }) => id);
  const unknown = hasErrors(project.diagnostics) ? [] : unmatchedGlobs({ targets: globs, excludes: [] }, ids);
  let linted: Linted = { diagnostics: [], checked: 0, remote: 0, leftOut: [] };
  if (!hasErrors([...project.diagnostics, ...unknown])) {
    const { desired } = repository;
    const matches = globs.length === 0 ? () => true : idMatcher(globs);
    const wanted = new Map(desired.filter(({ id }) => matches(id)).map(({ id, fingerprint }) => [id, fingerprint]));
    const lintOptions = { budgetMs: Number.POSITIVE_INFINITY, cache: options.cache !== false };
    const videos = projectVideos(project, 'lint', io);
    const pointers = await pointersOf(videos, wanted.keys());
    for (const id of pointers.keys()) wanted.delete(id);
    const found = await lintVideos(videos, wanted, lintOptions, io).finally(() => videos.close());
    linted = { ...found, diagnostics: sortDiagnostics([...[...pointers.values()].flat(), ...found.diagnostics]) };
  }
  const diagnostics = [...project.diagnostics, ...unknown, ...linted.diagnostics];
  const { checked } = linted;
  return printCheckResult(
    { diagnostics, source: project.source, videos: checked, validText: () => lintText(linted) },
    options,
    io,
  );
}
