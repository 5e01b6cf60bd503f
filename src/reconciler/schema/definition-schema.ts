import type { StyleVersion } from '../../contract/wire/style-version.ts';
import type { Json } from '../../kernel/digest.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import { SCENE_PROPERTIES } from '../definition/merge-definitions.ts';
import { ADDITIONS, additionSchemas } from './addition-schemas.ts';
import { editableDocs, exampleOf, needsQuotes, quoted } from './editable-docs.ts';
import { scenePlacementSchemas, videoPlacementSchemas } from './placement-schemas.ts';
import { isFillable, kindName, kindSchemas } from './resource-schemas.ts';
import { type SceneTemplate, sceneSchema, scenesSchema } from './scene-schemas.ts';
import { booleanSchema, conditionSchema, type DefinitionForm, textSchema, videoIdSchema } from './value-schemas.ts';

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
      ? {
          definitions: {
            ...kindSchemas(Object.values(template.spec.editables), form),
            scene: sceneOf([template]),
            override: overrideSchema(),
          },
        }
      : {}),
    type: 'object',
    additionalProperties: false,
    properties: {
      template: templateSchema(template),
      ...valueProperties(form),
      ...(form === 'file' ? fileProperties(videoIdSchema()) : {}),
      ...(form === 'file' ? { scenes: scenesSchema(template === null ? [] : [sceneTemplate(template)]) } : {}),
      ...(form === 'file' ? MATRIX : {}),
      resources: resourcesSchema(template, form),
      ...(form === 'file' ? additionSchemas(template?.spec ?? null, form) : ANY_ADDITIONS),
      ...(form === 'file' ? PLACEMENTS : ANY_PLACEMENT),
    },
    allOf: [form === 'video' ? whole : when({ ...HAS_ALL_OF_A_VIDEO, allOf: [{ not: HAS_SCENES }] }, whole)],
    ...(template === null || form === 'video' ? {} : { defaultSnippets: [newDefinition(template)] }),
  };
}

/** Returns the JSON Schema for editors of definitions with scenes, whose values it completes by their templates. */
export function scenesDefinitionSchema(templates: readonly NamedSpec[]): JsonSchema {
  const editables = templates.flatMap(({ spec }) => Object.values(spec.editables));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Video definition with scenes',
    description: 'One video, several videos, or a fragment, with scenes of any template.',
    definitions: {
      ...kindSchemas(editables, 'file'),
      scene: sceneOf(templates),
      override: overrideSchema(),
    },
    type: 'object',
    additionalProperties: false,
    properties: {
      ...valueProperties('file'),
      ...fileProperties(videoIdSchema()),
      resources: SHARED_RESOURCES,
      ...additionSchemas(null, 'file'),
      ...PLACEMENTS,
      scenes: scenesSchema(templates.map(sceneTemplate)),
      ...MATRIX,
    },
    allOf: [when(HAS_ALL_OF_A_VIDEO, { required: ['scenes'] })],
  };
}

const SHARED_RESOURCES: JsonSchema = {
  description: 'Values for every scene whose template has the key.',
  type: 'object',
};

/** `variants` and `locales`; they reference `overrideSchema` as the definition `override`. */
const MATRIX: Record<'variants' | 'locales', JsonSchema> = {
  variants: {
    description:
      'Forms of the video, each with the values that differ. Their names are part of the ids: name → values.',
    type: 'object',
    minProperties: 1,
    additionalProperties: { $ref: '#/definitions/override' },
    defaultSnippets: [{ label: 'a variant', body: { '${1:tall}': { output: { height: 1920 } } } }],
  },
  locales: {
    description:
      'Languages of the video, of those in reelform.yaml: all, a list, or a map of the values that differ: tag → values.',
    type: ['string', 'array', 'object'],
    minLength: 1,
    minItems: 1,
    minProperties: 1,
    items: { type: 'string', minLength: 1 },
    additionalProperties: { $ref: '#/definitions/override' },
    examples: ['all'],
  },
};

