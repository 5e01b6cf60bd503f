import { type JsonSchema, when } from './json-schema.ts';

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

const COLOR_MESSAGE = 'A colour has 6 or 8 hexadecimal digits: "#EEADA7"';

/**
 * What may stand where a colour is meant: 6 or 8 hexadecimal digits, with or without `#`.
 *
 * Reelform reads the text of an unquoted `000000`, but an editor has only the number 0. Of numbers it accepts those that
 * are certainly written with 6 or 8 digits, and 0: of any other, such as 12345, it cannot know whether zeros precede them.
 */
export function colorSchema(form: DefinitionForm): JsonSchema {
  const digits = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})';
  if (form === 'video') return { type: 'string', pattern: `^${digits}$`, patternErrorMessage: COLOR_MESSAGE };
  return {
    type: ['string', 'number'],
    errorMessage: COLOR_MESSAGE,
    pattern: `^(${digits}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: COLOR_MESSAGE,
    ...when(
      { type: 'number', not: { anyOf: [{ const: 0 }, integers(1e5, 1e6 - 1), integers(1e7, 1e8 - 1)] } },
      { type: 'string', errorMessage: `${COLOR_MESSAGE}. Put one of digits alone in quotes` },
    ),
  };
}

function integers(minimum: number, maximum: number): JsonSchema {
  return { minimum, maximum, multipleOf: 1 };
}

/** The id of a video, or a part of one, as `parseVideoId` reads it; a placeholder can stand for anything. */
export function idSchema(): JsonSchema {
  const segment = '(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+';
  return {
    ...textSchema('file'),
    pattern: `^((?=.{1,200}$)${segment}(/${segment})*|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage:
      'An id has letters A–Z, digits, ".", "_", "-", and "/" between its parts; 200 characters at most',
  };
}
