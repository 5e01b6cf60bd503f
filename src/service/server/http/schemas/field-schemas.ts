import { type Field, type Fields, LANGUAGE_TAG } from '../../../../contract/fields/field.ts';
import { defined } from '../../../../kernel/defined.ts';
import type { Schema } from './json-schema.ts';

/** Returns the schemas of the fields of a table. They contain no defaults, which Fastify would add to requests. */
export function fieldSchemas(fields: Fields): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { ...valueSchema(field), description: field.description.replace(/\.$/, '') },
    ]),
  );
}

function valueSchema(field: Field): Schema {
  switch (field.kind) {
    case 'number': {
      const { min, above, max, multipleOf } = field;
      const type = Number.isInteger(multipleOf) ? 'integer' : 'number';
      return { type, ...defined({ minimum: min, exclusiveMinimum: above, maximum: max }) };
    }
    case 'choice':
      return { type: 'string', enum: field.values };
    case 'boolean':
      return { type: 'boolean' };
    case 'names':
      return { type: 'string', examples: ['voice'] };
    case 'text':
      return { type: 'string', minLength: 1, maxLength: field.maxLength };
    case 'language':
      return { type: 'string', pattern: LANGUAGE_TAG.source, examples: ['de'] };
    case 'color':
      return { type: 'string', pattern: '^#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})$' };
  }
}
