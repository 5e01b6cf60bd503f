import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import planSchema from '../../../schemas/reelform-plan.schema.json' with { type: 'json' };
import { STRICT_OPTIONS } from './json-schema.ts';
import { type Violation, violationsOf } from './violation.ts';

/** Validates a value, and returns all violations of the schema. */
type SchemaCheck = (value: unknown) => readonly Violation[];

/**
 * Creates a compiler of JSON Schema 2020-12 for untrusted values. Validation never removes or adds properties. Unknown
 * keywords in a schema throw.
 *
 * @param shared schemas with an `$id`, which other schemas reference as `<id>#`
 */
export function createSchemaCompiler(shared: readonly object[] = []) {
  const compilerOf = (coerceTypes: false | 'array'): ((schema: object) => SchemaCheck) => {
    const ajv = new Ajv2020({ ...STRICT_OPTIONS, coerceTypes });
    // Formats are annotations here. The code that uses a value checks it.
    for (const format of ['uri', 'uri-reference', 'date-time']) ajv.addFormat(format, true);
    for (const schema of shared) ajv.addSchema(schema);
    return (schema) => {
      const validate = ajv.compile(schema);
      return (value) => (validate(value) ? [] : violationsOf(validate.errors ?? []));
    };
  };
  return {
    /** Accepts values as they are, without conversion. */
    strict: compilerOf(false),
    /** Converts strings to numbers, booleans and single-item lists in place, for values from a URL. */
    coercing: compilerOf('array'),
  };
}

/**
 * Creates a check of untrusted plan documents against the published schema. It returns the path and rule of the first
 * violation, or null. Import this module lazily: it loads Ajv.
 */
export function createPlanCheck(): (document: unknown) => string | null {
  // Stops at the first violation, to bound the memory that an untrusted document takes.
  const ajv = new Ajv({ ...STRICT_OPTIONS, allErrors: false, verbose: false, meta: false, validateSchema: false });
  const validate = ajv.compile(planSchema);
  return (document) => {
    if (validate(document)) return null;
    const [error] = validate.errors ?? [];
    return `${error?.instancePath || '/'} ${error?.message ?? 'is not valid'}`;
  };
}
