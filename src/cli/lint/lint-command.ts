import { EXIT, hasErrors } from '../../diagnostic.ts';
import { idMatcher, unmatchedGlobs } from '../../plan/select-changes.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { lintText } from '../../report/terminal/repository-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { openDesired } from '../plan/open-desired.ts';
import { type Linted, lintVideos } from './lint-videos.ts';

export interface LintCommandOptions extends GlobalOptions {
  readonly json?: boolean;
  /** False: every video is looked at again. */
  readonly cache?: boolean;
}

/** `reelform lint`: what a viewer would notice of each video, before it is rendered. */
export async function lintCommand(globs: readonly string[], options: LintCommandOptions, io: Io): Promise<number> {
  const directory = directoryOf(options, io);
  const repository = await openDesired(directory, { cache: options.cache !== false });
  const project = await repository.project();
  const ids = repository.desired.map(({ id }) => id);
  const unknown = hasErrors(project.diagnostics) ? [] : unmatchedGlobs({ targets: globs, excludes: [] }, ids);
  let linted: Linted = { diagnostics: [], checked: 0, remote: 0, leftOut: [] };
  if (!hasErrors([...project.diagnostics, ...unknown])) {
    const { desired } = repository;
    const matches = globs.length === 0 ? () => true : idMatcher(globs);
    const wanted = new Map(desired.filter(({ id }) => matches(id)).map(({ id, fingerprint }) => [id, fingerprint]));
    const lintOptions = { budgetMs: Number.POSITIVE_INFINITY, cache: options.cache !== false };
    const { root, config, videos, templates, source } = project;
    const packageOf = (name: string) => templates.get(name)?.package ?? null;
    linted = await lintVideos({ root, lint: config.lint, videos, packageOf, source }, wanted, lintOptions, io);
  }
  const diagnostics = [...project.diagnostics, ...unknown, ...linted.diagnostics];
  const valid = !hasErrors(diagnostics);
  if (options.json === true) {
    const told = diagnosticsJson(diagnostics, project.source);
    const document = { format_version: '1.0', valid, videos: linted.checked, diagnostics: told };
    io.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    tellDiagnostics(diagnostics, project.source, options, io);
    if (valid) io.stdout.write(lintText(linted));
  }
  return valid ? EXIT.ok : EXIT.error;
}
