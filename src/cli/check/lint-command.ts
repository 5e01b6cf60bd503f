import { type Diagnostic, sortDiagnostics } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { contentKey } from '../../reconciler/plan/desired-video.ts';
import { idMatcher, unmatchedGlobs } from '../../reconciler/plan/select-changes.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { lintText } from '../../report/terminal/repository-text.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printCheckResult } from '../output.ts';
import { pointersOf } from '../plan/lint-plan.ts';
import { lintVideos } from '../plan/lint-videos.ts';
import { projectVideos } from '../plan/planned-videos.ts';
import { withProcesses } from '../render/command-pool.ts';
import { loadDesiredState } from '../state/load-desired-state.ts';

interface LintCommandOptions extends JsonOptions {
  /** False to check every video again. */
  readonly cache?: boolean;
}

/**
 * `reelform lint`: reports visible problems of each video before it is rendered. Checks the remaining videos if some definitions or
 * templates have errors.
 */
export async function lintCommand(globs: readonly string[], options: LintCommandOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const repository = await withProcesses(io, (processes) =>
    loadDesiredState(directory, { cache: options.cache !== false, openPool: () => processes.open() }),
  );
  const project = await repository.project();
  const { desired } = repository;
  const matches = globs.length === 0 ? () => true : idMatcher(globs);
  const wanted = new Map(desired.filter(({ id }) => matches(id)).map((video) => [video.id, contentKey(video)]));
  const lintOptions = {
    maxVideos: Number.POSITIVE_INFINITY,
    cache: options.cache !== false,
    withoutEngine: 'throw',
  } as const;
  const videos = projectVideos(project, 'lint', io);
  const pointers = await pointersOf(videos, wanted.keys());
  for (const id of pointers.keys()) wanted.delete(id);
  const linted = await lintVideos(videos, wanted, lintOptions, io).finally(() => videos.close());
  const found = [...[...pointers.values()].flat(), ...linted.diagnostics];
  const withWhen = repository.leftOut.filter(({ byWhere }) => byWhere !== true);
  const conditional = withWhen.filter(({ id }) => matches(id));
  const waiting = repository.waiting.filter(({ id }) => matches(id));
  const unknown = unknownTargets(globs, [...desired, ...withWhen, ...waiting], project);
  // A definition whose videos are unknown may define any of the selected videos.
  const invalid = project.invalid.filter(({ id }) => id === null || matches(id));
  const names = [...new Set(invalid.map(({ id, path }) => id ?? path))];
  const text = () =>
    lintText({
      ...linted,
      diagnostics: [...unknown, ...found],
      invalid: names,
      conditional: globs.length > 0 ? [...conditional, ...waiting] : waiting,
    });
  const leftOut = [
    ...conditional.map(({ id, path }) => ({ id, file: path, reason: 'condition' })),
    ...waiting.map(({ id, path }) => ({ id, file: path, reason: 'speech_missing' })),
    ...invalid.map(({ id, path }) => ({ id, file: path, reason: 'invalid' })),
    ...desired.filter(({ id }) => pointers.has(id)).map(({ id, path }) => ({ id, file: path, reason: 'lfs_pointer' })),
    ...desired
      .filter(({ id }) => linted.remote.includes(id))
      .map(({ id, path }) => ({ id, file: path, reason: 'remote' })),
  ];
  return printCheckResult(
    {
      diagnostics: sortDiagnostics([...project.diagnostics, ...unknown, ...found]),
      source: project.source,
      videos: linted.checked,
      fields: { left_out: leftOut.sort((a, b) => byCodeUnit(a.file, b.file)) },
      validText: text,
      invalidText: text,
    },
    options,
    io,
  );
}

/** Reports globs that match no video: as warnings if a definition with errors may have the videos. */
function unknownTargets(
  globs: readonly string[],
  videos: readonly { readonly id: string }[],
  { invalid }: Project,
): Diagnostic[] {
  const known = [...videos.map(({ id }) => id), ...invalid.flatMap(({ id }) => id ?? [])];
  const unknown = unmatchedGlobs({ targets: globs, excludes: [] }, known);
  return invalid.some(({ id }) => id === null)
    ? unknown.map((diagnostic) => ({ ...diagnostic, severity: 'warning' }))
    : unknown;
}
