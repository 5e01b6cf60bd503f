import type { Diagnostic } from '../diagnostic.ts';
import { type Checks, checksBy, type SchemaSet } from './checks.ts';
import { holds } from './holds.ts';

/**
 * Checks that only tell whether something is wrong, by one diagnostic that nobody should read: `createChecks` says what.
 * They compile nothing: for a few documents that is most of the work.
 */
export function createQuickChecks(): Checks {
  return checksBy((schemas) => {
    let made: SchemaSet | null = null;
    return (document, locate) => {
      made ??= schemas();
      return holds(made.schema, document, made.named) ? [] : [{ ...SOMETHING, at: locate([], 'value').span }];
    };
  });
}

const SOMETHING: Omit<Diagnostic, 'at'> = {
  code: 'definition_invalid',
  severity: 'error',
  message: 'Something is wrong with it',
};
