import { Ajv, type ErrorObject } from 'ajv';
import { type Checks, checksBy, type SchemaSet } from './checks.ts';
import { EDITOR_KEYWORDS } from './json-schema.ts';
import { STRICT_OPTIONS } from './strict-options.ts';
import { violationsOf } from './violation.ts';
import { violationDiagnostics } from './violation-diagnostics.ts';

/** Checks that tell all that is wrong. Import this module lazily: it loads Ajv. */
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
  return checksBy((schemas, subject) => {
    let validate: ((document: unknown) => readonly ErrorObject[]) | null = null;
    return (document, locate) => {
      validate ??= compile(ajv, schemas());
      return violationDiagnostics(violationsOf(validate(document)), subject, locate);
    };
  });
}

function compile(ajv: Ajv, { schema, named = {} }: SchemaSet): (document: unknown) => readonly ErrorObject[] {
  for (const [name, one] of Object.entries(named)) if (ajv.schemas[name] === undefined) ajv.addSchema(one, name);
  const validate = ajv.compile(schema);
  return (document) => (validate(document) ? [] : (validate.errors ?? []));
}
