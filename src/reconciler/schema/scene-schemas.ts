import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import { scenePlacementSchemas } from './placement-schemas.ts';
import { conditionSchema } from './value-schemas.ts';

/** What a template adds to a scene. */
export interface SceneTemplate {
  readonly name: string;
  readonly resources: JsonSchema;
  readonly fonts: JsonSchema;
}

/** Schemas of properties that scenes share with definitions. */
interface SharedSchemas {
  readonly extends: JsonSchema;
  readonly each: JsonSchema;
  readonly audio: JsonSchema;
  readonly captions: JsonSchema;
}

/** Returns the schema of the list of scenes for editors; it references `sceneSchema` as the definition `scene`. */
export function scenesSchema(templates: readonly SceneTemplate[]): JsonSchema {
  const scene: JsonSchema = { $ref: '#/definitions/scene' };
  const [first] = templates;
  return {
    description:
      'Templates in sequence, instead of template. A list, or a map by id that overrides scenes of an extended file.',
    type: ['array', 'object'],
    minItems: 1,
    items: scene,
    additionalProperties: scene,
    defaultSnippets: [{ label: 'a scene', body: [{ template: first?.name ?? '', resources: {} }] }],
  };
}

/** Returns the schema of a scene for editors, which completes its values by its template. */
export function sceneSchema(templates: readonly SceneTemplate[], shared: SharedSchemas): JsonSchema {
  const cases = templates.map(({ name, resources, fonts }) =>
    when({ required: ['template'], properties: { template: { const: name } } }, { properties: { resources, fonts } }),
  );
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      template: {
        description: 'Name of a template in reelform.yaml.',
        type: 'string',
        minLength: 1,
        examples: templates.map(({ name }) => name),
      },
      id: {
        description: 'Id of the scene in its video. The name of its template by default.',
        type: 'string',
        pattern: '^[A-Za-z0-9_-]{1,100}$',
        patternErrorMessage: 'An id of a scene consists of letters A–Z, digits, "_" and "-"',
      },
      extends: shared.extends,
      when: conditionSchema('Leaves out the scene if the condition is false, like ${offer} or {campaign: spring}.'),
      each: { ...shared.each, description: 'Repeats the scene for each row of a data file or a list.' },
      resources: { description: 'Values for the editables of the template.', type: 'object' },
      fonts: { description: 'Font replacements: font of the template → another font of the template.', type: 'object' },
      audio: { ...shared.audio, description: 'Sounds that begin with the scene: track name → source.' },
      captions: { ...shared.captions, description: 'The timed texts of the scene, from its start.' },
      ...scenePlacementSchemas('file'),
    },
    ...(cases.length === 0 ? {} : { allOf: cases }),
  };
}
