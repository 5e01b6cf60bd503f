import type { CueChange } from '../contract/captions/cue.ts';
import type { PreviewProblem } from './problem-protocol.ts';

export type { CueChange } from '../contract/captions/cue.ts';

/** Sets values of a definition, or removes them with null. Comments, order and style of the file are kept. */
export interface EditRequest {
  readonly id: string;
  readonly changes: readonly FieldEdit[];
}

/** A value of a definition: of an editable, or of a property such as `title` (`path: ['title']`). */
export interface FieldEdit {
  /** Keys from the top of the definition, such as `['resources', 't_01']`. */
  readonly path: readonly string[];
  readonly value: string | number | boolean | Readonly<Record<string, string | number | boolean>> | null;
}

/** Changes the list of scenes of a definition. Indexes count from 0. */
export interface SceneListRequest {
  readonly id: string;
  readonly edit:
    | { readonly kind: 'move'; readonly from: number; readonly to: number }
    | { readonly kind: 'remove'; readonly index: number }
    /** A scene of this template, filled with the template's own values. */
    | { readonly kind: 'add'; readonly index: number; readonly template: string };
}

/** Changes cues of a file of captions, or of a list in a definition. Everything else of the file is kept. */
export interface CueRequest {
  readonly id: string;
  /** Repository-relative. */
  readonly path: string;
  readonly changes: readonly CueChange[];
}

/** Lets a voice speak the text of a track, also if it was spoken before. */
export interface SpeakRequest {
  readonly id: string;
  /** Keys of the track from the top of the definition. */
  readonly path: readonly string[];
}

/** Changes of a CSV file. Rows and columns count from 0, without the header; `removed` and `added` apply after the cells. */
export interface RowEditRequest {
  readonly path: string;
  readonly cells: readonly { readonly row: number; readonly column: string; readonly value: string }[];
  readonly removed?: readonly number[];
  readonly added?: readonly Readonly<Record<string, string>>[];
}

export interface NewVideoRequest {
  readonly template: string;
  /** Id, which is also the path below the folder of the definitions. */
  readonly id: string;
}

export interface DuplicateRequest {
  readonly id: string;
  readonly newId: string;
}

export interface EditAnswer {
  /** Undoes the edit once, if its files were not changed since. */
  readonly undo: string;
  /** Files that were written, repository-relative. */
  readonly files: readonly string[];
  /** Problems that the written files have now. */
  readonly problems: readonly PreviewProblem[];
}

export interface UploadAnswer {
  /** Path of the new file, repository-relative, to be used as a value. */
  readonly path: string;
  readonly undo: string;
}
