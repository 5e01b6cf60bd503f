import type { EditableKind } from '../contract/fields/editable-kinds.ts';
import type { PreviewError, PreviewProblem } from './problem-protocol.ts';
import type { CueBlock, LeftOutScene, SceneBlock, SoundBlock } from './timeline-protocol.ts';

/**
 * The JSON that the preview page and its local server exchange. Types only, so that both sides can load it.
 *
 * | request | answer |
 * |---|---|
 * | `GET /?token=T` | sets the session cookie and redirects to `/`; every other request needs the cookie |
 * | `GET /api/state` | `PreviewState` |
 * | `GET /api/events` | server-sent events: `state` with a `StateChange`, `run` with a `RunEvent`, `draft` with a `DraftEvent` |
 * | `GET /api/video?id=` | `VideoDetail` |
 * | `GET /api/lint?id=` | `LintMark[]`; linting draws the video, so it is asked for separately |
 * | `GET /api/still/<fingerprint>/<frame>.<png\|jpeg>?width=` | a frame; PNG without `width` equals `reelform render --frame`. JPEG shows transparency as squares |
 * | `GET /api/draft/<fingerprint>` | `DraftState`; begins to render the draft |
 * | `GET /api/draft/<fingerprint>/<segment>.mp4` | a segment of the draft as a fragmented MP4 with its part of the sound; waits until it is rendered |
 * | `GET /api/sounds/<fingerprint>` | `SoundGraphs`, without the sounds of a silent video |
 * | `GET /api/mix/<fingerprint>` | `MixGraph`; null for a silent video |
 * | `GET /api/finished?id=` | the finished file, with range requests |
 * | `GET /api/file?path=` | an image, clip or sound that a video uses |
 * | `GET /api/template?name=` | `TemplateDetail` |
 * | `GET /api/template-check?name=` | `PreviewProblem[]`: what `reelform template check` reports |
 * | `GET /api/rows?path=` | `RowTable` of a data file that a definition names |
 * | `GET /api/languages?definition=&row=` | `LanguageTable`; the first row without `row` |
 * | `GET /api/plan` | `PlanSummary`; `GET /api/plan.html` is the report as a page |
 * | `POST /api/edit` | `EditRequest` → `EditAnswer` |
 * | `POST /api/scenes` | `SceneListRequest` → `EditAnswer` |
 * | `POST /api/cues` | `CueRequest` → `EditAnswer` |
 * | `POST /api/translation` | `TranslationRequest` → `EditAnswer` |
 * | `POST /api/speak` | `SpeakRequest` → `{}` when the voice has spoken; the code of a failure is `speech_failed` |
 * | `POST /api/rows` | `RowEditRequest` → `EditAnswer` |
 * | `POST /api/new` | `NewVideoRequest` → `EditAnswer` |
 * | `POST /api/duplicate` | `DuplicateRequest` → `EditAnswer` |
 * | `POST /api/undo` | `{undo}` → `EditAnswer`, whose own token redoes the edit |
 * | `POST /api/upload?name=` | the bytes of a file → `UploadAnswer` |
 * | `POST /api/open` | `SourcePosition` → `{}`; opens the file in the user's editor |
 * | `POST /api/apply` | `ApplyRequest` → `RunState` |
 * | `POST /api/cancel` | `{}` → `RunState`; stops as Ctrl-C does: running renders finish and are recorded |
 *
 * A refused request has a status of 400 or more and a `PreviewError`. Requests with POST need the `Origin` of the page and, except
 * for uploads, the content type `application/json`.
 */
export interface PreviewState {
  /** Increases with every change. */
  readonly revision: number;
  /** Name of the repository's folder. */
  readonly name: string;
  readonly version: string;
  /** `embedded`, or the origin of a service. */
  readonly service: string;
  /** Sorted by id. */
  readonly videos: readonly VideoCard[];
  readonly templates: readonly TemplateCard[];
  /** All diagnostics of the repository. Those with a definition's file also affect its cards. */
  readonly problems: readonly PreviewProblem[];
  /** Null while the repository has errors. */
  readonly plan: PlanSummary | null;
  /** Null if nothing was applied from this page. */
  readonly run: RunState | null;
  /** The process that holds the run lock, such as an apply in a terminal; null if there is none. */
  readonly otherRun: string | null;
  /** False for a static gallery: nothing can be edited, applied or drawn. */
  readonly isLive: boolean;
}

/** The fields of `PreviewState` that have changed; `videos` has only new and changed cards. */
export interface StateChange extends Partial<Omit<PreviewState, 'revision' | 'videos'>> {
  readonly revision: number;
  readonly videos?: readonly VideoCard[];
  readonly removedVideos?: readonly string[];
}

/**
 * State of a video against the lockfile. `new` and `changed` would be rendered; `other` needs a change without a render, such
 * as a move or a delivery; `invalid`: its definition has errors, and `waiting`: speech is missing; the card shows its last valid state.
 */
