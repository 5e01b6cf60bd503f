import type { Diagnostic } from '../diagnostic.ts';
import type { Config } from '../project/config.ts';
import type { FileSeen, FolderSeen } from '../project/read-log.ts';
import type { DefinitionTable } from './definition-table.ts';
import type { TextRange } from './remembered-definition.ts';

/**
 * What planning remembers of a repository: in which state its files were when they were read, and what came of them. A
 * repository with a mistake is never remembered.
 */
export interface Memory {
  readonly config: Config;
  /** By name; all that reelform.yaml names. */
  readonly templates: ReadonlyMap<string, RememberedTemplate>;
  /** Every file that was read, by repository-relative path. */
  readonly files: ReadonlyMap<string, Trusted<FileSeen>>;
  /** Every folder that was listed. */
  readonly folders: ReadonlyMap<string, Trusted<FolderSeen>>;
  /** Folders on the way to files: they have to be folders, and not links. */
  readonly ways: readonly string[];
  /** Looked for, and not there. */
  readonly absent: readonly string[];
  readonly definitions: DefinitionTable;
  /** What came of the last plan of everything; null when nothing of it is certain any more. */
  readonly outcome: Outcome | null;
}

/** A state that was seen, and whether its tuple alone shows later that it is still so. */
export type Trusted<T> = T & { readonly isTrusted: boolean };

export interface RememberedTemplate {
  /** Of all in it that a definition can depend on. */
  readonly digest: string;
  readonly diagnostics: readonly Diagnostic[];
  /** What people call its editables, by key; those alone that have a name. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Local files, and the size that each had when it was accepted as whole; -1 where it was missing or damaged. */
export interface SeenOutputs {
  readonly paths: readonly string[];
  readonly sizes: Float64Array;
}

export interface Outcome {
  /** Whether the plan had nothing to do. */
  readonly isEmpty: boolean;
  /** The lockfile that it was compared with; null when there was none. */
  readonly lock: Trusted<Pick<FileSeen, 'tuple' | 'sha256'>> | null;
  /** The journal that it looked at; null when there was none. */
  readonly journal: Trusted<Pick<FileSeen, 'tuple'>> | null;
  /** The local files of all videos of the lockfile. */
  readonly outputs: SeenOutputs;
  /** The entries of the lockfile that belong to no settled definition. */
  readonly loose: readonly (readonly [id: string, ...TextRange])[];
}
