import type { Scope } from '../../ports.ts';

/** A JSON Schema of draft 2020-12. Routes validate and serialize with it, and the OpenAPI document includes it. */
export type Schema = Readonly<Record<string, unknown>>;

/** A shared schema; its `$id` is its name in the OpenAPI document. */
export type Component = Schema & { readonly $id: string };

export function ref(component: Component): Schema {
  return { $ref: `${component.$id}#` };
}

export function listOf(items: Schema, more: Schema = {}): Schema {
  return { type: 'array', items, ...more };
}

/** Describes an object whose fields are required unless listed as optional. */
export function objectOf(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** Describes an object in a request: unknown fields are rejected. */
export function closedObjectOf(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  return { ...objectOf(properties, optional), additionalProperties: false };
}

/** Describes an id or name of the service in a path. */
export function identifierSchema(description: string, example: string): Schema {
  return { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$', description, examples: [example] };
}

/** Security of an operation: a token of the operator, or a token issued for a scope. Both need the scope. */
export function scoped(scope: Scope): Readonly<Record<string, readonly string[]>>[] {
  return [{ bearer: [] }, { oauth: [scope] }];
}

export const TIMESTAMP: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds',
  examples: ['2026-01-01T00:00:00.000Z'],
};

/** A limit of a time in a query. `readTime` checks that it exists. */
export function timeFilter(description: string): Schema {
  return {
    type: 'string',
    pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}:[0-9]{2}))?$',
    description: `${description}. ISO 8601: a date, which begins at midnight UTC, or a time with its offset`,
    examples: ['2026-01-01', '2026-01-01T12:00:00Z'],
  };
}

/** Query of an operation without parameters. */
export const NO_QUERY: Schema = closedObjectOf({});

/** Request header of operations with an ETag. */
export const IF_NONE_MATCH = objectOf(
  { 'if-none-match': { type: 'string', description: 'ETag of an earlier response' } },
  ['if-none-match'],
);

/** Body of an operation without input: empty, `{}` or null. */
export const NO_BODY: Schema = { anyOf: [NO_QUERY, { type: 'null' }] };

/** Headers of a request that can be repeated under an idempotency key. */
export const IDEMPOTENCY_HEADERS: Schema = objectOf(
  {
    'idempotency-key': {
      type: 'string',
      description: 'Makes the request safe to retry. 1 to 255 visible ASCII characters, kept for 24 hours',
      examples: ['8e03978e-40d5-43dd-bc93-6894a57f9324'],
    },
  },
  ['idempotency-key'],
);

/** Query of an operation that lists items page by page. @param items plural, capitalized */
export function pageQuery(items: string, filters: Readonly<Record<string, Schema>>): Schema {
  const properties = {
    limit: { type: 'integer', minimum: 1, maximum: 100, description: `${items} per page. Defaults to 20` },
    cursor: {
      type: 'string',
      pattern: '^[A-Za-z0-9_.=-]{1,512}$',
      description: '`next_cursor` of the previous page',
    },
    ...filters,
  };
  return closedObjectOf(properties, Object.keys(properties));
}