export type CardState = 'new' | 'changed' | 'other' | 'up_to_date' | 'failed' | 'running' | 'invalid' | 'waiting';

export interface VideoCard {
  readonly id: string;
  readonly title: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Path of the definition. */
  readonly path: string;
  /** The definition and the row of a video in several languages; absent for other videos. */
  readonly languages?: { readonly definition: string; readonly row: string };
  readonly template: string;
  readonly state: CardState;
  /** Action and reason of the plan; null when nothing is to be done. */
  readonly action: string | null;
  readonly reason: string | null;
  /** Names the content: part of the addresses of stills and drafts. */
  readonly fingerprint: string;
  /** Fingerprint of the lock entry, for stills of the earlier content; null if there is none or it cannot be drawn. */
  readonly beforeFingerprint: string | null;
  /** Null if only the service has the template, so that nothing can be drawn here. */
  readonly picture: PictureMeasures | null;
  /** Frame of the still that shows the video best. */
  readonly posterFrame: number;
  /** While it runs: 0..100, and the segments of it. */
  readonly progress: VideoProgress | null;
  /** Reasons of the last failure. */
  readonly failures: readonly PreviewError[];
  readonly problems: readonly PreviewProblem[];
  readonly finished: FinishedFile | null;
}

/** Size and length of a video as the page shows it: its main file without a codec. */
export interface PictureMeasures {
  readonly width: number;
  readonly height: number;
  /** Frames per second; may be fractional. */
  readonly fps: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
  readonly hasSound: boolean;
}

export interface FinishedFile {
  /** Address of the page's server, or the URL that the service reported. */
  readonly url: string;
  /** `mp4`, `webm`, `gif` and so on. */
  readonly extension: string;
  readonly bytes: number | null;
  readonly renderedAt: string;
  readonly deliveries: readonly string[];
  /** Present if the file is a Git LFS pointer, which cannot be shown. */
  readonly isPointer?: true;
}

export interface VideoDetail {
  readonly card: VideoCard;
  readonly description: string | null;
  /** The template's stills, in its order. */
  readonly stills: readonly StillMark[];
  /** Segments of the file that an apply would render; empty for formats without segments. */
  readonly segments: readonly SegmentMark[];
  /** In their order; empty for a video of one template. */
  readonly scenes: readonly SceneBlock[];
  /** Tracks of the video and of its scenes. */
  readonly sounds: readonly SoundBlock[];
  /** Captions of the video and of its scenes. */
  readonly cues: readonly CueBlock[];
  readonly leftOut: readonly LeftOutScene[];
  /** Changes since the lock entry. */
  readonly inputs: readonly InputDifference[];
  readonly fields: readonly FieldDifference[];
  readonly form: readonly FormField[];
  /** Definition, and the files that it is made from: fragments and data. */
  readonly sources: readonly DefinitionSource[];
  /** The rows of `each`, if the video is a row. */
  readonly row: RowReference | null;
  /** Earlier renderings, the newest first. */
  readonly history: readonly HistoryEntry[];
}

export interface StillMark {
  readonly name: string;
  readonly frame: number;
}

/** Half-open range of frames. */
export interface SegmentMark {
  readonly first: number;
  readonly end: number;
  /** Whether the segment cache has it, so that an apply does not render it. */
  readonly isCached: boolean;
}

/** The value of an editable before and after, as in the lockfile; null when it is not filled. */
interface InputDifference {
  readonly key: string;
  readonly label: string | null;
  readonly kind: string | null;
  readonly before: string | null;
  readonly after: string | null;
}