/** Returns the schema of the values of a variant or a locale for editors: those of the definition. */
function overrideSchema(): JsonSchema {
  const names = [...Object.keys(valueProperties('file')), 'when', 'resources', ...ADDITIONS, ...PLACED, 'scenes'];
  return {
    description: 'Values that differ from those of the definition.',
    type: ['object', 'null'],
    additionalProperties: false,
    properties: {
      template: templateSchema(null),
      ...Object.fromEntries(names.map((name) => [name, { $ref: `#/properties/${name}` }])),
    },
  };
}

function sceneOf(templates: readonly NamedSpec[]): JsonSchema {
  const { extends: extendsSchema, each } = fileProperties(videoIdSchema()) as Record<'extends' | 'each', JsonSchema>;
  const { audio, captions } = additionSchemas(null, 'file');
  return sceneSchema(templates.map(sceneTemplate), { extends: extendsSchema, each, audio, captions });
}

/** Values that the definition gives to all scenes may be missing in a scene. */
function sceneTemplate(template: NamedSpec): SceneTemplate {
  const { fonts } = additionSchemas(template.spec, 'file');
  return { name: template.name, resources: resourcesSchema(template, 'file'), fonts };
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
  const names = ['template', 'resources', ...Object.keys(valueProperties('file')), ...ADDITIONS, ...PLACED, 'when'];
  const values: Record<string, JsonSchema> = Object.fromEntries(names.map((property) => [property, {}]));
  const { extends: _, ...inOverride } = scenesFileSchema().items!.properties as Record<string, JsonSchema>;
  // `matrix.ts` says why these are not allowed.
  const refused: Record<string, JsonSchema> = { id: {}, each: {}, extends: {}, variants: {}, locales: {} };
  const override: JsonSchema = {
    type: ['object', 'null'],
    additionalProperties: false,
    properties: { ...values, ...refused, scenes: scenesOf(inOverride) },
  };
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      ...values,
      ...fileProperties({}),
      scenes: scenesFileSchema(),
      variants: { ...MATRIX.variants, additionalProperties: override },
      locales: { ...MATRIX.locales, additionalProperties: override },
    },
  };
}

/** Scenes as written: a list, or a map by id that overrides scenes of a fragment. Their values are checked later. */
function scenesFileSchema(): JsonSchema {
  const values = Object.fromEntries(SCENE_PROPERTIES.map((property) => [property, {}]));
  const { extends: extendsSchema, each } = fileProperties({}) as Record<string, JsonSchema>;
  return scenesOf({ ...values, id: { type: 'string', minLength: 1 }, extends: extendsSchema!, each: each! });
}

function scenesOf(properties: Record<string, JsonSchema>): JsonSchema {
  const scene: JsonSchema = { type: 'object', additionalProperties: false, properties };
  const { id: _, each: __, ...overridable } = properties;
  return {
    type: ['array', 'object'],
    minItems: 1,
    items: scene,
    additionalProperties: { ...scene, properties: overridable },
  };
}

const PLACEMENTS = { ...scenePlacementSchemas('file'), ...videoPlacementSchemas('file') };
const PLACED = Object.keys(PLACEMENTS);
const ANY_PLACEMENT = Object.fromEntries(PLACED.map((property) => [property, true]));
const ANY_ADDITIONS = Object.fromEntries(ADDITIONS.map((property) => [property, true]));

const HAS_ALL_OF_A_VIDEO: JsonSchema = {
  required: ['title'],
  not: {
    anyOf: [{ required: ['extends'] }, { required: ['each'] }, { required: ['variants'] }, { required: ['locales'] }],
  },
};
const HAS_SCENES: JsonSchema = { required: ['scenes'] };

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
    when: conditionSchema('Leaves out the video if the condition is false, like ${offer} or {campaign: spring}.'),
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
          description: 'A CSV file with a header row, a list of maps in JSON or YAML, or such a list itself.',
          type: ['string', 'array'],
          minLength: 1,
          items: { type: 'object' },
          examples: ['data/stores.csv'],
        },
        where: conditionSchema('Uses only the rows for which the condition is true, like {campaign: spring}.'),
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
