import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { LocaleTexts } from '../definition/locale-texts.ts';
import type { LeftOutVideo, VideoId } from '../definition/video.ts';
import type { Config } from '../project/config.ts';
import type { FileSeen, FolderSeen } from '../project/read-log.ts';
import { schemaPath, specPath } from '../project/repository-layout.ts';

/**
 * Content of the plan cache: stat data of every file and folder that was read, and the results. Repositories with
 * errors are not cached.
 */
export interface CachedState {
  readonly config: Config;
  /** All templates that reelform.yaml names, by name. */
  readonly templates: ReadonlyMap<string, CachedTemplate>;
  /** Every file that was read, by repository-relative path. */
  readonly files: ReadonlyMap<string, Trusted<FileSeen>>;
  /** Every folder that was listed, by repository-relative path; `''` for the root. */
  readonly folders: ReadonlyMap<string, Trusted<FolderSeen>>;
  /** Parents of the files that were not listed themselves. They must stay folders, not links. */
  readonly parentDirs: readonly string[];
  /** Paths that were looked up and did not exist. */
  readonly absent: readonly string[];
  readonly definitions: ReadonlyMap<string, CachedDefinition>;
  /** The last complete plan; null when it may be outdated. */
  readonly lastPlan: LastPlan | null;
}

/** Stat data, and whether it alone can prove later that nothing changed. */
export type Trusted<T> = T & { readonly isTrusted: boolean };

export interface CachedTemplate {
  readonly diagnostics: readonly Diagnostic[];
  /** Labels of its editables by key, without editables that have no label. */
  readonly labels: Readonly<Record<string, string>>;
}

/** A definition file, or a fragment, without errors. */
export interface CachedDefinition {
  readonly path: string;
  /** Files that it was read from: the definition file, then fragments and data. */
  readonly origins: readonly string[];
  /** Local files that its videos use. */
  readonly assets: readonly string[];
  /** Names of the templates that its videos use. */
  readonly templates: readonly string[];
  readonly ids: readonly VideoId[];
  /** Videos that their condition leaves out. */
  readonly leftOut: readonly LeftOutVideo[];
  /** What its videos do not have in their locale. */
  readonly texts: readonly LocaleTexts[];
  /** The first 48 bits of each video's fingerprint. Different prefixes prove that fingerprints differ. */
  readonly fingerprintPrefixes: readonly number[];
  /** The first 32 bits of the digest of each destination of its videos. */
  readonly destinations: readonly number[];
  /** Its videos: their position in the cache file, or their text when they are new. */
  readonly videos: RecordRange | string;
  /**
   * Position of each video's entry in the lockfile, when the last plan had nothing to do for any of its videos; otherwise
   * null.
   */
  readonly upToDate: readonly TextRange[] | null;
}

/** A record in the cache file: offset and length in bytes, and the first 48 bits of its SHA-256. */
export type RecordRange = readonly [offset: number, length: number, sum: number];

/** A half-open range of bytes. */
export type TextRange = readonly [start: number, end: number];

/** A local file, and its size when it was accepted as complete; -1 when it was missing or damaged. */
export type SeenOutput = readonly [path: string, sizeBytes: number];

export interface LastPlan {
  /** True if the plan had nothing to do. */
  readonly isEmpty: boolean;
  /** The compared lockfile; null when there was none. */
  readonly lock: Trusted<Pick<FileSeen, 'tuple' | 'sha256'>> | null;
  /** The journal that was read; null when there was none. */
  readonly journal: Trusted<Pick<FileSeen, 'tuple'>> | null;
  /** Local files of all videos in the lockfile. */
  readonly outputs: readonly SeenOutput[];
  /** Lockfile entries without a definition that is up to date. */
  readonly unmatchedEntries: readonly (readonly [id: string, ...TextRange])[];
}

/** Checks whether a path belongs to a template, or affects its measurements. */
export function isOfTemplate(path: string, name: string, config: Config): boolean {
  const template = config.templates.get(name);
  const folders =
    template?.kind === 'package' ? [template.path, ...(config.fonts === null ? [] : [config.fonts.path])] : [];
  return (
    folders.some((folder) => path === folder || path.startsWith(`${folder}/`)) ||
    path === specPath(name) ||
    path === schemaPath(name)
  );
}

/** Returns definitions by the path of their file. */
export function byPath(definitions: readonly CachedDefinition[]): Map<string, CachedDefinition> {
  return new Map(definitions.map((definition) => [definition.path, definition]));
}
