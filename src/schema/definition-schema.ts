import type { Json } from '../digest.ts';
import type { StyleVersion } from '../service/wire.ts';
import { editableDocs, exampleOf } from './editable-docs.ts';
import { type JsonSchema, when } from './json-schema.ts';
import { type DefinitionForm, isFillable, PLACEHOLDER, resourceSchema, textSchema } from './resource-schema.ts';

/** A template as definitions name it. */
export interface NamedSpec {
  readonly name: string;
  readonly spec: StyleVersion;
}

/**
 * The JSON Schema of definitions over one template, or over any. As a `file` it serves editors: whatever is written there
 * may be completed by `extends`, `each` or a file that extends it, so nothing is required but where a title shows that
 * the file is whole. As a `video` it is the rule that a merged and filled-in definition is held against.
 *
 * @see https://json-schema.org/draft-07/json-schema-validation
 */
export function definitionSchema(template: NamedSpec | null, form: DefinitionForm): JsonSchema {
  const required = template === null ? [] : requiredKeys(template.spec);
  const whole = { required: ['template', 'title', ...(required.length > 0 ? ['resources'] : [])] };
  const resources = { properties: { resources: { required } } };
  const name = template === null ? 'any template' : template.name;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: template === null ? 'Video definition' : `Video definition: ${template.name}`,
    description: `A video, several, or a part of one, over ${name}.`,
    type: 'object',
    additionalProperties: false,
    properties: {
      template: templateSchema(template),
      ...properties(form),
      resources: resourcesSchema(template, form),
    },
    ...(form === 'video'
      ? { ...whole, allOf: [resources] }
      : {
          ...when(
            { required: ['title'], not: { anyOf: [{ required: ['extends'] }, { required: ['each'] }] } },
            { ...whole, ...resources },
          ),
          ...(template === null ? {} : { defaultSnippets: [newDefinition(template)] }),
        }),
  };
}

function requiredKeys(spec: StyleVersion): string[] {
  const entries = Object.entries(spec.editables);
  return entries.filter(([, editable]) => editable.required !== false && isFillable(editable)).map(([key]) => key);
}

function templateSchema(template: NamedSpec | null): JsonSchema {
  const description = 'A template that reelform.yaml names.';
  return template === null ? { description, type: 'string', minLength: 1 } : { description, const: template.name };
}

function properties(form: DefinitionForm): Record<string, JsonSchema> {
  const text = textSchema(form);
  const path: JsonSchema = { type: 'string', minLength: 1 };
  const shared: Record<string, JsonSchema> = {
    title: { description: 'The title of the video, 1 to 255 characters.', minLength: 1, maxLength: 255, ...text },
    description: { description: 'What the video is for. It changes no frame.', ...text },
    labels: {
      description: 'Names and texts to sort videos by. They change no frame.',
      type: 'object',
      additionalProperties: text,
    },
    protect: {
      description: 'While true, the video cannot be removed by a plan.',
      ...(form === 'video' ? { type: 'boolean' } : { type: ['boolean', 'string'], pattern: PLACEHOLDER }),
    },
  };
  if (form === 'video') return shared;
  return {
    ...shared,
    id: {
      description:
        'Names the video for good. By default the path of the file below the folder of videos, without its ending.',
      ...text,
      minLength: 1,
    },
    extends: {
      description: 'A file, or several, whose values this one takes over and may replace.',
      type: ['string', 'array'],
      minLength: 1,
      items: path,
      minItems: 1,
      examples: ['./_brand.yaml'],
    },
    each: {
      description: 'Makes one video for every row of a file. ${column} stands for what the row says.',
      type: 'object',
      additionalProperties: false,
      required: ['from', 'id'],
      properties: {
        from: {
          description: 'A CSV file with a header, or a list of maps in JSON or YAML.',
          ...path,
          examples: ['data/stores.csv'],
        },
        id: {
          description: 'Names the video of a row; it follows the id of the definition.',
          ...path,
          examples: ['${city}'],
        },
      },
      defaultSnippets: [
        { label: 'from a CSV file', body: { from: '$' + '{1:data/stores.csv}', id: '\\$\\{$' + '{2:city}\\}' } },
      ],
    },
  };
}

function resourcesSchema(template: NamedSpec | null, form: DefinitionForm): JsonSchema {
  const description = 'What fills the editables of the template.';
  if (template === null) return { description, type: 'object' };
  const editables = Object.entries(template.spec.editables);
  return {
    description,
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      editables.map(([key, editable]) => {
        const schema = resourceSchema(editable, form);
        return [key, form === 'video' ? schema : { ...editableDocs(key, editable), ...schema }];
      }),
    ),
  };
}

function newDefinition({ name, spec }: NamedSpec): { label: string; description: string; body: Json } {
  const resources: Record<string, Json> = {};
  for (const key of requiredKeys(spec))
    resources[key] = String(exampleOf(spec.editables[key]!)[0] ?? '').replaceAll(/[$}\\]/g, '\\$&');
  const body = { template: name, title: '$' + '{1:Title}', resources };
  return { label: `new ${name} video`, description: 'A definition with every required editable', body };
}
