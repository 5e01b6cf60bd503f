import type { Word } from '../../contract/captions/cue.ts';
import type { ScenePlacement, SceneSpec } from '../../contract/video-spec.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { type Check, type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Json } from '../../kernel/digest.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { remembered } from '../../kernel/memory.ts';
import { child, locateIn, type MapEntry, type MapNode, type TreeNode, textOf, toJson } from '../../kernel/yaml/tree.ts';
import type { SpokenText } from '../speech/spoken-text.ts';
import type { CaptionStyles } from './caption-styles.ts';
import { withoutConditions } from './conditional-values.ts';
import { isTextPath, resolvePath, unreadable } from './definition-file.ts';
import { withoutEmptyCells } from './empty-cells.ts';
import { type FilledValues, filledValues } from './filled-values.ts';
import { type LocalFiles, localFile, localFont } from './local-files.ts';
import type { TrackWords } from './place-captions.ts';
import { readCaptions, type WrittenCaptions } from './read-captions.ts';
import { readPlacement } from './read-placement.ts';
import { type KnownFonts, type Read, readAudioTransform, readFont, readResource, readSound } from './read-resource.ts';
import type { Row } from './read-rows.ts';
import { readSpoken, type SpeechContext, type SpokenTrack } from './read-spoken.ts';
import type { Source, VideoResource, VideoSound } from './video.ts';
import type { TimelineTemplate } from './video-timeline.ts';
import { readWords, speechOf } from './words-file.ts';

/** Properties of a template that definitions depend on. */
export interface VideoTemplate {
  readonly spec: StyleVersion;
  /** Validates a merged and filled-in definition. */
  readonly check: Check;
  readonly fonts: KnownFonts;
  /** Null if its size and length are not known, as of a service's style version. */
  readonly facts: TimelineTemplate | null;
}

export interface SceneContext extends SpeechContext, LocalFiles {
  /** Templates whose specification is available. */
  readonly templates: Pick<ReadonlyMap<string, VideoTemplate>, 'get'>;
  /** Names in reelform.yaml; `null` if it cannot be read. */
  readonly templateNames: readonly string[] | null;
  /** Validates a definition whose template is not available. */
  readonly checkAny: Check;
  /** Validates the properties that decide about the length and the place of scenes. */
  readonly checkPlacement: Check;
  /** Returns the path of a file as the disk stores it; by default as written. */
  readonly storedPath?: (path: string) => string;
  /** Styles of captions of reelform.yaml; only the built-in ones if absent, null if they are not known. */
  readonly captionStyles?: CaptionStyles | null;
}

/** A reference of a definition to a local file. */
export interface FileUse {
  readonly path: string;
  readonly at: Span;
  /** Name of the row that filled in the path, for messages. */
  readonly row?: string | undefined;
  /** The text whose speech the file is; absent for other files. */
  readonly spoken?: SpokenText;
  /** Files of parent locales that do not exist either; absent for files without a locale. */
  readonly tried?: readonly string[];
}

