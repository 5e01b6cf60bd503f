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
 * All error codes with their meaning. A code without advice in `docs/reference-generator/error-advice.ts`, or without a test
 * that produces it, fails the test suite.
 */
export const CODES = {
  // The YAML text
  yaml_syntax: 'The text is not valid YAML',
  yaml_duplicate_key: 'A map contains a key twice',
  yaml_unsupported: 'The file uses a YAML feature that definitions do not allow (tags, merge keys, non-string keys)',
  yaml_too_complex: 'The file is too large, too deep, or its aliases expand too far',

  // Definitions
  definition_ignored: 'A YAML file next to the definitions does not match `videos`',
  definition_empty: 'The file contains no definition',
  definition_invalid: 'A value has the wrong type or format',
  unknown_property: 'A definition or the configuration has an unknown property',
  missing_property: 'A required property is missing',
  unknown_template: 'reelform.yaml does not define the template',
  unknown_editable: 'The template has no editable with this key',
  missing_editable: 'A required editable has no value',
  wrong_kind: 'The value does not match the kind of the editable',
  invalid_color: 'A colour must have 6 or 8 hexadecimal digits',
  text_too_long: 'A text is longer than its editable allows',
  unknown_font: 'A font is neither in the template nor in the repository, or is not allowed for the editable',
  invalid_url: 'A source is neither a path nor an http(s) URL',
  missing_file: 'A local file does not exist',
  ambiguous_path: 'Two files or folders differ only in the Unicode form of their names',
  sound_unreadable: 'The length of a sound cannot be measured',
  lfs_pointer: 'A file is a Git LFS pointer whose content was not fetched',
  path_outside: 'A path leads out of the repository',
  duplicate_id: 'Two videos have the same id',
  destination_taken: 'Two videos have the same destination',
  invalid_id: 'A video id contains characters that are not allowed',
  unknown_variable: 'A ${name} does not match any column of the row',
  extends_cycle: 'Definitions extend each other in a cycle',
  data_invalid: 'A data file cannot be read as rows',
  words_invalid: 'A file of spoken words has no valid times',
  words_missing: 'Captions are made from a track whose words are not known',
  caption_style_unknown: 'There is no style of captions of this name',
  captions_invalid: 'A file of captions has no cues that can be shown',
  cue_dropped: 'A cue is left out, because it has no text or no valid times',
  captions_changed: 'Captions do not keep something that their file has',
  captions_undelivered: 'A destination of the video does not get its captions',
  caption_layer: 'Captions are not shown in the text that a template has for them, or not in all scenes',
  cue_cut: 'Captions go on after the end of their scene or video',
  cues_overlap: 'Two cues are shown at the same time',
  voice_unknown: 'A track is spoken by a voice that reelform.yaml does not have',
  speech_failed: 'A voice could not speak a text',
  speech_missing: 'A text has not been spoken yet, so its video waits',
  track_unknown: 'A track is lowered under a track that does not exist',
  overrun_useless: 'A track of the whole video cannot go on after its scene',
  rows_left_out: 'No row of a data file passes `where`',
  column_hidden: 'A column has the name of another column, or of a dimension of the definition',
  unknown_locale: 'reelform.yaml has no such locale',
  catalogue_invalid: 'A catalogue of translated texts cannot be read',
  catalogue_unused: 'A file is named as a catalogue is, but no language of reelform.yaml is read from it',
  text_untranslated: 'A text is not translated to a locale',
  locale_fallback: 'A locale has no file, font or column, and that of a parent locale is used',
  placeholder_lost: 'A translation does not have a placeholder of its text',
  still_missing: 'A text of a catalogue has no picture',
  translation_unused: 'A file of translations has a text that no definition has',
  locales_missing: 'A command needs `locales` in reelform.yaml',

  // Scenes
  unknown_scene: 'No scene has this id',
  unknown_stillcut: 'A template has no stillcut of this name',
  duplicate_scene: 'Two scenes of a video have the same id',
  template_unmeasured: 'The size and length of a template are not known',
  video_empty: 'Conditions leave out all scenes of a video',
  video_too_long: 'A video is longer than 30 minutes',
  too_many_scenes: 'A video has more than 200 scenes',
  rate_unsupported: 'A frame rate is not within 1 and 240 frames per second',
  rate_differs: 'The frames of a template do not fall onto frames of the video',
  fit_missing: 'A template has another shape than the video',
  duration_invalid: 'A duration is shorter than a frame, or its limits exclude each other',
  scene_too_short: 'A template cannot be as short as its scene',
  scene_too_long: 'A template cannot be as long as its scene',
  content_empty: 'A scene is as long as its content but has none',
  content_unknown: 'The length of a sound is not known, so its scene counts with its longest length',
  content_unlimited: 'The length of a sound is not known, so the length of its scene is not known',
  tail_shortened: 'A scene ends earlier after its content than wanted',
  loop_held: 'No number of passes of a loop has the length of its scene',
  fill_twice: 'Two scenes fill the rest of a video',
  fill_without_duration: 'A scene fills the rest of a video that has no duration',
  duration_missed: 'The scenes of a video do not add up to its duration',
  still_left_out: 'A video does not have a still that a template of its scenes has',
  transition_first: 'The first scene of a video has a transition',
  transition_too_long: 'A transition is longer than a scene that it joins',
  transition_shortened: 'The default transition is longer than a scene that it joins',

  // Visible defects (`reelform lint`)
  glyph_missing: 'A text has characters that no font of the template contains',
  text_overflow: 'A text does not fit into its box, or the edge of the frame, a mask or a layer above cuts it off',
  text_too_small: 'A text is too small to read, or was shrunk too much to fit its box',
  text_shrunk: 'A text was shrunk far below its design to fit its box',
  text_hidden: 'A text is never shown, lies outside the picture, or is covered',
  text_collision: 'Two texts overlap',
  text_leftover: 'A text contains markup, a placeholder or a missing value, which are drawn as letters',
  text_direction:
    'A text of a right-to-left language is drawn from left to right, because it starts with other letters',
  outside_safe_area: 'A text lies outside the safe area of a platform',
  low_contrast: 'A text has too little contrast with its background',
  flashes: 'The picture flashes more than three times in a second, which can cause seizures',
  image_too_small: 'An image or a clip is enlarged so much that it looks blurred',
  clip_ends_early: 'A clip ends before the layer that shows it, so its last frame is shown for the rest',
  clip_cut: 'A clip is longer than the time for which its layer shows it',
  sound_cut: 'A sound is longer than the time for which it plays, so its end is not heard',
  sound_unused: 'A sound adds nothing to the video',
  sound_silent: 'A sound is silent where it is heard',
  sound_clipped: 'Peaks of a sound are cut off',
  sound_out_of_phase: 'The channels of a sound cancel each other in mono',
  level_missed: 'A sound is too quiet for its level',
  words_unheard: 'A sound ends before its words',
  mix_too_loud: 'The sounds of a video together exceed full scale so far that limiting them is heard',
  loudness_missed: 'The finished sound could not be brought to the requested loudness',
  media_truncated: 'The file of a clip or sound is truncated',
  lottie_differs: 'A player shows a part of a Lottie document otherwise than the rendered video',
  hold_moves: 'The picture of a template moves where a longer scene holds it',
  caption_too_fast: 'A caption has more text than can be read while it is shown',
  caption_line_too_long: 'A line of a caption is too long',
  caption_too_many_lines: 'A caption has too many lines',
  caption_too_short: 'A caption is shown too short to be noticed',
  caption_too_long: 'A caption is shown too long',
  caption_gap: 'The gap between two captions is too small, or so small that it flickers',
  caption_at_cut: 'A caption starts or ends near a cut, not at it',
  caption_over_text: 'A caption lies over a text of the template',
  caption_outside_safe_area: 'A caption lies outside the safe area of a platform',
  caption_low_contrast: 'A caption has too little contrast with what is behind it',
  transition_from_empty: 'A transition replaces a scene that ends with an empty picture',
  lint_failed: 'A video could not be checked by lint, or a font could not be checked in time',

  // Configuration, templates and schemas
  init_invalid: 'An option of `reelform init` has an invalid value',
  config_missing: 'No reelform.yaml was found in this folder or its parents',
  config_invalid: 'reelform.yaml has an invalid or missing value',
  template_invalid: 'A template package is incomplete or inconsistent',
  template_unsupported: 'An animation uses a feature that the renderer does not support',
  template_unseen: 'A stillcut does not show its editable, or an editable changes no frame',
  image_too_large: 'An image of a template has far more pixels than needed',
  font_weight: 'A font has another weight than the animation asks for',
  font_unlicensed: 'A template contains fonts without their licence',
  folder_taken: 'The folder for a new template is not empty',
  spec_invalid: 'The specification of a template is invalid',
  spec_missing: 'The specification of a template has not been pulled',
  features_unknown: 'What the service offers has not been pulled, so that a plan cannot check it',
  schema_outdated: 'A file in schemas/ is out of date with its template',
  no_videos: 'The glob `videos` of the configuration matches no file',

  // Plan and lock
  lock_unreadable: 'The lockfile cannot be read',
  lock_conflict: 'The lockfile contains git conflict markers',
  lock_newer: 'The lockfile was written by a newer version of reelform',
  lock_form: 'The lockfile is readable but not in the format that reelform writes',
  output_missing: 'A local file of the lockfile is missing',
  output_damaged: 'A file of the lockfile differs from the rendered file',
  protected_video: 'The plan would remove a protected video',
  all_videos_gone: 'No definitions are left, but the lockfile has videos',
  unknown_video: 'No video has this id',

  plan_invalid: 'A saved plan cannot be read',
  preview_invalid: 'A preview cannot be created with these options, or cannot be read',
  preview_base_missing: 'The previous state of the videos is unknown, so the preview shows only the new state',
  plan_stale: 'The repository has changed since the plan was made',
  link_expired: 'The recorded URL of a video has expired, and the service has a new one',
  refresh_unclear: 'A rendered video or a specification could not be verified',
  policy_broken: 'A plan violates a policy of the repository or of a policy command',
  policy_invalid: 'A policy command is empty or malformed',
  too_many_renders: 'The plan renders more videos than allowed',

  // The command line
  options_conflict: 'Options of the command line exclude each other',
  interrupted: 'A prompt was cancelled with Ctrl-C or Ctrl-D',

  // GitHub and GitLab
  forge_unreachable: 'GitHub or GitLab is unreachable',
  forge_refused: 'GitHub or GitLab rejected a request',
  forge_limited: 'A rate limit of GitHub or GitLab lasts longer than reelform waits',
  forge_unknown: 'The pull request or commit of a CI job could not be determined',
  forge_answer_invalid: 'GitHub or GitLab returned an unexpected response',

  // Applying
  not_approved: 'The plan was not approved',
  changed_since_plan: 'A file changed between planning and rendering',
  already_running: 'Another apply is running in this repository',
  session_failed: 'The service could not render the video',
  session_unknown: 'A render was requested, but it is unknown whether the service accepted it',
  session_differs: 'The session differs from the request',
  signed_url: 'A video_url is signed and will expire',
  session_gone: 'The service no longer has the session',
  session_without_video: 'The service reports a session as rendered, but does not name the URL of its video',
  journal_unreadable: 'The journal cannot be read, so pending renders are unknown',
  journal_local: 'The journal of paid renders is on a temporary disk of CI',
  checkout_stale: 'The checkout is not the tip of its branch or has uncommitted changes',
  commit_refused: 'The lockfile could not be committed to its branch',
  history_unsearched: 'The complete history of the lockfile is not available',
  definitions_left_out: 'Git leaves definitions out of this checkout, so their videos are not compared',
  git_failed: 'A git command failed',
  engine_missing: 'What a command needs to draw or render is not installed',
  server_missing: 'What a command needs to run the service is not installed',
  encoder_missing: 'The video encoder package is not installed',
  disk_full: 'The disk or its quota is full',
  sandbox_missing: 'The requested sandbox is not available on this system',
  write_failed: 'A file could not be written',
  file_system: 'A file system operation failed',

  // The service
  data_exposed: 'Other users of this machine can read the data folder of the service',
  data_in_use: 'Another process is using the data folder of the service',
  database_unavailable: 'The database of the service is unreachable or unusable',
  storage_unavailable: 'The storage of the service is unreachable or unusable',
  database_newer: 'The database was written by a newer version of reelform',

  // The service, from outside
  token_missing: 'The environment has no access token for the service',
  token_origin: 'The access token may not be sent to this service',
  service_unreachable: 'The service is unreachable',
  service_unauthorized: 'The service rejected the token, or the token lacks a scope',
  service_answer_invalid: 'The service returned an unexpected response',
  service_lacks_captions: 'The service has no captions',
  service_lacks_languages: 'The service does not write the language of a sound into files',
  service_lacks_deliveries: 'The service does not support deliveries',
  service_lacks_outputs: 'The service does not render several files of a video',
  service_lacks_scenes: 'The service does not render videos of several scenes',
  service_lacks_sound: 'The service has no loudness, and no start, level or ducking of tracks',
  credential_missing: 'The environment has no value for a secret of a credential',
  service_lacks_uploads: 'The service does not accept source uploads or templates',

  // The service, from inside
  settings_invalid: 'A setting of the server or of a token has an invalid value',
  unknown_token: 'No token has this id',
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

/** Returns the empty span at the beginning of a file, for a problem of the whole file. */
export function startOf(file: string): Span {
  return { file, start: 0, end: 0 };
}

/** A problem that the user can fix. Diagnostics are collected and reported together, never thrown. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** One sentence without a full stop or position: the subject, the expected value and the actual value. */
  readonly message: string;
  /** Text or setting that solves the problem. */
  readonly hint?: string | undefined;
  readonly at?: Span | undefined;
}

