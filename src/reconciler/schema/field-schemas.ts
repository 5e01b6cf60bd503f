import type { Field, Fields, NumberField, Relation } from '../../contract/fields/field.ts';
import { defined } from '../../kernel/defined.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import { booleanSchema, colorSchema, type DefinitionForm, numberSchema } from './value-schemas.ts';

/** Returns the schemas of the fields of a table. */
export function fieldSchemas(fields: Fields, form: DefinitionForm): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      { description: field.description, ...fieldSchema(field, form) },
    ]),
  );
}

function fieldSchema(field: Field, form: DefinitionForm): JsonSchema {
  switch (field.kind) {
    case 'number':
      return numberSchema(form, limitsOf(field));
    case 'choice':
      return { enum: field.values, ...defined({ default: field.isProposed ? field.default : undefined }) };
    case 'boolean':
      return booleanSchema(form);
    case 'color':
      return colorSchema(form);
  }
}

function limitsOf({ min, above, max, multipleOf }: NumberField): JsonSchema {
  return defined({ minimum: min, exclusiveMinimum: above, maximum: max, multipleOf });
}

/** Returns the rules for fields that may be used only with a value of another field. */
export function fieldRules(fields: Fields): JsonSchema[] {
  const groups = new Map<string, { readonly relation: Relation; readonly names: string[] }>();
  for (const [name, { onlyWith }] of Object.entries(fields)) {
    if (onlyWith === undefined) continue;
    const key = `${onlyWith.field}=${onlyWith.value}`;
    const group = groups.get(key) ?? { relation: onlyWith, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ relation, names }) => {
    const required = names.filter((name) => fields[name]!.onlyWith!.isRequired);
    return [
      ...(required.length === 0 ? [] : [when(hasValue(relation.field, relation.value), { required })]),
      when(isUnmet(relation, fields), refused(...names)),
    ];
  });
}

/** Matches objects in which the other field has a different value, or a different default. */
function isUnmet({ field, value, isImplied }: Relation, fields: Fields): JsonSchema {
  const choice = fields[field]!;
  const values = choice.kind === 'choice' ? choice.values.filter((known) => known !== value) : [];
  const properties = { [field]: { enum: values } };
  if (isImplied !== true && choice.default !== value) return { properties };
  return values.length === 1 ? hasValue(field, values[0]!) : { properties, required: [field] };
}

/** Matches objects with this value of a field. */
export function hasValue(field: string, value: string): JsonSchema {
  return { required: [field], properties: { [field]: { const: value } } };
}

/** Refuses all values of the fields. */
export function refused(...fields: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(fields.map((field) => [field, false])) };
}