interface FieldDifference {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

export interface DefinitionSource {
  readonly path: string;
  readonly role: 'definition' | 'fragment' | 'data';
  /** Null if it cannot be read. */
  readonly text: string | null;
}

/** Position in a file of the repository; lines and columns start at 1. */
export interface SourcePosition {
  readonly path: string;
  readonly line: number;
  readonly column: number;
}

/** Kinds of editables that have values. */
export type FieldKind = Exclude<EditableKind, 'captions'>;

/** An editable of a template, with its value in the definition. */
export interface FormField {
  readonly key: string;
  /** Id of the scene; null in a video of one template. */
  readonly scene: string | null;
  /** Keys of the value from the top of the definition. */
  readonly path: readonly string[];
  readonly label: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** Unicode code points. */
  readonly maxLength: number | null;
  /** Pixels of the area that an image fills. */
  readonly width: number | null;
  readonly height: number | null;
  /** Fonts to choose from; empty for other kinds. */
  readonly fonts: readonly string[];
  /** Frame on which it is best seen. */
  readonly frame: number;
  /** Text, `#RRGGBB` with or without alpha, number, `10, 20`, `#FF0000 0%, #00FF00 100%`, path or URL, or name of a font; null when it is not filled. */
  readonly value: string | null;
  /** Crop, focus, trim and volume as in the definition; empty when there is none. */
  readonly transform: Readonly<Record<string, string | number | boolean>>;
  /** The template's own value. */
  readonly example: string | null;
  /** Location of the value, and what an edit changes: the definition (also for a value of a fragment), or a cell of a row. */
  readonly origin: { readonly kind: 'own' | 'fragment' | 'row' | 'none'; readonly at: SourcePosition | null };
  /** The cell of a CSV file that an edit changes; null if it changes `path`. */
  readonly cell: FieldCell | null;
  /** False for a value of a row that has to be edited where it is written: one of several cells, or of another data file. */
  readonly isEditable: boolean;
  /** Problems of the value, which are also those of the card. */
  readonly problems: readonly PreviewProblem[];
}

/** A cell of a CSV file that is a whole value. */
export interface FieldCell {
  /** Repository-relative. */
  readonly path: string;
  /** From 0, without the header. */
  readonly row: number;
  readonly column: string;
}

/** A visible defect. */
export interface LintMark {
  readonly code: string;
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly hint: string | null;
  /** Null for a finding of the whole picture. In a video of several scenes, that of its scene is in front. */
  readonly editable: string | null;
  /** Id of the scene that it concerns; null for the whole video, and in a video of one template. */
  readonly scene: string | null;
  readonly frame: number;
  readonly seconds: number;
  /** Where the finding is on that frame, in shares 0..1 of the picture; null if it is not known. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number } | null;
}

export interface HistoryEntry {
  readonly renderedAt: string;
  readonly commit: string | null;
  readonly title: string;
}

/** A small, quickly encoded version of the video. Segments are listed in order; the first ones are rendered first. */
export interface DraftState {
  readonly fingerprint: string;
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly frameCount: number;
  /** Seconds by which all times in the segments are later than in the video. */
  readonly leadSeconds: number;
  readonly segments: readonly { readonly first: number; readonly end: number; readonly isReady: boolean }[];
  readonly error: PreviewError | null;
}

/** Sent when a segment of a requested draft is rendered. */
export interface DraftEvent {
  readonly fingerprint: string;
  readonly state: DraftState;
}

export interface TemplateCard {
  readonly name: string;
  /** Folder or file; null for a template of a service. */
  readonly folder: string | null;
  readonly title: string;
  readonly picture: PictureMeasures | null;
  readonly posterFrame: number;
  /** Fingerprint under which the template is drawn with the given texts; null if it cannot be drawn here. */
  readonly fingerprints: Readonly<Record<TextVariant, string>> | null;
  readonly videoCount: number;
  readonly problems: readonly PreviewProblem[];
}

/** Texts that a template is drawn with: its own, as long as allowed, none, or right to left. */
export type TextVariant = 'example' | 'longest' | 'empty' | 'rtl';

export interface TemplateDetail {
  readonly card: TemplateCard;
  readonly description: string | null;
  readonly stills: readonly StillMark[];
  /** Values are the template's own. */
  readonly editables: readonly FormField[];
  readonly fonts: readonly string[];
  /** Files of the package, relative to its folder. */
  readonly files: readonly string[];
}

export interface RowReference {
  /** Data file, repository-relative. */
  readonly path: string;
  /** Index of the row, from 0; null if it is not known. */
  readonly index: number | null;
}

export interface RowTable {
  readonly path: string;
  /** False for JSON and YAML, which are shown only. */
  readonly isEditable: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Videos of the definitions that use the file, by row. */
  readonly ids: readonly (string | null)[];
}

/** Names the change counts as the plan does: `create`, `update`, `move`, `adopt`, `restore`, `relabel`, `deliver`, `forget`, `noop`. */
export interface PlanSummary {
  /** Equal plans have equal ids. An apply names the plan that the user saw. */
  readonly id: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly renders: number;
  /** Seconds of finished video; null if unknown. */
  readonly videoSeconds: number | null;
  readonly cost: { readonly currency: string; readonly amount: number } | null;
  readonly segments: { readonly total: number; readonly toRender: number } | null;
  readonly problems: readonly PreviewProblem[];
}

export interface ApplyRequest {
  /** `PlanSummary.id` that the user confirmed. Refused with `plan_stale` if the plan has changed. */
  readonly plan: string;
}

export interface VideoProgress {
  readonly percent: number;
  readonly segments: { readonly done: number; readonly total: number; readonly reused: number } | null;
}

export interface RunState {
  readonly status: 'starting' | 'running' | 'stopping' | 'done' | 'failed';
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Sentences about the end of the run. */
  readonly messages: readonly PreviewError[];
}

/** Progress of a video, or the state of the whole run. */
export type RunEvent =
  | { readonly kind: 'video'; readonly id: string; readonly progress: VideoProgress }
  | { readonly kind: 'run'; readonly run: RunState };
