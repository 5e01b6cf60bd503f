import type { Diagnostic, Locate } from '../diagnostic.ts';
import type { NamedSpec } from './definition-schema.ts';
import { describeProperty, type PropertyCodes } from './describe-property.ts';
import { describeResource } from './describe-resource.ts';
import type { Description, Violation } from './violation.ts';

/** What a checked document is: it decides the words and the codes. */
export type Subject =
  | { readonly kind: 'config' }
  | { readonly kind: 'definition'; readonly template: NamedSpec | null };

const CONFIG_CODES: PropertyCodes = { invalid: 'config_invalid', missing: 'config_invalid' };
const DEFINITION_CODES: PropertyCodes = { invalid: 'definition_invalid', missing: 'missing_property' };

/** What a schema found, as diagnostics that point into the user's text. */
export function violationDiagnostics(violations: readonly Violation[], subject: Subject, locate: Locate): Diagnostic[] {
  return violations.map((violation) => {
    const { code, message, hint, path = violation.path, part = 'value' } = describe(violation, subject);
    const place = locate(path, part);
    return {
      code,
      severity: 'error',
      message: place.row === undefined ? message : `${message} (${place.row})`,
      hint: place.hint ?? hint,
      at: place.span,
    };
  });
}

function describe(violation: Violation, subject: Subject): Description {
  const name = violation.path.join('.');
  if (subject.kind === 'config') return describeProperty(violation, name || 'reelform.yaml', CONFIG_CODES);
  const { template } = subject;
  const special = template === null ? null : describeResource(violation, template, DEFINITION_CODES);
  return special ?? describeProperty(violation, name || 'a definition', DEFINITION_CODES);
}
