import { byCodeUnit } from './digest.ts';

/** Exit codes of the command. */
export const EXIT = {
  ok: 0,
  error: 1,
  changes: 2,
  authentication: 3,
  renderFailed: 4,
  refused: 5,
  stale: 6,
  interrupted: 8,
  deadline: 9,
} as const;

/**
 * All error codes with their meaning. A code without an entry in the reference `schemas/README.md`, or without a test that
 * produces it, fails the test suite.
 */
export const CODES = {
  // The YAML text
  yaml_syntax: 'The text is not valid YAML',
  yaml_duplicate_key: 'A key stands twice in one map',
  yaml_unsupported: 'The file uses a YAML feature that definitions do not allow (tags, merge keys, non-string keys)',
  yaml_too_complex: 'The file is too large, too deep, or its aliases expand too far',

  // Definitions
  definition_ignored: 'A YAML file beside the definitions does not match `videos`',
  definition_empty: 'The file holds no definition',
  definition_invalid: 'A value has the wrong type or form',
  unknown_property: 'A property is not one that a definition or the configuration has',
  missing_property: 'A required property is absent',
  unknown_template: 'The template is not one that reelform.yaml names',
  unknown_editable: 'The template has no editable with this key',
  missing_editable: 'A required editable is not filled',
  wrong_kind: 'The value does not fit the kind of the editable',
  invalid_color: 'A colour is not 6 or 8 hexadecimal digits',
  text_too_long: 'A text is longer than its editable allows',
  unknown_font: 'A font is not one that the template or the repository carries, or may not be used there',
  invalid_url: 'A source is neither a path nor an http(s) URL',
  missing_file: 'A local file does not exist',
  path_outside: 'A path leads out of the repository',
  duplicate_id: 'Two videos have the same id',
  destination_taken: 'Two videos would be delivered to the same place',
  invalid_id: 'A video id holds characters that it may not',
  unknown_variable: 'A ${name} stands for no column of the row',
  extends_cycle: 'Definitions extend each other in a circle',
  data_invalid: 'A data file cannot be read as rows',

  // What a viewer would notice (`reelform lint`)
  glyph_missing: 'A text has characters that no font of the template draws',
  text_overflow: 'A text does not fit its box, or the edge of the picture cuts it',
  low_contrast: 'A text can hardly be told from what lies behind it',
  image_too_small: 'An image is enlarged until it looks soft',
  clip_ends_early: 'A clip is over before the layer that shows it, and its last picture stands',
  media_truncated: 'The file of a clip or a sound breaks off',
  lint_failed: 'What a viewer would notice of a video cannot be looked at',

  // Configuration, templates and schemas
  init_invalid: 'What a new repository is to be cannot be',
  config_missing: 'There is no reelform.yaml here or above',
  config_invalid: 'reelform.yaml has a wrong or missing value',
  template_invalid: 'A template package is not complete or not consistent',
  template_unsupported: 'An animation uses what the renderer does not draw',
  template_unseen: 'A still does not show what it should, or filling an editable changes no frame',
  image_too_large: 'An image of a template has far more pixels than are drawn',
  font_unlicensed: 'A template has fonts without their licence',
  folder_taken: 'The folder of a new template has files in it',
  spec_invalid: 'The specification of a template is not in the form of the interface',
  spec_missing: 'The specification of a template was not pulled yet',
  schema_outdated: 'A file under schemas/ is not what its template gives today',
  no_videos: 'The configuration matches no definition',

  // Plan and lock
  lock_unreadable: 'The lockfile cannot be read, so nothing can be compared with it',
  lock_conflict: 'The lockfile holds the conflict markers of a git merge',
  lock_newer: 'The lockfile was written by a newer reelform',
  lock_form: 'The lockfile can be read, and is not in the form that reelform writes',
  output_missing: 'A local file that the lockfile names is not there',
  output_damaged: 'A file that the lockfile names is not the one that was rendered',
  protected_video: 'A protected video would be forgotten',
  all_videos_gone: 'No video is left, and the lockfile has some',
  unknown_video: 'There is no video with this id',

  plan_invalid: 'A saved plan cannot be read',
  preview_invalid: 'A preview cannot be made as it is asked for, or read',
  preview_base_missing: 'What the videos were before cannot be told, so a preview shows only what they become',
  plan_stale: 'A saved or expected plan is not what would be done today',
  refresh_unclear: 'Whether something that was rendered still stands cannot be told',
  policy_broken: 'A plan does what a policy of the repository, or a policy command, denies or warns of',
  policy_invalid: 'A policy command names no program',
  too_many_renders: 'The plan renders more videos than is allowed',

  // The command line
  options_conflict: 'Options of the command line do not go together',
  interrupted: 'A question was left with Ctrl-C or Ctrl-D',

  // GitHub and GitLab
  forge_unreachable: 'GitHub or GitLab did not answer',
  forge_refused: 'GitHub or GitLab refused what was asked of it',
  forge_limited: 'A rate limit of GitHub or GitLab lasts longer than is waited for',
  forge_unknown: 'What a job runs for cannot be told',
  forge_answer_invalid: 'GitHub or GitLab answered what its interface does not have',

  // Applying
  not_approved: 'Nobody is there to approve the plan',
  changed_since_plan: 'A file changed between the plan and its rendering',
  already_running: 'Another apply is running in this repository',
  session_failed: 'The service could not render the video',
  session_unknown: 'A render was asked for, and whether it was taken on is not known',
  session_differs: 'The session is not the one that was asked for',
  signed_url: 'A video_url carries a signature, and will stop working',
  session_gone: 'The service does not have the session any more',
  journal_unreadable: 'The journal cannot be read, so what is in flight is not known',
  journal_local: 'The journal of renders that cost money is on a disk that CI throws away',
  checkout_stale: 'What is checked out is not the tip of its branch, or not as it was committed',
  commit_refused: 'The lockfile could not be committed to its branch',
  history_unsearched: 'Git could not show the whole history of the lockfile',
  git_failed: 'Git could not do what was asked of it',
  encoder_missing: 'The video encoder package is not installed',
  disk_full: 'No space is left on the disk, or in its quota',
  sandbox_missing: 'The sandbox that was asked for does not exist on this system',
  write_failed: 'A file could not be written',
  file_system: 'The file system refused to do something',

  // The service
  data_exposed: 'Other users of the machine can read the data folder of the service',
  data_in_use: 'Another process has the data folder of the service open',
  database_unavailable: 'The database of the service cannot be reached or used',
  storage_unavailable: 'The storage of the service cannot be reached or used',
  database_newer: 'The database was written by a newer reelform',

  // The service, from outside
  token_missing: 'There is no access token for the service in the environment',
  token_origin: 'The access token may not be sent to this service',
  service_unreachable: 'The service did not answer',
  service_unauthorized: 'The service does not take the token, or not for this',
  service_answer_invalid: 'The service answered something that the interface does not have',
  service_lacks_deliveries: 'The service delivers no finished videos',
  credential_missing: 'The environment lacks a secret of a credential',
  service_lacks_uploads: 'The service takes no files, or no templates, from a client',

  // The service, from inside
  settings_invalid: 'A setting of the server, or of a token, has a value that it cannot have',
  unknown_token: 'There is no token with this id',
  address_in_use: 'The service cannot listen on its address',
} as const;

