import { LOUDNESS_FIELDS, LOUDNESS_PROFILES } from '../../contract/fields/loudness-fields.ts';
import { DIRECTIONS, EASINGS, TRANSITION_TYPES } from '../../contract/video-spec.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import { colorSchema, type DefinitionForm, fieldSchemas, hasValue, numberSchema, refused } from './value-schemas.ts';

const NO_LIMIT = 'No limit by default.';

/** Returns the schema of the length of a scene, or of the only scene of a video. */
export function durationSchema(form: DefinitionForm): JsonSchema {
  const limit = (description: string): JsonSchema => ({ description, ...numberSchema(form, { minimum: 0 }) });
  const wish: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['content'],
    properties: {
      content: { description: 'The length of the tracks of the scene that end.', const: true },
      min: limit('Shortest length in seconds. That of the template by default.'),
      max: limit(`Longest length in seconds. ${NO_LIMIT}`),
      tail: {
        description:
          'Time after the content: seconds, or exit for the part of the template after its last place. 0.5 seconds by default, exit for a template with timing.',
        ...when({ type: 'string' }, textOrPlaceholder(form, ['exit']), numberSchema(form, { minimum: 0 })),
      },
    },
  };
  return {
    description:
      'Length: seconds; content, as long as its tracks; fill, the rest of a video with a duration; or content with limits. The natural length of the template by default.',
    ...when(
      { type: 'object' },
      wish,
      when(
        { type: 'string' },
        textOrPlaceholder(form, ['content', 'fill']),
        numberSchema(form, { exclusiveMinimum: 0 }),
      ),
    ),
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'as long as its content', body: 'content' },
        { label: 'content with limits', body: { content: true, min: 3, max: 8 } },
      ],
    }),
  };
}

/** Returns the schema of a transition. */
export function transitionSchema(form: DefinitionForm): JsonSchema {
  const choice = (description: string, values: readonly string[]): JsonSchema => ({
    description,
    ...textOrPlaceholder(form, values),
  });
  const map: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['type'],
    properties: {
      type: choice('cut, or how the picture of the scene replaces the one before.', ['cut', ...TRANSITION_TYPES]),
      duration: {
        description: 'Seconds. At most the length of the shorter scene.',
        ...numberSchema(form, { exclusiveMinimum: 0 }),
      },
      at: choice('before: during the end of the scene before, instead of the start of this one.', ['before']),
      easing: choice('Speed over time; ease-in-out by default.', EASINGS),
      direction: choice('Where the pictures of slide, push and wipe move; left by default.', DIRECTIONS),
      color: { description: 'Colour of dip; black by default.', ...colorSchema(form) },
    },
    allOf: [
      when({ not: hasValue('type', 'cut') }, { required: ['duration'] }, refused('duration', 'at', 'easing')),
      when({ properties: { type: { enum: ['cut', 'fade', 'dip', 'iris', 'zoom'] } } }, refused('direction')),
      when({ properties: { type: { enum: TRANSITION_TYPES.filter((type) => type !== 'dip') } } }, refused('color')),
    ],
  };
  return {
    description: 'How the scene replaces the one before: cut, or a map with type and duration. A cut by default.',
    ...when({ type: 'string' }, textOrPlaceholder(form, ['cut']), map),
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'a fade', body: { type: 'fade', duration: 0.4 } },
        { label: 'a slide', body: { type: 'slide', direction: 'left', duration: 0.4 } },
        { label: 'a cut', body: 'cut' },
      ],
    }),
  };
}

/** Returns the schemas of the properties that decide about the length and the place of a scene. */
export function scenePlacementSchemas(form: DefinitionForm): Record<string, JsonSchema> {
  return {
    duration: durationSchema(form),
    transition: transitionSchema(form),
    fit: {
      description:
        'How a template of another shape fills the video. cover: fills it, cropped as needed. contain: is shown entirely.',
      ...textOrPlaceholder(form, ['cover', 'contain']),
    },
    background: {
      description: 'Colour behind the scene; black by default. Outputs with transparency have none.',
      ...colorSchema(form),
    },
    shorten: {
      description:
        'Permits a scene that is shorter than its template can be. cut: leaves out its end. speed: plays it faster.',
      ...textOrPlaceholder(form, ['cut', 'speed']),
    },
  };
}

/** Returns the schemas of the properties that decide about the timeline of a whole video. */
export function videoPlacementSchemas(form: DefinitionForm): Record<string, JsonSchema> {
  const side: JsonSchema = numberSchema(form, { minimum: 2, maximum: 8192, multipleOf: 2 });
  return {
    size: {
      description: 'Width and height of the video in pixels. Those of the template of the first scene by default.',
      type: 'array',
      items: side,
      minItems: 2,
      maxItems: 2,
      examples: [[1920, 1080]],
    },
    rate: {
      description: 'Frames per second of the video. That of the template of the first scene by default.',
      ...numberSchema(form, { minimum: 1, maximum: 240 }),
      examples: [25, 30],
    },
    loudness: loudnessSchema(form),
    poster: {
      description: 'The still that shows the video: a stillcut of the template, or <scene>.<stillcut>.',
      type: 'string',
      minLength: 1,
      examples: ['stillcut_01'],
    },
  };
}

function loudnessSchema(form: DefinitionForm): JsonSchema {
  const { target } = fieldSchemas(LOUDNESS_FIELDS, form);
  const map: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['target'],
    properties: fieldSchemas(LOUDNESS_FIELDS, form),
  };
  return {
    description:
      'Loudness of the finished sound: LUFS, a profile, or a map of target and true_peak. That of the mix by default.',
    ...when({ type: 'object' }, map, when({ type: 'string' }, textOrPlaceholder(form, PROFILE_NAMES), target!)),
    examples: [-14, 'ebu-r128'],
  };
}

const PROFILE_NAMES = Object.keys(LOUDNESS_PROFILES);

/**
 * Returns the schema that checks these properties in a merged and filled-in definition or scene. It is the same for all templates and
 * few definitions need it, so it is compiled once.
 */
export function placementSchema(): JsonSchema {
  return { properties: { ...scenePlacementSchemas('video'), ...videoPlacementSchemas('video') } };
}

/** Accepts these texts, and in a file any text that a row fills in. */
function textOrPlaceholder(form: DefinitionForm, values: readonly string[]): JsonSchema {
  if (form === 'video') return { enum: values };
  return { anyOf: [{ enum: values }, { type: 'string', pattern: '\\$\\{' }] };
}
