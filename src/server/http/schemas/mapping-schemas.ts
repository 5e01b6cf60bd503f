import { EXAMPLES } from './examples.ts';
import { closedObjectOf, type Schema } from './json-schema.ts';

/** `Sessions` validates the resources against the template and reports all mistakes at once. */
export const RESOURCES: Schema = {
  type: 'object',
  additionalProperties: true,
  description: [
    'Editable key → what fills it: `{source: {text}}` for a text or a colour, `{source: {font}}` for a font, `{source: {remote_url}, transform}` for an image, a video or a sound.',
    'Images and videos: `crop_strategy` `cover` (default), `contain`, `fill`, or `manual` with `crop_x`, `crop_y`, `crop_width`, `crop_height` in pixels of the source. `focus_x`, `focus_y` (0 to 1; 0.5, the middle, when absent) move a cover crop; `background` (RRGGBB) stands behind what is contained.',
    'Videos: `trim_start_time` (seconds; `trim_strategy` `manual`; 0 when absent), `volume` (0 to 4; silent when absent). An image in place of a video moves by `animate_strategy` (`slide-to-left`, `slide-to-right`, `slide-to-top`, `slide-to-bottom`, `zoom-in`, `zoom-out`, `none`, the default) and `animate_speed` (`slow`, `moderate`, the default, `fast`).',
    'Sounds: `trim_start_time` (0 when absent), `volume` (1 when absent), `fade_in`, `fade_out` (seconds; 0 when absent), `loop` (false when absent)',
  ].join('\n\n'),
  examples: [EXAMPLES.resources],
};
const NAMED: Schema = { type: 'object', additionalProperties: true };
export const AUDIO_TRACKS: Schema = {
  ...NAMED,
  description:
    'Name of a track → a sound that is mixed over the whole video, `{source: {remote_url}, transform}` as for a sound editable; at most 16',
  examples: [EXAMPLES.audioTracks],
};
export const FONT_CHANGES: Schema = {
  ...NAMED,
  description:
    'Font of the template → `{source: {font}}`, the font in its place; one of `available_fonts`, or of `fonts`',
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
  description: 'Ignored: the service gives each mapping an id of its own',
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
  description: 'Entries by their keys, as in a new session; null removes one. Keys that are absent stay as they are',
};

export const CHANGED_MAPPING: Schema = closedObjectOf(
  {
    id: MAPPING_ID,
    template_style_version_id: { ...STYLE_VERSION_ID, description: "The draft's own, which cannot be changed" },
    resources: CHANGES,
    audio_tracks: CHANGES,
    font_changes: CHANGES,
  },
  ['id', 'template_style_version_id', 'resources', 'audio_tracks', 'font_changes'],
);
