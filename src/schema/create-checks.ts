import { Ajv, type ErrorObject } from 'ajv';
import configSchema from '../../schemas/reelform-config.schema.json' with { type: 'json' };
import { isRecord } from '../is-record.ts';
import type { Check } from '../locate.ts';
import { ADDITIONS } from './addition-schemas.ts';
import { additionsSchema, definitionFileSchema, definitionSchema, type NamedSpec } from './definition-schema.ts';
import { EDITOR_KEYWORDS, type JsonSchema } from './json-schema.ts';
import { kindSchemas } from './kind-schemas.ts';
import { STRICT_OPTIONS } from './strict-options.ts';
import { violationsOf } from './violation.ts';
import { type Subject, violationDiagnostics } from './violation-diagnostics.ts';

/** Checks of users' files, each by the schema that editors use too. A check is compiled when it is first used. */
export interface Checks {
  /** reelform.yaml. */
  readonly config: Check;
  /** Any definition file or part, as written. */
  readonly file: Check;
  /** A merged and filled-in definition over no known template. */
  readonly anyVideo: Check;
  /** A merged and filled-in definition. */
  video(template: NamedSpec): Check;
}

/** Import this module lazily: it loads Ajv. */
export function createChecks(): Checks {
  const ajv = new Ajv({
    ...STRICT_OPTIONS,
    // The schemas are ours: that they are schemas is held by tests. Compiling is most of what a small plan does.
    meta: false,
    validateSchema: false,
    inlineRefs: false,
    code: { optimize: false },
  });
  ajv.addVocabulary(EDITOR_KEYWORDS);
  const check = (schema: JsonSchema | (() => JsonSchema), subject: Subject): Check => {
    let validate: ((document: unknown) => readonly ErrorObject[]) | null = null;
    return (document, locate) => {
      validate ??= compile(ajv, typeof schema === 'function' ? schema() : schema);
      return violationDiagnostics(violationsOf(validate(document)), subject, locate);
    };
  };
  const videoSchema = (template: NamedSpec): JsonSchema => {
    const kinds = kindSchemas(Object.values(template.spec.editables), 'video');
    for (const [name, schema] of Object.entries(kinds))
      if (ajv.schemas[name] === undefined) ajv.addSchema(schema, name);
    return definitionSchema(template, 'video');
  };
  const videoCheck = (template: NamedSpec | null, schema: () => JsonSchema): Check => {
    const subject: Subject = { kind: 'definition', template };
    const checkVideo = check(schema, subject);
    const checkAdditions = check(() => additionsSchema(template), subject);
    return (document, locate) => {
      const problems = checkVideo(document, locate);
      return hasAdditions(document) ? [...problems, ...checkAdditions(document, locate)] : problems;
    };
  };
  return {
    config: check(configSchema as JsonSchema, { kind: 'config' }),
    file: check(definitionFileSchema, { kind: 'definition', template: null }),
    anyVideo: videoCheck(null, () => definitionSchema(null, 'video')),
    video: (template) => videoCheck(template, () => videoSchema(template)),
  };
}

function hasAdditions(document: unknown): boolean {
  return isRecord(document) && ADDITIONS.some((property) => Object.hasOwn(document, property));
}

function compile(ajv: Ajv, schema: JsonSchema): (document: unknown) => readonly ErrorObject[] {
  const validate = ajv.compile(schema);
  return (document) => (validate(document) ? [] : (validate.errors ?? []));
}
