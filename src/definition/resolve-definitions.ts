import { type Check, type Diagnostic, errorAt, sortDiagnostics } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import { type DefinitionFile, readDefinitionFile, unreadable } from './definition-file.ts';
import { extend } from './extend.ts';
import type { FileUse } from './read-video.ts';
import { type Candidate, type ResolvedRows, type RowContext, resolveRows } from './resolve-rows.ts';
import { isFragment, type Video, type VideoId } from './video.ts';

export interface DefinitionContext extends RowContext {
  /** Validates a single file before it is merged and filled in. */
  readonly checkFile: Check;
}

export interface Resolved {
  /** Sorted by id, each with the local files that it uses. */
  readonly videos: readonly { readonly video: Video; readonly files: readonly FileUse[] }[];
  /** Definition file → all files that it was read from: itself, its fragments, its data. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  /** Local files of definitions that have other problems. */
  readonly otherFiles: readonly FileUse[];
  /** Sorted by file and position, without duplicates. */
  readonly diagnostics: readonly Diagnostic[];
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
  for (const path of [...paths].sort(byCodeUnit)) {
    const read = new Set([path]);
    const noted = <T>(one: (other: string) => T): ((other: string) => T) => {
      return (other) => {
        read.add(other);
        return one(other);
      };
    };
    const file = load(path);
    if (file === null) {
      diagnostics.push(unreadable(path, 'missing', { file: path, start: 0, end: 0 }));
      continue;
    }
    const extended = extend(file, noted(load));
    const fragments = [...read].slice(1);
    diagnostics.push(...extended.diagnostics);
    const isVideo = extended.root !== null && !isFragment(path);
    const resolved = isVideo ? resolveRows(path, extended.root, { ...context, read: noted(context.read) }) : NO_ROWS;
    origins.set(path, [...read]);
    diagnostics.push(...resolved.diagnostics.map((one) => withFragments(one, fragments)));
    // With a problem in one of the files, the merged video may lack a property.
    const whole = extended.diagnostics.length === 0;
    candidates.push(...resolved.candidates.map((one) => (whole ? one : { ...one, video: null })));
  }
  const doubled = duplicateIds(candidates);
  const isGood = ({ video }: Candidate): boolean => video !== null && !doubled.ids.has(nameOf(video.id));
  return {
    videos: candidates
      .filter(isGood)
      .map(({ video, files }) => ({ video: video!, files }))
      .sort((a, b) => byCodeUnit(a.video.id, b.video.id)),
    origins,
    otherFiles: candidates.filter((one) => !isGood(one)).flatMap(({ files }) => files),
    diagnostics: sortDiagnostics([...diagnostics, ...doubled.diagnostics, ...sharedDestinations(candidates)]),
  };
}

const NO_ROWS: ResolvedRows = { candidates: [], diagnostics: [] };

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
    const other = first.get(nameOf(id));
    if (other === undefined) {
      first.set(nameOf(id), { ...candidate, id });
      continue;
    }
    ids.add(nameOf(id));
    const differs = other.id === id ? '' : `, which differs from ${JSON.stringify(id)} only in case`;
    // A row does not show which definition uses it.
    const maker =
      at.file === path || other.path === path ? '' : `${path} creates the video ${JSON.stringify(id)}, but `;
    const message = `${maker}${other.path} already has a video ${JSON.stringify(other.id)}${differs}`;
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
    for (const { to, filled, at } of destinations.flatMap((one) => one.filled.map((filled) => ({ ...one, filled })))) {
      const other = first.get(filled);
      first.set(filled, other ?? video.id);
      if (other === undefined || other === video.id || to.includes('{fingerprint}')) continue;
      const message = `deliver: ${JSON.stringify(other)} and ${JSON.stringify(video.id)} have the same destination ${filled}`;
      const hint = 'Add {id} or {fingerprint}';
      diagnostics.push(errorAt('destination_taken', at, message, hint));
    }
  }
  return diagnostics;
}
