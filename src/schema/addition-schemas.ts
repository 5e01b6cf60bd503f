import { OUTPUT_CODECS, OUTPUT_FORMATS, OUTPUT_QUALITIES } from '../wire/output.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import type { JsonSchema } from './json-schema.ts';
import { fontSchema, soundSchema } from './resource-schemas.ts';
import { type DefinitionForm, numberSchema } from './value-schemas.ts';

export const ADDITIONS = ['audio', 'fonts', 'output', 'deliver'] as const;

/** Returns the schemas of the optional properties beside `resources`. */
export function additionSchemas(
  spec: StyleVersion | null,
  form: DefinitionForm,
): Record<(typeof ADDITIONS)[number], JsonSchema> {
  return {
    audio: audioSchema(form),
    fonts: fontsSchema(spec, form),
    output: outputSchema(form),
    deliver: deliverSchema(form),
  };
}

function audioSchema(form: DefinitionForm): JsonSchema {
  return {
    description: 'Sounds that are mixed over that of the template: the name of a track → its source.',
    type: 'object',
    maxProperties: 16,
    propertyNames: {
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$',
      patternErrorMessage: 'Must be 1 to 64 letters, digits, - and _, a letter or a digit first',
    },
    additionalProperties: soundSchema(form),
    ...(form === 'file'
      ? {
          defaultSnippets: [
            { label: 'a track', body: { '${1:main}': './${2:music.mp3}' } },
            { label: 'a track that fades', body: { '${1:main}': { source: './${2:music.mp3}', fade_out: 2 } } },
          ],
        }
      : {}),
  };
}

function fontsSchema(spec: StyleVersion | null, form: DefinitionForm): JsonSchema {
  const description = 'Fonts in place of those of the template: its font → another that it carries.';
  if (spec === null) return { description, type: 'object', additionalProperties: fontSchema(form) };
  const font = (name: string): JsonSchema => {
    if (form === 'video') return fontSchema(form);
    const examples = (spec.available_fonts ?? spec.fonts).filter((other) => other !== name);
    return { description: `In place of ${name}.`, examples, allOf: [fontSchema(form)] };
  };
  const properties = Object.fromEntries(spec.fonts.map((name) => [name, font(name)]));
  return { description, type: 'object', additionalProperties: false, properties };
}

function outputSchema(form: DefinitionForm): JsonSchema {
  return {
    description: 'How the finished file is made.',
    type: 'object',
    additionalProperties: false,
    properties: {
      format: {
        description:
          'mp4 when absent. mov is ProRes, for editors; png is one still, png_sequence a zip of all frames, webp is animated.',
        enum: OUTPUT_FORMATS,
      },
      height: {
        description: 'Pixels, even; the width follows. The template’s own when absent.',
        ...numberSchema(form, { minimum: 2, maximum: 4096, multipleOf: 2 }),
      },
      fps: {
        description: 'Frames per second. The template’s own when absent.',
        ...numberSchema(form, { minimum: 1, maximum: 120 }),
      },
      quality: { description: 'high when absent.', enum: OUTPUT_QUALITIES },
      codec: {
        description: 'Of an MP4: h264 (when absent), hevc, av1. Of a MOV: prores422 (when absent), prores4444.',
        enum: OUTPUT_CODECS,
      },
    },
  };
}

function deliverSchema(form: DefinitionForm): JsonSchema {
  const to: JsonSchema = { minLength: 1, maxLength: 2000, ...DELIVER_DOCS };
  const one: JsonSchema = {
    additionalProperties: false,
    required: ['to'],
    properties: {
      to: { type: 'string', ...to },
      credential: { description: 'The name of a credential of reelform.yaml, or of the service.', type: 'string' },
    },
  };
  return {
    type: ['string', 'object', 'array'],
    ...to,
    description: `${DELIVER_DOCS.description} In place of what reelform.yaml says; an empty list: nowhere.`,
    ...one,
    items: { type: ['string', 'object'], ...to, ...one },
    ...(form === 'file'
      ? {
          defaultSnippets: [
            { label: 'a bucket', body: 's3://${1:bucket}/${2:videos}/{id}.{extension}' },
            { label: 'with a credential', body: { to: 's3://${1:bucket}/{id}.{extension}', credential: '${2:main}' } },
            { label: 'nowhere', body: [] },
          ],
        }
      : {}),
  };
}

const DELIVER_DOCS = {
  description:
    'Where the finished file goes: s3://bucket/key, gs://bucket/key, azblob://account/container/key or file:path, with {id}, {title}, {fingerprint}, {extension} and {label.<name>} in it.',
  examples: ['s3://videos/{id}.{extension}', 's3://videos/'],
};
