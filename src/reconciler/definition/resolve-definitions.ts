import { defined } from '../../kernel/defined.ts';
import {
  type Check,
  type Diagnostic,
  errorAt,
  hasErrors,
  type Result,
  sortDiagnostics,
  startOf,
} from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { child } from '../../kernel/yaml/tree.ts';
import type { Catalogue } from '../locales/catalogue.ts';
import { catalogueFile, type LocaleSettings } from '../locales/locale-settings.ts';
import { type DefinitionFile, type FileText, readDefinitionFile, unreadable } from './definition-file.ts';
import { extend } from './extend.ts';
import { type FilledValues, isUnfilled } from './filled-values.ts';
import type { LocaleTexts } from './locale-texts.ts';
import type { FileUse } from './read-scene.ts';
import type { Candidate } from './read-video.ts';
import { NO_ROWS, type RowContext, resolveRows, rowReader } from './resolve-videos.ts';
import type { Languages, OnText } from './translate-definition.ts';
import { isFragment, type LeftOutVideo, type Video, type VideoId } from './video.ts';

export interface DefinitionContext extends RowContext {
  /** Validates a single file before it is merged and filled in. */
  readonly checkFile: Check;
  /** `locales` of reelform.yaml; null or absent without. */
  readonly locales?: LocaleSettings | null;
  /** `locales` of reelform.yaml has a mistake: videos of definitions with `locales` are not known. */
  readonly hasUnreadLocales?: boolean;
  /** Reads a catalogue; required where `locales` is. */
  readonly readCatalogue?: ReadCatalogue;
  /** Receives each text that is looked up in a catalogue. */
  readonly onText?: OnText;
  /** Receives each catalogue that a definition is translated with. */
  readonly onCatalogue?: OnCatalogue;
}

/** @param catalogue null if the file does not exist or has a mistake */
export type OnCatalogue = (file: string, catalogue: Catalogue | null) => void;

/** Reads the text of a catalogue. */
export type ReadCatalogue = (file: string, text: string) => Result<Catalogue>;