/** The values of a template in a definition, checked. */
export interface SceneReading {
  /** Null if the template is not available. */
  readonly template: VideoTemplate | null;
  readonly values: Pick<SceneSpec<Source>, 'resources' | 'fonts' | 'audio'>;
  /** Null if there are none, or if they have a problem. */
  readonly captions: WrittenCaptions | null;
  /** What is spoken in the tracks whose words are known. */
  readonly words: TrackWords;
  readonly placement: ScenePlacement;
  /** False if a property that decides about length or place has a problem; `placement` is then empty. */
  readonly isPlaced: boolean;
  /** The map without values that empty cells and conditions leave out, as JSON. */
  readonly json: { readonly [property: string]: Json };
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  readonly files: readonly FileUse[];
  readonly filled: FilledValues;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads the values of a template, and checks them against its specification.
 *
 * @param written filled in, without the properties of `withoutFileProperties`: a definition, or a scene of it
 * @param at location of the row, or of the video as a whole
 * @param row that filled it in
 * @param always properties that the check requires of a definition and that scenes lack
 */
export function readScene(
  written: MapNode,
  { at, row }: { readonly at: Span; readonly row: Row | null },
  context: SceneContext,
  always: { readonly [property: string]: Json } = {},
): SceneReading {
  const name = textOf(child(written, 'template'));
  const template = name === null ? null : (context.templates.get(name) ?? null);
  const conditional = withoutConditions(written, template?.spec ?? null, row);
  const filled = row === null || template === null ? null : withoutEmptyCells(conditional.root, at, template.spec);
  const { root, missing, diagnostics: empty } = filled ?? { root: conditional.root, missing: NONE_MISSING, diagnostics: [] }; // biome-ignore format: one case
  const locate = locateIn(root);
  const diagnostics: Diagnostic[] = [...conditional.diagnostics];
  if (name !== null && context.templateNames?.includes(name) === false) {
    diagnostics.push(unknownTemplate(name, context.templateNames, locate(['template'], 'value').span));
  }
  const json = toJson(root, isTextPath) as { readonly [property: string]: Json };
  const found = (template?.check ?? context.checkAny)({ resources: {}, ...always, ...json }, locate);
  diagnostics.push(...empty, ...(missing.size === 0 ? found : withoutEmpty(found, root, at, missing)));
  const { placement, misplaced } = readPlacement(json, () => context.checkPlacement(json, locate));
  diagnostics.push(...misplaced);
  const files: FileUse[] = [];
  const take = <T>(read: Read<T>): T | undefined => takeValue(read, { files, diagnostics, context });
  const resources = new Map<string, VideoResource>();
  const filledIn = child(root, 'resources');
  for (const [key, editable] of template === null ? [] : editablesOf(template.spec)) {
    const node = child(filledIn, key);
    const value = node !== null && editable.input_type === 'font' ? localFont(node, template!.fonts, context) : node;
    const resource =
      value === null || missing.has(key) ? undefined : take(readResource(value, editable, template!.fonts));
    if (resource !== undefined) resources.set(key, resource);
  }
  const isKnown = template !== null;
  const words: Map<string, readonly Word[]> = root.entries.has('audio') ? new Map() : NONE;
  const audio = mapOf(isKnown ? child(root, 'audio') : null, (node, track) =>
    readTrack(node, track, words, { files, diagnostics, context }),
  );
  const fonts = mapOf(isKnown ? child(root, 'fonts') : null, (node) => {
    return take(readFont(localFont(node, template!.fonts, context), template!.fonts));
  });
  return {
    template,
    values: { resources, fonts, audio },
    captions: captionsOf(root, found, { diagnostics, context }),
    words,
    placement,
    isPlaced: misplaced.length === 0,
    json,
    leftOut: conditional.leftOut,
    files,
    filled: filledValues(root),
    diagnostics,
  };
}

const NONE_MISSING: ReadonlySet<string> = new Set();
const editablesOf = remembered(({ editables }: StyleVersion) => Object.entries(editables));

/** Removes the problems of values of empty cells: the schema reports each once more, at the definition. @param at location of the row */
function withoutEmpty(
  found: readonly Diagnostic[],
  root: MapNode,
  at: Span,
  missing: ReadonlySet<string>,
): Diagnostic[] {
  const spans = [at, ...[...missing].map((key) => child(child(root, 'resources'), key)!.span)];
  return found.filter((problem) => !spans.some((span) => isInside(problem.at, span)));
}

/** Reads the tracks of a video. The schema has checked them. */
export function readTracks(
  root: MapNode,
  context: SceneContext,
): {
  readonly audio: ReadonlyMap<string, VideoSound>;
  readonly words: TrackWords;
  readonly files: readonly FileUse[];
  readonly diagnostics: readonly Diagnostic[];
} {
  // biome-ignore format: one line
  const files: FileUse[] = [];
  const diagnostics: Diagnostic[] = [];
  const words = new Map<string, readonly Word[]>();
  const audio = mapOf(child(root, 'audio'), (node, track) => {
    return readTrack(node, track, words, { files, diagnostics, context });
  });
  return { audio, words, files, diagnostics };
}

/** Reads captions that the schema has accepted. @param found problems of the definition or the scene */
export function captionsOf(
  root: MapNode,
  found: readonly Diagnostic[],
  { diagnostics, context }: Pick<Taking, 'diagnostics' | 'context'>,
): WrittenCaptions | null {
  const entry = root.entries.get('captions');
  const isIn = (span: Span): boolean => isInsideEntry(span, entry!);
  if (entry === undefined || found.some(({ at }) => at !== undefined && isIn(at))) return null;
  return readCaptions(
    root,
    { ...context, captionStyles: context.captionStyles === undefined ? new Map() : context.captionStyles },
    diagnostics,
  );
}

/** Returns whether a location is in the key or the value of an entry. */
export function isInsideEntry(at: Span | undefined, { keySpan, value }: MapEntry): boolean {
  if (at === undefined) return false;
  const { file, start } = at;
  const isInKey = file === keySpan.file && start >= keySpan.start && start < keySpan.end;
  return isInKey || (file === value.span.file && start >= value.span.start && start < value.span.end);
}

/** Where a value is read. */
interface Taking {
  readonly files: FileUse[];
  readonly diagnostics: Diagnostic[];
  readonly context: SceneContext;
}

/** Reads a sound, and the times of its words. @param spoken receives them */
function readTrack(
  node: TreeNode,
  track: string,
  spoken: Map<string, readonly Word[]>,
  taking: Taking,
): VideoSound | undefined {
  if (node.kind === 'map' && node.entries.has('speak')) {
    const read = readSpokenTrack(node, taking);
    if (read?.words != null) spoken.set(track, read.words);
    return read?.sound;
  }
  const sound = takeValue(readSound(node), taking);
  const words = child(node, 'words');
  if (sound === undefined || words?.kind !== 'scalar') return sound;
  const { diagnostics, context } = taking;
  const path = resolvePath(words.text, words.baseFile);
  if (!path.ok) {
    diagnostics.push(errorAt(path.code, words.span, path.message, path.hint));
    return undefined;
  }
  const local = localFile(words, path.path, context);
  const file = context.read(local.path);
  const read = file.ok
    ? readWords(local.path, file.text)
    : { ok: false as const, diagnostics: [unreadable(local.path, file.reason, words.span, local.tried)] };
  if (read.ok) {
    spoken.set(track, read.value);
    return { ...sound, speech: speechOf(read.value) };
  }
  diagnostics.push(...read.diagnostics);
  return undefined;
}

function readSpokenTrack(node: MapNode, { files, diagnostics, context }: Taking): SpokenTrack | undefined {
  const transform = readAudioTransform(node);
  const track = transform === null ? null : readSpoken(node, transform, context, diagnostics);
  if (track === null) return undefined;
  const written = child(node, 'speak')!;
  const row = written.kind === 'scalar' ? written.row : undefined;
  files.push(...track.files.map((path) => ({ path, at: written.span, row, spoken: track.spoken })));
  return track;
}

/** Returns a value, with the path of its file as the disk stores it; undefined if it has a problem. */
function takeValue<T>(read: Read<T>, { files, diagnostics, context }: Taking): T | undefined {
  if (read === null) return undefined;
  const filledBy = read.node.kind === 'scalar' ? read.node.row : undefined;
  if (!read.ok) {
    const { code, message, hint } = read;
    diagnostics.push(errorAt(code, read.node.span, inRow(message, filledBy), hint));
    return undefined;
  }
  const written = pathOf(read.value);
  if (written === null) return read.value;
  const found = localFile(read.node, written, context);
  const path = context.storedPath?.(found.path) ?? found.path;
  files.push({ path, at: read.node.span, row: filledBy, ...defined({ tried: found.tried }) });
  return path === written ? read.value : { ...read.value, source: { kind: 'file', path } satisfies Source };
}

function isInside(at: Span | undefined, { file, start, end }: Span): boolean {
  return at?.file === file && at.start >= start && at.start <= end;
}

function pathOf(value: unknown): string | null {
  const source = (value as { readonly source?: Source }).source;
  return source?.kind === 'file' ? source.path : null;
}

/** Appends the name of the row to a message about a value that it filled in. */
export function inRow(message: string, row: string | undefined): string {
  return row === undefined ? message : `${message} (${row})`;
}

/** Shared: most scenes have no tracks and no other fonts. */
const NONE = new Map<string, never>();

/** Reads the entries of a map in the order of their names, without invalid entries. */
function mapOf<T>(
  node: TreeNode | null,
  read: (value: TreeNode, name: string) => T | undefined,
): ReadonlyMap<string, T> {
  if (node?.kind !== 'map') return NONE;
  const entries = [...node.entries].sort(([a], [b]) => byCodeUnit(a, b));
  return new Map(
    entries.flatMap(([name, entry]): [string, T][] => {
      const value = read(entry.value, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Creates the diagnostic for a template that reelform.yaml does not name, with a suggestion. */
export function unknownTemplate(name: string, known: readonly string[], at?: Span): Diagnostic {
  const names =
    known.length > 0 ? `reelform.yaml has ${known.join(', ')}` : 'Define it under "templates" in reelform.yaml';
  const message = `reelform.yaml has no template ${JSON.stringify(name)}`;
  return errorAt('unknown_template', at, message, didYouMean(name, known) ?? names);
}
