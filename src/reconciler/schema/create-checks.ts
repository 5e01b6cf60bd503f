import { Ajv, type ErrorObject } from 'ajv';
import configSchema from '../../../schemas/reelform-config.schema.json' with { type: 'json' };
import type { Check } from '../../kernel/diagnostic.ts';
import { isRecord } from '../../kernel/json.ts';
import { EDITOR_KEYWORDS, type JsonSchema, STRICT_OPTIONS } from '../../kernel/json-schema/json-schema.ts';
import { violationsOf } from '../../kernel/json-schema/violation.ts';
import { ADDITIONS } from './addition-schemas.ts';
import { additionsSchema, definitionFileSchema, definitionSchema, type NamedSpec } from './definition-schema.ts';
import { kindSchemas } from './resource-schemas.ts';
import { type CheckedDocument, violationDiagnostics } from './violation-diagnostics.ts';

/** Checks of the user's files, with the same schemas as in editors. Each schema is compiled when it is first used. */
export interface Checks {
  /** reelform.yaml. */
  readonly config: Check;
  /** A definition file or fragment, as written. */
  readonly file: Check;
  /** A merged and filled-in definition whose template is not available. */
  readonly anyVideo: Check;
  /** A merged and filled-in definition. */
  video(template: NamedSpec): Check;
}

/** A schema, and the schemas that it references by name. */
interface SchemaSet {
  readonly schema: JsonSchema;
  readonly named?: Readonly<Record<string, JsonSchema>>;
}

/** Creates checks that report all problems of a document. Import this module lazily: it loads Ajv. */
export function createChecks(): Checks {
  const ajv = new Ajv({
    ...STRICT_OPTIONS,
    // Tests verify that our schemas are valid. Compiling them takes most of the time of a small plan.
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addVocabulary(EDITOR_KEYWORDS);
  const check = (schemas: () => SchemaSet, subject: CheckedDocument): Check => {
    let validate: ((document: unknown) => readonly ErrorObject[]) | null = null;
    return (document, locate) => {
      validate ??= compile(ajv, schemas());
      return violationDiagnostics(violationsOf(validate(document)), subject, locate);
    };
  };
  const videoCheck = (template: NamedSpec | null, schemas: () => SchemaSet): Check => {
    const subject: CheckedDocument = { kind: 'definition', template };
    const checkVideo = check(schemas, subject);
    const checkAdditions = check(() => ({ schema: additionsSchema(template) }), subject);
    return (document, locate) => {
      const problems = checkVideo(document, locate);
      return hasAdditions(document) ? [...problems, ...checkAdditions(document, locate)] : problems;
    };
  };
  return {
    config: check(() => ({ schema: configSchema as JsonSchema }), { kind: 'config' }),
    file: check(() => ({ schema: definitionFileSchema() }), { kind: 'definition', template: null }),
    anyVideo: videoCheck(null, () => ({ schema: definitionSchema(null, 'video') })),
    video: (template) =>
      videoCheck(template, () => ({
        schema: definitionSchema(template, 'video'),
        named: kindSchemas(Object.values(template.spec.editables), 'video'),
      })),
  };
}

function hasAdditions(document: unknown): boolean {
  return isRecord(document) && ADDITIONS.some((property) => Object.hasOwn(document, property));
}

function compile(ajv: Ajv, { schema, named = {} }: SchemaSet): (document: unknown) => readonly ErrorObject[] {
  for (const [name, namedSchema] of Object.entries(named)) {
    if (ajv.schemas[name] === undefined) ajv.addSchema(namedSchema, name);
  }
  const validate = ajv.compile(schema);
  return (document) => (validate(document) ? [] : (validate.errors ?? []));
}
