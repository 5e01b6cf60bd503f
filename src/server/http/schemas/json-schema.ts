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
export function idSchema(description: string, example: string): Schema {
  return { type: 'string', pattern: '^[A-Za-z0-9_-]{1,128}$', description, examples: [example] };
}

export const TIMESTAMP: Schema = {
  type: 'string',
  format: 'date-time',
  description: 'ISO 8601, UTC, with milliseconds',
  examples: ['2026-01-01T00:00:00.000Z'],
};
