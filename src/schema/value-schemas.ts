import type { JsonSchema } from './json-schema.ts';

/**
 * `file`: a definition as its author writes it, with `${column}` wherever a text may stand, and with numbers that count
 * by their text. `video`: merged and filled in, every text a text.
 */
export type DefinitionForm = 'file' | 'video';

/** Found in every text that a row will fill in. */
export const PLACEHOLDER = '\\$\\{';

/** What may stand where a text is meant. */
export function textSchema(form: DefinitionForm, maxLength?: number): JsonSchema {
  const limit = maxLength === undefined ? {} : { maxLength };
  if (form === 'video') return { type: 'string', ...limit };
  const type = ['string', 'number', 'boolean'];
  // How long a text with a placeholder becomes, its row decides.
  return maxLength === undefined
    ? { type }
    : { type, if: { type: 'string', pattern: PLACEHOLDER }, else: { type, ...limit } };
}

/** What may stand where a number is meant. */
export function numberSchema(form: DefinitionForm, limits: JsonSchema): JsonSchema {
  return form === 'video'
    ? { type: 'number', ...limits }
    : { type: ['number', 'string'], pattern: PLACEHOLDER, patternErrorMessage: 'Must be a number', ...limits };
}

/** What may stand where true or false is meant. */
export function booleanSchema(form: DefinitionForm): JsonSchema {
  return form === 'video'
    ? { type: 'boolean' }
    : { type: ['boolean', 'string'], pattern: PLACEHOLDER, patternErrorMessage: 'Must be true or false' };
}

/** What may stand where a colour is meant: 6 or 8 hexadecimal digits, with or without `#`. */
export function colorSchema(form: DefinitionForm): JsonSchema {
  const digits = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})';
  return {
    type: form === 'video' ? 'string' : ['string', 'number'],
    pattern: form === 'video' ? `^${digits}$` : `^(${digits}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: 'A colour has 6 or 8 hexadecimal digits: "#EEADA7"',
  };
}
