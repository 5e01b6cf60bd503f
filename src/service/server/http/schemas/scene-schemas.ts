import { MAX_SIDE_PIXELS } from '../../../../contract/fields/output-fields.ts';
import { PLACEMENT_FIELDS, TRANSITION_FIELDS } from '../../../../contract/fields/scene-fields.ts';
import { MAX_PLACES } from '../../../../contract/timeline/place.ts';
import { MAX_SCENES, MAX_VIDEO_SECONDS } from '../../../../contract/timeline/resolve-timeline.ts';
import { MAX_SCENE_ID, SCENE_ID } from '../../../../contract/wire/scene-request.ts';
import { CAPTIONS } from './caption-schemas.ts';
import { EXAMPLES } from './examples.ts';
import { fieldSchemas } from './field-schemas.ts';
import { closedObjectOf, listOf, objectOf, type Schema } from './json-schema.ts';

/** A colour without transparency. */
const colorOf = (field: typeof TRANSITION_FIELDS.color | typeof PLACEMENT_FIELDS.background): Schema => ({
  type: 'string',
  pattern: '^#?[0-9A-Fa-f]{6}$',
  description: field.description,
});

const TRANSITION: Schema = {
  ...closedObjectOf(
    { ...fieldSchemas(TRANSITION_FIELDS), color: colorOf(TRANSITION_FIELDS.color) },
    Object.keys(TRANSITION_FIELDS).filter((name) => name !== 'type' && name !== 'duration'),
  ),
  description: 'How the scene replaces the scene before it; a cut if absent. It changes neither starts nor lengths',
};

const FRAME: Schema = { type: 'integer', minimum: 0 };
const FRAMES: Schema = listOf(FRAME, { minItems: 2, maxItems: 2 });
const TIMING: Schema = listOf(
  closedObjectOf({ hold: FRAME, loop: FRAMES, stretch: FRAMES, min: FRAME, max: FRAME }, [
    'hold',
    'loop',
    'stretch',
    'min',
    'max',
  ]),
  {
    maxItems: MAX_PLACES,
    description:
      'Where the template can become longer or shorter, in its frames and in order of priority. Each place is a `hold`, a `loop` or a `stretch`. That of the style version if absent',
  },
);

const TRACKS: Schema = { type: 'object', additionalProperties: true };

/** The fields of a scene, as in requests. @param mapping schema of its mapping */
function sceneFields(mapping: Schema): Readonly<Record<string, Schema>> {
  return {
    id: {
      type: 'string',
      pattern: SCENE_ID.source,
      maxLength: MAX_SCENE_ID,
      description: 'Unique among the scenes, ignoring case. Errors and stills name the scene by it',
      examples: ['product/lamp'],
    },
    mapping,
    seconds: {
      type: 'number',
      exclusiveMinimum: 0,
      maximum: MAX_VIDEO_SECONDS,
      description: 'Length; the natural length of the template if absent',
    },
    timing: TIMING,
    transition: TRANSITION,
    ...fieldSchemas(PLACEMENT_FIELDS),
    background: colorOf(PLACEMENT_FIELDS.background),
    audio_tracks: { ...TRACKS, description: 'Track name → a sound that begins and ends with the scene' },
    captions: { ...CAPTIONS, description: 'Captions that end with the scene, as those of the video' },
  };
}

const OPTIONAL = ['seconds', 'timing', 'transition', 'audio_tracks', 'captions', ...Object.keys(PLACEMENT_FIELDS)];

const SIZE: Schema = listOf(
  { type: 'integer', minimum: 2, maximum: MAX_SIDE_PIXELS, multipleOf: 2 },
  {
    minItems: 2,
    maxItems: 2,
    description: 'Width and height in pixels; those of the template of the first scene if absent',
  },
);
const RATE: Schema = {
  type: 'number',
  minimum: 1,
  maximum: 240,
  description: 'Frames per second of the timeline; those of the template of the first scene if absent',
};

/** Fields of a request for a video of scenes, all optional there. */
export function requestedScenes(mapping: Schema): Readonly<Record<string, Schema>> {
  return {
    scenes: {
      ...listOf(closedObjectOf(sceneFields(mapping), OPTIONAL)),
      minItems: 1,
      maxItems: MAX_SCENES,
      description: `A video of several templates, instead of \`mapping\`: at most ${MAX_SCENES} scenes and ${MAX_VIDEO_SECONDS / 60} minutes`,
      examples: [EXAMPLES.scenes],
    },
    size: SIZE,
    rate: RATE,
    frames: {
      type: 'integer',
      minimum: 1,
      description: 'For `scenes`: their expected length in frames at `rate`. A video of another length is refused',
    },
    audio_tracks: { ...TRACKS, description: 'For `scenes`: track name → a sound of the whole video' },
  };
}

/** Fields of a session with scenes, all optional. */
export function sessionScenes(mapping: Schema): Readonly<Record<string, Schema>> {
  return {
    scenes: listOf(objectOf(sceneFields(mapping), OPTIONAL), {
      description: 'Scenes of the request; absent for a request with `mapping`',
    }),
    size: SIZE,
    rate: RATE,
    frames: { type: 'integer', description: 'Length of a video of `scenes` in frames at `rate`, before its outputs' },
  };
}

/** A field of a problem or a source. */
export const SCENE_FIELD: Schema = {
  type: 'string',
  description: 'Id of the scene; absent for requests with `mapping`, and for tracks of the whole video',
};
