import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import planSchema from '../../schemas/reelform-plan.schema.json' with { type: 'json' };
import { STRICT_OPTIONS } from './json-schema.ts';
import { type Violation, violationsOf } from './violation.ts';

/** Checks a value against a schema and tells all that is wrong; nothing, and it holds. */
export type SchemaCheck = (value: unknown) => readonly Violation[];

export interface SchemaCompiler {
  /** Takes a value as it is: a number in a text is no number. */
  strict(schema: object): SchemaCheck;
  /** Takes numbers and booleans that are written as texts, as they are in a URL, and puts them into the value. */
  coercing(schema: object): SchemaCheck;
}

/**
 * Compiles JSON Schemas of 2020-12 for values that come from strangers. Nothing is dropped, filled in or converted
 * silently; a schema with a keyword that does not exist is refused.
 *
 * @param shared schemas by `$id`, which the others refer to as `<id>#`
 */
export function createSchemaCompiler(shared: readonly object[] = []): SchemaCompiler {
  const compilerOf = (coerceTypes: boolean): ((schema: object) => SchemaCheck) => {
    const ajv = new Ajv2020({ ...STRICT_OPTIONS, coerceTypes });
    // Annotations: what they say of a value is checked by whoever uses it.
    for (const format of ['uri', 'uri-reference', 'date-time']) ajv.addFormat(format, true);
    for (const schema of shared) ajv.addSchema(schema);
    return (schema) => {
      const validate = ajv.compile(schema);
      return (value) => (validate(value) ? [] : violationsOf(validate.errors ?? []));
    };
  };
  return { strict: compilerOf(false), coercing: compilerOf(true) };
}

/**
 * A check of plans' documents that may be anybody's, against the schema that is published. It tells the place and the rule
 * of the first thing that is wrong, and null where nothing is. Import this module lazily: it loads Ajv.
 */
export function createPlanCheck(): (document: unknown) => string | null {
  // The first mistake is enough, and all that a stranger may make us keep.
  const ajv = new Ajv({ ...STRICT_OPTIONS, allErrors: false, verbose: false, meta: false, validateSchema: false });
  const validate = ajv.compile(planSchema);
  return (document) => {
    if (validate(document)) return null;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || '/'} ${error?.message ?? 'is not as it should be'}`;
  };
}
