import type { Code } from '../diagnostic.ts';
import { closestMatch } from '../hints.ts';
import { expectation, shown } from './expectation.ts';
import type { Description, Violation } from './violation.ts';

/** The codes for what is wrong in one kind of document. */
export interface PropertyCodes {
  readonly invalid: Code;
  readonly missing: Code;
}

/**
 * A violation in the words of the schema.
 *
 * @param name of what the violation is about: `concurrency`, `a definition`
 */
export function describeProperty(violation: Violation, name: string, codes: PropertyCodes): Description {
  const { path, keyword, params, data, schema } = violation;
  switch (keyword) {
    case 'additionalProperties': {
      const property = String(params.additionalProperty);
      const known = Object.keys(schema.properties ?? {});
      const meant = closestMatch(property, known);
      const hint = meant === null ? `It has ${known.join(', ')}` : `Did you mean ${meant}?`;
      const message = `${shown(property)} is not a property of ${name}`;
      return { code: 'unknown_property', message, hint, path: [...path, property], part: 'key' };
    }
    case 'required': {
      const property = String(params.missingProperty);
      const message = path.length > 0 ? `${name} has no ${property}` : `${property} is missing`;
      return { code: codes.missing, message, hint: `Add ${property}: …`, path: [...path, property], part: 'key' };
    }
    default: {
      const asked = expectation(keyword, schema);
      const hint = hintFor(violation);
      if (!violation.ofName) {
        const came = /(?:Properties|Items)$/.test(keyword) ? '' : `, not ${shown(data)}`;
        return { code: codes.invalid, message: `${name} must be ${asked}${came}`, hint };
      }
      return {
        code: codes.invalid,
        message: `The name ${shown(path.at(-1))} must be ${asked}`,
        hint: 'Rename it',
        part: 'key',
      };
    }
  }
}

function hintFor({ keyword, schema, data }: Violation): string | undefined {
  if (keyword === 'enum') {
    const meant = closestMatch(String(data), (schema.enum ?? []).map(String));
    return meant === null ? undefined : `Did you mean ${meant}?`;
  }
  if (keyword === 'type' && schema.type === 'object') {
    const known = Object.keys(schema.properties ?? {});
    return known.length > 0 ? `Write it as a map of ${known.join(', ')}` : 'Write it as a map, like { name: value }';
  }
  if (keyword === 'minProperties') {
    const left = Object.keys(schema.properties ?? {}).filter((known) => !Object.hasOwn(data as object, known));
    return left.length > 0 ? `Add ${left.join(' or ')}` : undefined;
  }
  // A template's folder without the ./ that tells it from an id.
  const isFolder = keyword === 'pattern' && typeof data === 'string' && /^[^.:/][^:]*\/[^:]*$/.test(data);
  return isFolder ? `Write ./${data}` : undefined;
}