/** Creates a diagnostic of severity `error`. */
export function errorAt(code: Code, at: Span | undefined, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', message, hint, at };
}

/** Creates a diagnostic of severity `warning`. */
export function warningAt(code: Code, at: Span | undefined, message: string, hint?: string): Diagnostic {
  return { code, severity: 'warning', message, hint, at };
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Creates a result with a diagnostic of severity `error`. */
export function failure(code: Code, at: Span | undefined, message: string, hint?: string): Result<never> {
  return { ok: false, diagnostics: [errorAt(code, at, message, hint)] };
}

/** An error of the environment, such as a full disk or an unreachable service. Caught per video in `apply` and once in the command. */
export class ReelformError extends Error {
  readonly code: Code;
  readonly hint: string | undefined;
  readonly exitCode: number;

  constructor(
    code: Code,
    message: string,
    options: { hint?: string | undefined; cause?: unknown; exitCode?: number } = {},
  ) {
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
    diagnostics.map((diagnostic) => [
      `${positionOf(diagnostic)}:${diagnostic.at?.end}:${diagnostic.code}:${diagnostic.message}`,
      diagnostic,
    ]),
  );
  return [...unique.values()].sort(
    (a, b) => byCodeUnit(a.at?.file ?? '', b.at?.file ?? '') || (a.at?.start ?? 0) - (b.at?.start ?? 0),
  );
}

/** Returns a key of the position where a problem starts. */
export function positionOf({ at }: Diagnostic): string {
  return `${at?.file}:${at?.start}`;
}
