import type { ErrorObject } from 'ajv';
import type { Code } from '../diagnostic.ts';
import { parseJsonPointer } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';

/** One rule of a schema that a document breaks. */
export interface Violation {
  readonly path: readonly string[];
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** What stands at the path. */
  readonly data: unknown;
  /** The schema that holds the keyword. */
  readonly schema: JsonSchema;
  /** Whether the name at the end of the path is meant, not its value. */
  readonly ofName: boolean;
}

/** A violation in our words. */
export interface Description {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Where to point; the violation's own place when absent. */
  readonly path?: readonly string[];
  readonly part?: 'key' | 'value';
}

/** What Ajv found, without the errors that only repeat others. Expects its option `verbose`. */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const violations = errors
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .map((error) => ({
      path: [
        ...parseJsonPointer(error.instancePath),
        ...(error.propertyName === undefined ? [] : [error.propertyName]),
      ],
      keyword: error.keyword,
      params: error.params,
      data: error.data,
      schema: (error.parentSchema ?? {}) as JsonSchema,
      ofName: error.propertyName !== undefined,
    }));
  // A field under a wrong name is one mistake: that the right one is missing follows from it.
  const misnamed = new Set(violations.filter(({ keyword }) => keyword === 'additionalProperties').map(pathText));
  return violations.filter(
    (violation) => violation.keyword !== 'required' || violation.path.length < 2 || !misnamed.has(pathText(violation)),
  );
}

function pathText({ path }: Pick<Violation, 'path'>): string {
  return JSON.stringify(path);
}
