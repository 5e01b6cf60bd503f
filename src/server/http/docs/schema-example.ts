import { type OpenApiSchema, type OpenApiSchemas, refName } from './open-api-document.ts';

/** A value that fits a schema: its own example, or one put together from those of its parts. */
export function exampleOf(schema: OpenApiSchema, schemas: OpenApiSchemas): unknown {
  const name = refName(schema);
  if (name !== null) return exampleOf(schemas[name] ?? {}, schemas);
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return exampleOf(schema.anyOf[0]!, schemas);
  switch (Array.isArray(schema.type) ? (schema.type[0] as string) : schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([field, value]) => [field, exampleOf(value, schemas)]),
      );
    case 'array':
      return schema.items === undefined ? [] : [exampleOf(schema.items, schemas)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.format === 'uri' ? 'https://example.com/…' : 'text';
  }
}
