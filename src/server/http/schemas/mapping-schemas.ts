import { EXAMPLES } from './examples.ts';
import { closedObjectOf, type Schema } from './json-schema.ts';

/** `Sessions` validates the resources against the template and reports all mistakes at once. */
export const RESOURCES: Schema = {
  type: 'object',
  additionalProperties: true,
  description: [
    'Editable key → its value: `{source: {text}}` for a text or colour, `{source: {font}}` for a font, `{source: {remote_url}, transform}` for an image, video or sound.',
    'Images and videos: `crop_strategy` `cover` (default), `contain`, `fill`, or `manual` with `crop_x`, `crop_y`, `crop_width`, `crop_height` in pixels of the source. `focus_x`, `focus_y` (0 to 1; default 0.5, the centre) move a cover crop; `background` (RRGGBB) fills the area around a contained source.',
    'Videos: `trim_start_time` (seconds; with `trim_strategy` `manual`; default 0), `volume` (0 to 4; silent if absent). An image used in place of a video is animated with `animate_strategy` (`slide-to-left`, `slide-to-right`, `slide-to-top`, `slide-to-bottom`, `zoom-in`, `zoom-out` or `none`, the default) and `animate_speed` (`slow`, `moderate`, the default, or `fast`).',
    'Sounds: `trim_start_time` (default 0), `volume` (default 1), `fade_in`, `fade_out` (seconds; default 0), `loop` (default false)',
  ].join('\n\n'),
  examples: [EXAMPLES.resources],
};
const NAMED: Schema = { type: 'object', additionalProperties: true };
export const AUDIO_TRACKS: Schema = {
  ...NAMED,
  description:
    'Track name → a sound that is mixed over the whole video: `{source: {remote_url}, transform}` as for a sound editable. At most 16 tracks',
  examples: [EXAMPLES.audioTracks],
};
export const FONT_CHANGES: Schema = {
  ...NAMED,
  description: 'Font of the template → `{source: {font}}`, its replacement: one of `available_fonts` or `fonts`',
  examples: [EXAMPLES.fontChanges],
};
const STYLE_VERSION_ID: Schema = {
  type: 'string',
  minLength: 1,
  maxLength: 128,
  description: 'The `id` of the style version',
  examples: ['tsv_9c41e7d2'],
};

const MAPPING_ID: Schema = {
  type: 'string',
  maxLength: 128,
  description: 'Ignored. The service assigns an id to each mapping',
};
export const REQUESTED_MAPPING: Schema = closedObjectOf(
  {
    id: MAPPING_ID,
    template_style_version_id: STYLE_VERSION_ID,
    resources: RESOURCES,
    audio_tracks: AUDIO_TRACKS,
    font_changes: FONT_CHANGES,
  },
  ['id', 'resources', 'audio_tracks', 'font_changes'],
);
const CHANGES: Schema = {
  type: 'object',
  additionalProperties: true,
  description: 'Entries by key, as in a new session. Null removes an entry; absent keys are unchanged',
};

export const CHANGED_MAPPING: Schema = closedObjectOf(
  {
    id: MAPPING_ID,
    template_style_version_id: { ...STYLE_VERSION_ID, description: 'Style version of the draft. It cannot be changed' },
    resources: CHANGES,
    audio_tracks: CHANGES,
    font_changes: CHANGES,
  },
  ['id', 'template_style_version_id', 'resources', 'audio_tracks', 'font_changes'],
);