export interface Resolved {
  /** Sorted by id, each with the local files that it uses. */
  readonly videos: readonly { readonly video: Video; readonly files: readonly FileUse[] }[];
  /** Without videos whose values are all written in their definitions. */
  readonly filled: ReadonlyMap<VideoId, FilledValues>;
  /** Definition file → all files that it was read from: itself, its fragments, its data. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  /** Videos and definitions that gave no video because of a problem. */
  readonly invalid: readonly InvalidVideo[];
  /** Videos that conditions leave out, sorted by id. One that a row leaves out may be in `videos` by another row. */
  readonly leftOut: readonly LeftOutVideo[];
  /** What videos do not have in their locale, sorted by id; those that wait are in no other list. */
  readonly texts: readonly LocaleTexts[];
  /**
   * Files, fonts and columns that videos take from other locales, sorted by file and position. Not part of `diagnostics`, because they
   * are no mistakes.
   */
  readonly fallbacks: readonly Diagnostic[];
  /** Local files of invalid definitions. */
  readonly otherFiles: readonly FileUse[];
  /** Sorted by file and position, without duplicates. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A video that has a problem. */
export interface InvalidVideo {
  /** Null if it is unknown, for example because the definition cannot be read. */
  readonly id: VideoId | null;
  /** The definition's file, repository-relative. */
  readonly path: string;
}

/**
 * Resolves definition files to videos and diagnostics. A file or row with a problem gives no video and does not affect
 * others. The result does not depend on the order of the paths.
 *
 * @param paths repository-relative, including fragments
 */
export function resolveDefinitions(paths: readonly string[], context: DefinitionContext): Resolved {
  const loaded = new Map<string, DefinitionFile | null>();
  const load = (path: string): DefinitionFile | null => {
    const known = loaded.get(path);
    if (known !== undefined) return known;
    const text = context.read(path);
    const missing = !text.ok && text.reason === 'missing';
    const file = missing ? null : readDefinitionFile(path, text, context.checkFile);
    loaded.set(path, file);
    return file;
  };
  const candidates: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const origins = new Map<string, readonly string[]>();
  const unread: InvalidVideo[] = [];
  const filtered: LeftOutVideo[] = [];
  const catalogues = new Catalogues(context, diagnostics);
  for (const path of [...paths].sort(byCodeUnit)) {
    const read = new Set([path]);
    const recording = <T>(loadFile: (file: string) => T): ((file: string) => T) => {
      return (file) => {
        read.add(file);
        return loadFile(file);
      };
    };
    const extended = extend(path, recording(load));
    if (extended === null) {
      diagnostics.push(unreadable(path, 'missing', startOf(path)));
      if (!isFragment(path)) unread.push({ id: null, path });
      continue;
    }
    const fragments = [...read].slice(1);
    diagnostics.push(...extended.diagnostics);
    const isUnknown = context.hasUnreadLocales === true && child(extended.root, 'locales') !== null;
    const isVideo = extended.root !== null && !isFragment(path) && !isUnknown;
    const rows = isVideo
      ? resolveRows(path, extended.root, {
          rows: rowReader(recording(context.read)),
          languages: catalogues.languages(recording(context.read), { isWhole: extended.diagnostics.length === 0 }),
          ...context,
          read: recording(context.read),
        })
      : NO_ROWS;
    origins.set(path, [...read]);
    const resolved = rows.candidates;
    const problems = [...rows.diagnostics, ...resolved.flatMap((candidate) => candidate.diagnostics)];
    diagnostics.push(...problems.map((problem) => withFragments(problem, fragments)));
    if (extended.diagnostics.length === 0) filtered.push(...rows.filtered);
    // With a problem in one of the files, the merged video may lack a property.
    const whole = extended.diagnostics.length === 0;
    candidates.push(...resolved.map((candidate) => (whole ? candidate : { ...candidate, video: null, leftOut: null })));
    const isRead = isVideo && whole && !hasErrors(rows.diagnostics);
    if (!isFragment(path) && !isRead && resolved.length === 0) unread.push({ id: null, path });
    // Its tree is larger than its videos. In the rare case that another definition extends it, it is read again.
    if (!isFragment(path)) loaded.delete(path);
  }
  const left = candidates.flatMap(({ id, path, leftOut }) => (leftOut === null || id === null ? [] : [{ id, path, reason: leftOut }])); // biome-ignore format: one line
  const texts = candidates.flatMap((candidate) => candidate.texts ?? []);
  const waiting = new Set(texts.filter(({ waits }) => waits).map(({ id }) => id));
  const shown = candidates.filter(({ id, leftOut }) => id === null || (leftOut === null && !waiting.has(id)));
  const doubled = duplicateIds(shown);
  const isGood = ({ video }: Candidate): boolean => video !== null && !doubled.ids.has(nameOf(video.id));
  return {
    videos: shown
      .filter(isGood)
      .map(({ video, files }) => ({ video: video!, files }))
      .sort((a, b) => byCodeUnit(a.video.id, b.video.id)),
    filled: new Map(shown.flatMap(({ id, filled }) => (id === null || isUnfilled(filled) ? [] : [[id, filled]]))),
    origins,
    invalid: [...unread, ...shown.filter((candidate) => !isGood(candidate)).map(({ id, path }) => ({ id, path }))],
    leftOut: [...left, ...filtered].sort((a, b) => byCodeUnit(a.id, b.id)),
    texts: texts.sort((a, b) => byCodeUnit(a.id, b.id)),
    fallbacks: sortDiagnostics(candidates.flatMap((candidate) => candidate.fallbacks ?? [])),
    otherFiles: shown.filter((candidate) => !isGood(candidate)).flatMap(({ files }) => files),
    diagnostics: sortDiagnostics([...diagnostics, ...doubled.diagnostics, ...sharedDestinations(shown)]),
  };
}

/** Reads each catalogue once. */
class Catalogues {
  readonly #context: DefinitionContext;
  readonly #problems: Diagnostic[];
  readonly #known = new Map<string, Catalogue | null>();

  /** @param problems receives those of catalogues */
  constructor(context: DefinitionContext, problems: Diagnostic[]) {
    this.#context = context;
    this.#problems = problems;
  }

