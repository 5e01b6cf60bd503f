import type { Json } from '../digest.ts';
import type { StyleVersion } from '../wire/style-version.ts';
import { ADDITIONS, additionSchemas } from './addition-schemas.ts';
import { editableDocs, exampleOf, needsQuotes, quoted } from './editable-docs.ts';
import { type JsonSchema, when } from './json-schema.ts';
import { isFillable, kindName, kindSchemas } from './resource-schemas.ts';
import { booleanSchema, type DefinitionForm, idSchema, textSchema } from './value-schemas.ts';

/** A template's name in reelform.yaml and its specification. */
export interface NamedSpec {
  readonly name: string;
  readonly spec: StyleVersion;
}

/**
 * Returns the JSON Schema of definitions for a template; with `video` and no template, for any.
 *
 * The form `file` is for editors. Since a file may be completed by `extends`, by `each` or by a file that extends it,
 * properties are required only if it has a title and neither of these. The form `video` is for merged and filled-in
 * definitions. It references `kindSchemas` by name, so that templates share them, and leaves the properties beside
 * `resources` to `additionsSchema`.
 *
 * @see https://json-schema.org/draft-07/json-schema-validation
 */
export function definitionSchema(template: NamedSpec, form: 'file'): JsonSchema;
export function definitionSchema(template: NamedSpec | null, form: 'video'): JsonSchema;
export function definitionSchema(template: NamedSpec | null, form: DefinitionForm): JsonSchema {
  const required = template === null ? [] : requiredKeys(template.spec);
  const whole = {
    required: ['template', 'title', ...(required.length > 0 ? ['resources'] : [])],
    properties: { resources: { required } },
  };
  const name = template === null ? 'any template' : `the template ${template.name}`;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Video definition',
    description: `One video, several videos, or a fragment, with ${name}.`,
    ...(template !== null && form === 'file'
      ? { definitions: kindSchemas(Object.values(template.spec.editables), form) }
      : {}),
    type: 'object',
    additionalProperties: false,
    properties: {
      template: templateSchema(template),
      ...valueProperties(form),
      ...(form === 'file' ? fileProperties(idSchema()) : {}),
      resources: resourcesSchema(template, form),
      ...(form === 'file' ? additionSchemas(template?.spec ?? null, form) : ANY_ADDITIONS),
    },
    allOf: [form === 'video' ? whole : when(HAS_ALL_OF_A_VIDEO, whole)],
    ...(template === null || form === 'video' ? {} : { defaultSnippets: [newDefinition(template)] }),
  };
}

/**
 * Returns the schema of the properties beside `resources` in a merged and filled-in definition. It is separate because few
 * definitions have them, and compiling a schema takes most of the time of a small plan.
 */
export function additionsSchema(template: NamedSpec | null): JsonSchema {
  return { properties: additionSchemas(template?.spec ?? null, 'video') };
}

/**
 * Returns the schema of a single definition file or fragment. It checks the property names, and the values of `id`,
 * `extends` and `each`. The others are checked after merging and filling in.
 */
export function definitionFileSchema(): JsonSchema {
  const values = ['template', 'resources', ...Object.keys(valueProperties('file')), ...ADDITIONS];
  return {
    type: 'object',
    additionalProperties: false,
    properties: { ...Object.fromEntries(values.map((property) => [property, {}])), ...fileProperties({}) },
  };
}

const ANY_ADDITIONS = Object.fromEntries(ADDITIONS.map((property) => [property, true]));

const HAS_ALL_OF_A_VIDEO: JsonSchema = {
  required: ['title'],
  not: { anyOf: [{ required: ['extends'] }, { required: ['each'] }] },
};

function requiredKeys(spec: StyleVersion): string[] {
  const entries = Object.entries(spec.editables);
  return entries.filter(([, editable]) => editable.required !== false && isFillable(editable)).map(([key]) => key);
}

function templateSchema(template: NamedSpec | null): JsonSchema {
  const description = 'Name of a template in reelform.yaml.';
  return template === null ? { description, type: 'string', minLength: 1 } : { description, const: template.name };
}

function valueProperties(form: DefinitionForm): Record<string, JsonSchema> {
  const text = textSchema(form);
  return {
    title: { description: 'The title of the video, 1 to 255 characters.', minLength: 1, maxLength: 255, ...text },
    description: { description: 'Purpose of the video. Does not change any frame.', ...text },
    labels: {
      description: 'Labels for grouping videos. They do not change any frame.',
      type: 'object',
      additionalProperties: text,
    },
    protect: {
      description: 'If true, plans cannot remove the video.',
      ...booleanSchema(form),
    },
  };
}

/** @param id schema of ids; empty if they are parsed later, which gives better messages */
function fileProperties(id: JsonSchema): Record<string, JsonSchema> {
  const path: JsonSchema = { type: 'string', minLength: 1 };
  return {
    id: {
      description: 'Permanent id of the video. Defaults to its path below the folder of videos, without the extension.',
      ...textSchema('file'),
      minLength: 1,
      ...id,
    },
    extends: {
      description: 'One or more files whose values this definition inherits and may override.',
      type: ['string', 'array'],
      minLength: 1,
      items: path,
      minItems: 1,
      examples: ['./_brand.yaml'],
    },
    each: {
      description: 'Creates one video per row of a data file. ${column} is replaced by the value of the row.',
      type: 'object',
      additionalProperties: false,
      required: ['from', 'id'],
      properties: {
        from: {
          description: 'A CSV file with a header row, or a list of maps in JSON or YAML.',
          ...path,
          examples: ['data/stores.csv'],
        },
        id: {
          description: 'Id of the video of a row, appended to the id of the definition.',
          ...path,
          ...id,
          type: 'string',
          examples: ['${city}'],
        },
      },
    },
  };
}

function resourcesSchema(template: NamedSpec | null, form: DefinitionForm): JsonSchema {
  const description = 'Values for the editables of the template.';
  if (template === null) return { description, type: 'object' };
  const members = Object.entries(template.spec.editables).map(([key, editable]) => {
    const kind = kindName(editable);
    if (form === 'video') return [key, { $ref: kind }] as const;
    // Draft-07 ignores keywords beside `$ref`.
    return [
      key,
      {
        ...editableDocs(key, editable, template.spec.available_fonts ?? template.spec.fonts),
        allOf: [{ $ref: `#/definitions/${kind}` }],
      },
    ] as const;
  });
  return { description, type: 'object', additionalProperties: false, properties: Object.fromEntries(members) };
}

function newDefinition({ name, spec }: NamedSpec): { label: string; description: string; body: Json } {
  const resources: Record<string, Json> = {};
  for (const key of requiredKeys(spec)) {
    const editable = spec.editables[key]!;
    const example = String(exampleOf(editable)[0] ?? '').replaceAll(/[$}\\]/g, '\\$&');
    resources[key] = needsQuotes(editable) ? quoted(example) : example;
  }
  const body = { template: name, title: '${1:Title}', resources };
  return { label: `new ${name} video`, description: 'A definition with all required editables', body };
}
