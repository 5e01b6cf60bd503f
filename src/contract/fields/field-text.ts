import type { Field, Fields, Relation } from './field.ts';

/** Returns the description of a field with its values, its relation and its default, for Markdown. */
export function fieldText(field: Field): string {
  const { description, affects, onlyWith, default: value } = field;
  const facts = [
    ...(affects === undefined ? [] : [`Applies to ${affects}`]),
    ...valuesText(field),
    ...(onlyWith === undefined ? [] : [relationText(onlyWith)]),
    ...(value === undefined ? [] : [`Default: \`${value}\``]),
  ];
  return [description, ...facts.map((fact) => `${fact}.`)].join(' ');
}

function relationText({ field, value, isRequired }: Relation): string {
  const condition = `\`${field}\` is \`${value}\``;
  return isRequired ? `Required if ${condition}, and refused otherwise` : `Only if ${condition}`;
}

/** Returns a Markdown list of fields. */
export function fieldList(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, field]) => `- \`${name}\`: ${fieldText(field)}`)
    .join('\n');
}

function valuesText(field: Field): string[] {
  switch (field.kind) {
    case 'number': {
      const { min, max } = field;
      return min === undefined || max === undefined ? [] : [`From ${min} to ${max}`];
    }
    case 'choice':
      return [`One of ${field.values.map((value) => `\`${value}\``).join(', ')}`];
    case 'boolean':
      return [];
    case 'color':
      return ['RRGGBB or RRGGBBAA'];
  }
}
