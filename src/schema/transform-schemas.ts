import { ANIMATE_SPEEDS, ANIMATE_STRATEGIES, CROP_STRATEGIES } from '../wire/mapping.ts';
import { type JsonSchema, when } from './json-schema.ts';
import { booleanSchema, colorSchema, type DefinitionForm, numberSchema } from './value-schemas.ts';

const CROP = ['crop_x', 'crop_y', 'crop_width', 'crop_height'];
const FROM_ZERO: JsonSchema = { minimum: 0 };
const SHARE: JsonSchema = { minimum: 0, maximum: 1 };
const VOLUME: JsonSchema = { minimum: 0, maximum: 4 };

/** The `transform` of an image. */
export function imageTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'How the image fills its area.',
    additionalProperties: false,
    properties: pictureFields(form, 'image'),
    allOf: PICTURE_RULES,
  };
}

/** The `transform` of a video: of a clip, or of an image that may move. */
export function clipTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'How the clip fills its area, from where it plays, and how loud it is.',
    additionalProperties: false,
    properties: {
      ...pictureFields(form, 'clip'),
      trim_strategy: {
        description: 'manual: it plays from trim_start_time, and need not be said. none: from its start.',
        enum: ['none', 'manual'],
      },
      trim_start_time: { description: 'Seconds of the clip that are skipped.', ...numberSchema(form, FROM_ZERO) },
      volume: {
        description: 'Of the clip’s own sound: 1 is as it is, 4 the loudest. Without it the clip is silent.',
        ...numberSchema(form, VOLUME),
      },
      animate_strategy: { description: 'How an image in place of the clip moves.', enum: ANIMATE_STRATEGIES },
      animate_speed: { description: 'How fast it moves.', enum: ANIMATE_SPEEDS },
    },
    allOf: [...PICTURE_RULES, ...CLIP_RULES],
  };
}

/** The `transform` of a sound. */
export function audioTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'From where the sound plays, and how loud it is.',
    additionalProperties: false,
    properties: {
      trim_start_time: { description: 'Seconds of the sound that are skipped.', ...numberSchema(form, FROM_ZERO) },
      volume: { description: '1, the default, is as it is; 4 the loudest.', ...numberSchema(form, VOLUME) },
      fade_in: { description: 'Seconds from silence at its start.', ...numberSchema(form, FROM_ZERO) },
      fade_out: { description: 'Seconds to silence at its end.', ...numberSchema(form, FROM_ZERO) },
      loop: { description: 'Whether it starts again until the video ends.', ...booleanSchema(form) },
    },
  };
}

function pictureFields(form: DefinitionForm, name: 'image' | 'clip'): Record<string, JsonSchema> {
  const edge = { description: `Pixels of the ${name}.`, ...numberSchema(form, { exclusiveMinimum: 0 }) };
  return {
    crop_strategy: {
      description: `cover: fills the area, cropped as needed. contain: all of the ${name}. fill: stretched. manual: a rectangle of the ${name}.`,
      enum: CROP_STRATEGIES,
      default: 'cover',
    },
    crop_x: { description: `Left edge, in pixels of the ${name}.`, ...numberSchema(form, FROM_ZERO) },
    crop_y: { description: `Upper edge, in pixels of the ${name}.`, ...numberSchema(form, FROM_ZERO) },
    crop_width: edge,
    crop_height: edge,
    focus_x: { description: 'What stays in view with cover: 0 left, 1 right.', ...numberSchema(form, SHARE) },
    focus_y: { description: 'What stays in view with cover: 0 top, 1 bottom.', ...numberSchema(form, SHARE) },
    background: { description: `The colour around a contained ${name}.`, ...colorSchema(form) },
  };
}

const onlyWith = (strategy: string, fields: readonly string[]): JsonSchema => {
  const others = { properties: { crop_strategy: { enum: CROP_STRATEGIES.filter((other) => other !== strategy) } } };
  return when(strategy === 'cover' ? { ...others, required: ['crop_strategy'] } : others, refused(...fields));
};

function refused(...fields: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(fields.map((field) => [field, false])) };
}

function says(field: string, value: string): JsonSchema {
  return { required: [field], properties: { [field]: { const: value } } };
}

const PICTURE_RULES: readonly JsonSchema[] = [
  when(says('crop_strategy', 'manual'), { required: CROP }),
  onlyWith('manual', CROP),
  onlyWith('cover', ['focus_x', 'focus_y']),
  onlyWith('contain', ['background']),
];

const MOVES: JsonSchema = {
  required: ['animate_strategy'],
  properties: { animate_strategy: { not: { const: 'none' } } },
};

const CLIP_RULES: readonly JsonSchema[] = [
  when(says('trim_strategy', 'none'), refused('trim_start_time')),
  when({ allOf: [says('crop_strategy', 'manual'), MOVES] }, refused('animate_strategy')),
  when({ not: MOVES }, refused('animate_speed')),
];