export type Code = keyof typeof CODES;

export type Severity = 'error' | 'warning';

/** A half-open range of UTF-16 code units in the text of `file` (repository-relative, `/` as separator). */
export interface Span {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}

/** A problem that the user can fix. Diagnostics are collected and reported together, never thrown. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** One sentence without a full stop or position: the subject, what was expected and what was found. */
  readonly message: string;
  /** What to type or change. */
  readonly hint?: string | undefined;
  readonly at?: Span | undefined;
}

/** Creates a diagnostic of severity `error`. */
export function errorAt(code: Code, at: Span | undefined, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', message, hint, at };
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Creates a result with one diagnostic of severity `error`. */
export function failure(code: Code, at: Span | undefined, message: string, hint?: string): Result<never> {
  return { ok: false, diagnostics: [errorAt(code, at, message, hint)] };
}

/** An error of the environment, such as a full disk or an unreachable service. Caught per video in `apply` and once in the command. */
export class ReelformError extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(code: Code, message: string, options: { hint?: string; cause?: unknown; exitCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ReelformError';
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? EXIT.error;
  }
}

/** Returns whether any diagnostic is an error rather than a warning. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** Position of a checked value in the text that the user wrote. */
interface SourceLocation {
  readonly span: Span;
  /** Replaces the checker's hint, where the text shows a cause that the value alone does not. */
  readonly hint?: string | undefined;
  /** Name of the data row that the value comes from, to be added to the message. */
  readonly row?: string | undefined;
}

/** Locates a key or its value; where the document lacks it, the closest enclosing value. */
export type Locate = (path: readonly string[], part: 'key' | 'value') => SourceLocation;

/** Validates a document and returns all problems. */
export type Check = (document: unknown, locate: Locate) => readonly Diagnostic[];

/** Sorts diagnostics by file and position, and removes duplicates. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const unique = new Map(
    diagnostics.map((one) => [`${positionOf(one)}:${one.at?.end}:${one.code}:${one.message}`, one]),
  );
  return [...unique.values()].sort(
    (a, b) => byCodeUnit(a.at?.file ?? '', b.at?.file ?? '') || (a.at?.start ?? 0) - (b.at?.start ?? 0),
  );
}

/** Returns a key of the position where a problem starts. */
export function positionOf({ at }: Diagnostic): string {
  return `${at?.file}:${at?.start}`;
}
