import type { Options } from 'ajv';
import type { Json } from '../digest.ts';

/** A JSON Schema of draft-07, the latest that all editors support, with the annotations of YAML editors. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly $ref?: string;
  readonly $comment?: string;
  readonly title?: string;
  readonly description?: string;
  readonly markdownDescription?: string;
  readonly default?: Json;
  readonly examples?: readonly Json[];
  readonly defaultSnippets?: readonly { readonly label: string; readonly description?: string; readonly body: Json }[];
  readonly patternErrorMessage?: string;
  /** Message of an editor for a wrong type. */
  readonly errorMessage?: string;
  readonly definitions?: Readonly<Record<string, JsonSchema>>;
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly multipleOf?: number;
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, JsonSchema | boolean>>;
  readonly propertyNames?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly required?: readonly string[];
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: JsonSchema;
  readonly if?: JsonSchema;
  readonly then?: JsonSchema;
  readonly else?: JsonSchema;
}

/** Annotations of editors, to be registered with the validator. */
export const EDITOR_KEYWORDS = ['markdownDescription', 'defaultSnippets', 'patternErrorMessage', 'errorMessage'];

/** Returns a schema with `if`, `then` and `else`. */
export function when(condition: JsonSchema, consequence: JsonSchema, otherwise?: JsonSchema): JsonSchema {
  // biome-ignore lint/suspicious/noThenProperty: the name of the keyword; a schema is never awaited
  const schema = { if: condition, then: consequence };
  return otherwise === undefined ? schema : { ...schema, else: otherwise };
}

/** Options of Ajv for all schemas: strict, and with all errors. */
export const STRICT_OPTIONS: Options = {
  strict: true,
  strictTypes: false,
  strictRequired: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  logger: false,
};
