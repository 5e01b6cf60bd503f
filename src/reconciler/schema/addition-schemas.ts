import { OUTPUT_FIELDS } from '../../contract/fields/output-fields.ts';
import { MAX_TRACKS, TRACK_NAME } from '../../contract/wire/mapping.ts';
import { MAX_OUTPUTS, OUTPUT_NAME } from '../../contract/wire/output.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import type { JsonSchema } from '../../kernel/json-schema/json-schema.ts';
import { captionsSchema } from './captions-schema.ts';
import { fontSchema, trackSchema } from './resource-schemas.ts';
import { type DefinitionForm, fieldSchemas } from './value-schemas.ts';

export const ADDITIONS = ['audio', 'captions', 'fonts', 'output', 'outputs', 'deliver'] as const;

/** Returns the schemas of the optional properties beside `resources`. */
export function additionSchemas(
  spec: StyleVersion | null,
  form: DefinitionForm,
): Record<(typeof ADDITIONS)[number], JsonSchema> {
  return {
    audio: audioSchema(form),
    captions: captionsSchema(form),
    fonts: fontsSchema(spec, form),
    output: outputSchema(form),
    outputs: outputsSchema(form),
    deliver: deliverSchema(form),
  };
}

function audioSchema(form: DefinitionForm): JsonSchema {
  return {
    description: 'Sounds mixed over the sound of the template: track name → source.',
    type: 'object',
    maxProperties: MAX_TRACKS,
    propertyNames: {
      pattern: TRACK_NAME.source,
      patternErrorMessage: 'Must be 1 to 64 letters, digits, - and _, starting with a letter or digit',
    },
    additionalProperties: trackSchema(form),
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'a track', body: { '${1:main}': './${2:music.mp3}' } },
        { label: 'a track with fades', body: { '${1:main}': { source: './${2:music.mp3}', fade_out: 2 } } },
      ],
    }),
  };
}

function fontsSchema(spec: StyleVersion | null, form: DefinitionForm): JsonSchema {
  const description = 'Font replacements: font of the template → another font of the template.';
  if (spec === null) return { description, type: 'object', additionalProperties: fontSchema(form) };
  const font = (name: string): JsonSchema => {
    if (form === 'video') return fontSchema(form);
    const examples = (spec.available_fonts ?? spec.fonts).filter((candidate) => candidate !== name);
    return { description: `Replacement for ${name}.`, examples, allOf: [fontSchema(form)] };
  };
  const properties = Object.fromEntries(spec.fonts.map((name) => [name, font(name)]));
  return { description, type: 'object', additionalProperties: false, properties };
}

function outputSchema(form: DefinitionForm): JsonSchema {
  return {
    description: 'Format and size of the finished file.',
    type: 'object',
    additionalProperties: false,
    properties: fieldSchemas(OUTPUT_FIELDS, form),
  };
}

function outputsSchema(form: DefinitionForm): JsonSchema {
  const { properties, ...output } = outputSchema(form);
  return {
    description:
      'Several files of the video, instead of "output". The first is the main one. Replaces "output" and "outputs" of reelform.yaml.',
    type: 'array',
    minItems: 1,
    maxItems: MAX_OUTPUTS,
    items: {
      ...output,
      required: ['name'],
      properties: {
        name: {
          description: 'Unique name, part of the names of files and the value of {output} in "deliver".',
          type: 'string',
          pattern: OUTPUT_NAME.source,
          patternErrorMessage: 'Must be 1 to 32 letters, digits, - and _, starting with a letter or digit',
        },
        ...(properties as object),
      },
    },
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'a video and a poster', body: [{ name: 'video' }, { name: 'poster', format: 'png' }] },
        { label: 'a video and a GIF', body: [{ name: 'video' }, { name: 'preview', format: 'gif', height: 360 }] },
      ],
    }),
  };
}

function deliverSchema(form: DefinitionForm): JsonSchema {
  const to: JsonSchema = { minLength: 1, maxLength: 2000, ...DELIVER_DOCS };
  const entry: JsonSchema = {
    additionalProperties: false,
    required: ['to'],
    properties: {
      to: { type: 'string', ...to },
      credential: { description: 'Name of a credential in reelform.yaml or on the service.', type: 'string' },
    },
  };
  return {
    type: ['string', 'object', 'array'],
    ...to,
    description: `${DELIVER_DOCS.description} Replaces "deliver" of reelform.yaml; an empty list disables deliveries.`,
    ...entry,
    items: { type: ['string', 'object'], ...to, ...entry },
    ...(form === 'file' && {
      defaultSnippets: [
        { label: 'a bucket', body: 's3://${1:bucket}/${2:videos}/{id}.{extension}' },
        { label: 'with a credential', body: { to: 's3://${1:bucket}/{id}.{extension}', credential: '${2:main}' } },
        { label: 'nowhere', body: [] },
      ],
    }),
  };
}

const DELIVER_DOCS = {
  description:
    'Destinations of the finished file: s3://bucket/key, gs://bucket/key, azblob://account/container/key or file:path. Placeholders: {id}, {title}, {fingerprint}, {extension}, {output}, {locale}, {variant} and {label.<name>}.',
  examples: ['s3://videos/{id}.{extension}', 's3://videos/'],
};
