import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { captionFormat } from '../../contract/captions/caption-file.ts';
import { type CueMove, fixCues } from '../../contract/captions/check-cues.ts';
import type { Cue, CueChange } from '../../contract/captions/cue.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, EXIT, hasErrors, ReelformError, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, textOf } from '../../kernel/yaml/tree.ts';
import { editCues, listedCue } from '../../reconciler/definition/edit-cues.ts';
import { idMatcher, unmatchedGlobs } from '../../reconciler/plan/select-changes.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { writeLinkedFile } from '../../reconciler/project/write-file.ts';
import { type CaptionFixes, captionFixText, type FixedTime } from '../../report/terminal/captions-text.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printConfigErrors, printDiagnostics, printResult } from '../output.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { captionsToCheck } from '../state/captions-to-check.ts';
import { withRunLock } from '../state/open-lock.ts';

interface FixOptions extends JsonOptions {
  readonly yes?: boolean;
}

/**
 * `reelform captions fix [ID…]`: moves times of cues to cuts and closes gaps, as the rules of the definitions ask for. Shows the changes,
 * and writes them with `--yes`. Changes times alone.
 */
export async function captionsFixCommand(globs: readonly string[], options: FixOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  return options.yes === true
    ? withRunLock(root, io, () => fix(root, globs, options, io))
    : fix(root, globs, options, io);
}

async function fix(root: string, globs: readonly string[], options: FixOptions, io: Io): Promise<number> {
  const project = await loadProject({ cwd: root });
  if (printConfigErrors(project, options, io)) return EXIT.error;
  const ids = project.videos.map(({ id }) => id as string);
  const moves = movesOf(project, globs.length === 0 ? () => true : idMatcher(globs));
  const diagnostics = [...unmatchedGlobs({ targets: globs, excludes: [] }, ids), ...moves.diagnostics];
  const files: CaptionFixes[] = [];
  for (const [path, ofFile] of moves.files) {
    if (options.yes === true) {
      const edited = editCues(path, await readFile(join(root, path), 'utf8'), ofFile.map(changeOf));
      if (edited === null)
        throw new ReelformError('changed_since_plan', `${path} was changed meanwhile`, { hint: 'Try again' });
      await writeLinkedFile(join(root, path), edited);
    }
    files.push({ path, times: ofFile.flatMap(timesOf) });
  }
  printDiagnostics(diagnostics, project.source, options, io);
  const isWritten = options.yes === true;
  const document = { format_version: '1.0', written: isWritten, files };
  printResult(document, () => captionFixText(files, { isWritten }), options, io);
  return hasErrors(diagnostics) ? EXIT.error : EXIT.ok;
}

/** A cue whose times change, and where it is written. */
interface MovedCue {
  readonly cue: Cue;
  readonly at: Span;
  readonly move: CueMove;
}

/** Returns the cues to change, by the file that has them. Of a cue that several videos use, the first decides. */
function movesOf(
  project: Project,
  isAsked: (id: string) => boolean,
): { readonly files: ReadonlyMap<string, readonly MovedCue[]>; readonly diagnostics: readonly Diagnostic[] } {
  const lengths = cachedLengths(project);
  const packageOf = (name: string) => project.templates.get(name)?.package ?? null;
  const moved = new Map<string, MovedCue>();
  const diagnostics: Diagnostic[] = [];
  for (const video of project.videos.filter(({ id }) => isAsked(id))) {
    for (const { captions, origins, context } of captionsToCheck(video, packageOf, lengths)) {
      for (const move of fixCues(captions.cues, context)) {
        const [cue, at] = [captions.cues[move.index]!, origins[move.index]!];
        // The times of words are those of their sound, and those of columns are in the data.
        const isListed = captionFormat(at.file) === null;
        if (isListed && (cue.words !== undefined || hasColumns(at, project))) continue;
        const key = `${at.file} ${at.start}`;
        const known = moved.get(key);
        if (known === undefined) moved.set(key, { cue, at, move });
        else if (known.move.start !== move.start || known.move.end !== move.end) {
          const message = `${video.id} would need other times of this cue than another video that uses it`;
          diagnostics.push(warningAt('caption_gap', at, message, 'Write a file for each of the videos'));
        }
      }
    }
  }
  return { files: groupBy(moved.values(), ({ at }) => at.file), diagnostics };
}

/** Returns whether a time of a cue of a definition is made from a column. */
function hasColumns({ file, start }: Span, { source }: Project): boolean {
  const parsed = parseYaml(file, source(file) ?? '');
  const node = parsed.ok ? (listedCue(parsed.value, start)?.node ?? null) : null;
  return ['start', 'end'].some((edge) => textOf(child(node, edge))?.includes('${') === true);
}

function changeOf({ at, move: { start, end } }: MovedCue): CueChange {
  return { kind: 'change', position: at.start, ...defined({ start, end }) };
}

function timesOf({ cue, at, move }: MovedCue): FixedTime[] {
  return (['start', 'end'] as const).flatMap((edge): FixedTime[] => {
    const after = move[edge];
    return after === undefined ? [] : [{ edge, before: cue[edge], after, text: cue.text, offset: at.start }];
  });
}