  /**
   * @param read records that a definition depends on a catalogue
   * @param options.isWhole false for a definition that may lack a text, or have another, because of a problem in one of its files
   */
  languages(read: (path: string) => FileText, { isWhole }: { readonly isWhole: boolean }): Languages | null {
    const { locales = null } = this.#context;
    const onText = isWhole ? this.#context.onText : undefined;
    if (locales === null) return null;
    const catalogue = (locale: string): Catalogue | null => this.#catalogue(catalogueFile(locales, locale), read);
    const onProblem = (problem: Diagnostic): void => void this.#problems.push(problem);
    return { settings: locales, catalogue, onProblem, ...defined({ onText }) };
  }

  #catalogue(file: string, read: (path: string) => FileText): Catalogue | null {
    const text = read(file);
    const known = this.#known.get(file);
    if (known !== undefined) return known;
    const parsed = text.ok ? this.#context.readCatalogue?.(file, text.text) : undefined;
    if (!text.ok && text.reason !== 'missing') this.#problems.push(unreadable(file, text.reason, startOf(file)));
    if (parsed?.ok === false) this.#problems.push(...parsed.diagnostics);
    const catalogue = parsed?.ok ? parsed.value : null;
    this.#known.set(file, catalogue);
    this.#context.onCatalogue?.(file, catalogue);
    return catalogue;
  }
}

/** Extends the hint about a missing property by the fragments that it could be added to. */
function withFragments(diagnostic: Diagnostic, fragments: readonly string[]): Diagnostic {
  const { code, hint } = diagnostic;
  const isMissing = code === 'missing_property' || code === 'missing_editable';
  if (!isMissing || hint === undefined || fragments.length === 0) return diagnostic;
  return { ...diagnostic, hint: `${hint}, or add it to ${fragments.join(' or ')}` };
}

/** Ids name files, and some file systems ignore case. */
function nameOf(id: VideoId): string {
  return id.toLowerCase();
}

function duplicateIds(candidates: readonly Candidate[]): { ids: ReadonlySet<string>; diagnostics: Diagnostic[] } {
  const first = new Map<string, Candidate & { id: VideoId }>();
  const ids = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const candidate of candidates) {
    const { id, at, path } = candidate;
    if (id === null) continue;
    const earlier = first.get(nameOf(id));
    if (earlier === undefined) {
      first.set(nameOf(id), { ...candidate, id });
      continue;
    }
    ids.add(nameOf(id));
    const differs = earlier.id === id ? '' : `, which differs from ${JSON.stringify(id)} only in case`;
    // A row does not show which definition uses it.
    const maker =
      at.file === path || earlier.path === path ? '' : `${path} creates the video ${JSON.stringify(id)}, but `;
    // Two rows of one definition: its path does not show which row is meant.
    const owner = earlier.path === path && earlier.row !== null ? earlier.row.name : earlier.path;
    const message = `${maker}${owner} already has a video ${JSON.stringify(earlier.id)}${differs}`;
    diagnostics.push(errorAt('duplicate_id', at, message, 'Change the id of one of them'));
  }
  return { ids, diagnostics };
}

/** Reports videos that would overwrite each other. With `{fingerprint}` in the name, equal names mean equal content. */
function sharedDestinations(candidates: readonly Candidate[]): Diagnostic[] {
  const first = new Map<string, VideoId>();
  const diagnostics: Diagnostic[] = [];
  for (const { video, destinations } of candidates) {
    if (video === null) continue;
    for (const { to, filled, at } of destinations.flatMap((written) =>
      written.filled.map((filled) => ({ ...written, filled })),
    )) {
      const earlier = first.get(filled);
      first.set(filled, earlier ?? video.id);
      if (earlier === undefined || earlier === video.id || to.includes('{fingerprint}')) continue;
      const message = `deliver: ${JSON.stringify(earlier)} and ${JSON.stringify(video.id)} have the same destination ${filled}`;
      const hint = 'Add {id} or {fingerprint}';
      diagnostics.push(errorAt('destination_taken', at, message, hint));
    }
  }
  return diagnostics;
}
