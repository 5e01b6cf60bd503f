import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { captionFormat } from '../../contract/captions/caption-file.ts';
import { type CueMove, fixCues } from '../../contract/captions/check-cues.ts';
import type { Cue } from '../../contract/captions/cue.ts';
import { type CueEdit, editCaptions } from '../../contract/captions/edit-captions.ts';
import { readCaptions } from '../../contract/captions/read-captions.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, EXIT, hasErrors, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, locateIn, type TreeNode } from '../../kernel/yaml/tree.ts';
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
    const text = await readFile(join(root, path), 'utf8');
    const edited = captionFormat(path) === null ? editDefinition(path, text, ofFile) : editFile(path, text, ofFile);
    if (options.yes === true) await writeLinkedFile(join(root, path), edited);
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
        // The times of words are those of their sound.
        if (cue.words !== undefined && captionFormat(at.file) === null) continue;
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

function editFile(path: string, text: string, moved: readonly MovedCue[]): string {
  // Locations do not count a byte order mark.
  const offset = text.startsWith('\ufeff') ? 1 : 0;
  const { cues } = readCaptions(path, text);
  const edits = moved.flatMap(({ at, move: { start, end } }): CueEdit[] => {
    const index = cues.findIndex((cue) => cue.at.start[0] - offset === at.start);
    return index === -1 ? [] : [{ kind: 'change', index, ...defined({ start, end }) }];
  });
  return editCaptions(path, text, edits);
}

/** Changes the times of cues that are written in a definition. */
function editDefinition(path: string, text: string, moved: readonly MovedCue[]): string {
  const offset = text.startsWith('\ufeff') ? 1 : 0;
  const parsed = parseYaml(path, text.slice(offset));
  if (!parsed.ok || parsed.value === null) return text;
  const items = [...cuesIn(parsed.value)];
  const replacements = moved.flatMap(({ at, move }) => {
    const item = items.find((node) => locateIn(node)([], 'value').span.start === at.start);
    return (['start', 'end'] as const).flatMap((edge) => {
      const [node, time] = [child(item ?? null, edge), move[edge]];
      return node?.kind === 'scalar' && time !== undefined ? [{ ...node.span, by: String(time) }] : [];
    });
  });
  replacements.sort((a, b) => b.start - a.start);
  return replacements.reduce((edited, { start, end, by }) => {
    return edited.slice(0, start + offset) + by + edited.slice(end + offset);
  }, text);
}

function* cuesIn(node: TreeNode): Generator<TreeNode> {
  if (node.kind === 'list') for (const item of node.items) yield* cuesIn(item);
  if (node.kind !== 'map') return;
  if (node.entries.has('start') && node.entries.has('end')) yield node;
  for (const { value } of node.entries.values()) yield* cuesIn(value);
}

function timesOf({ cue, at, move }: MovedCue): FixedTime[] {
  return (['start', 'end'] as const).flatMap((edge): FixedTime[] => {
    const after = move[edge];
    return after === undefined ? [] : [{ edge, before: cue[edge], after, text: cue.text, offset: at.start }];
  });
}
