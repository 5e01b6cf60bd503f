import { type Fields, fieldList } from '../../../../contract/fields/field.ts';
import { LOUDNESS_FIELDS } from '../../../../contract/fields/loudness-fields.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS } from '../../../../contract/fields/transform-fields.ts';
import { MAX_TRACKS } from '../../../../contract/wire/mapping.ts';
import { EXAMPLES } from './examples.ts';
import { fieldSchemas } from './field-schemas.ts';
import { closedObjectOf, objectOf, type Schema } from './json-schema.ts';

const ONLY_TRACK_FIELDS = fieldsBeyond(TRACK_FIELDS, TRANSFORM_FIELDS.audio);

/** Returns the fields that a table has beyond another. */
export function fieldsBeyond(fields: Fields, known: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(known, name)));
}

export const AUDIO_TRACKS: Schema = {
  type: 'object',
  additionalProperties: true,
  description: [
    `Track name → a sound that is mixed over the whole video: \`{source: {remote_url}, transform}\` as for a sound editable. At most ${MAX_TRACKS} tracks`,
    `The \`transform\` of a track also has:\n\n${fieldList(ONLY_TRACK_FIELDS)}`,
    'A track under which others are lowered may have `speech`: pairs of seconds of the source in which words are spoken. If absent, its level shows where',
  ].join('\n\n'),
  examples: [EXAMPLES.audioTracks],
};

export const LOUDNESS: Schema = {
  ...closedObjectOf(fieldSchemas(LOUDNESS_FIELDS), ['true_peak']),
  description: 'Loudness of the finished sound; that of the mix if absent',
  examples: [{ target: -14, true_peak: -1 }],
};

export const MEASURED_LOUDNESS: Schema = {
  ...objectOf({
    integrated: { type: 'number', description: 'Loudness of the whole sound, in LUFS (BS.1770-4)' },
    true_peak: { type: 'number', description: 'Largest peak between samples, in dBTP' },
  }),
  description:
    'Measured on the finished sound of a session with `loudness`; absent until the video exists, and for a silent video',
};
