import { escapeHtml, inlineHtml } from './html.ts';
import { type OpenApiSchema, refName } from './open-api-document.ts';

/** The kind of a value in a few words; what is described elsewhere on the page is a link. */
export function typeHtml(schema: OpenApiSchema): string {
  const name = refName(schema);
  if (name !== null) return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeHtml).join(' or ');
  if (schema.items !== undefined) return `array of ${typeHtml(schema.items)}`;
  const types = (typeof schema.type === 'string' ? [schema.type] : (schema.type ?? ['any'])).join(' or ');
  if (types === 'object' && typeof schema.additionalProperties === 'object') {
    return `map of ${typeHtml(schema.additionalProperties)}`;
  }
  return `${escapeHtml(types)}${limitsOf(schema)}`;
}

function limitsOf({ minimum, maximum, exclusiveMinimum, minLength, maxLength }: OpenApiSchema): string {
  if (maxLength !== undefined) return `, ${minLength ?? 0}–${maxLength} characters`;
  if (maximum !== undefined && maximum < 1_000_000_000)
    return `, ${minimum ?? `above ${exclusiveMinimum}, to`}${minimum === undefined ? ' ' : '–'}${maximum}`;
  return '';
}

/**
 * The fields of an object, those of objects in it below them. Where nothing else may stand, clients write it, and want to
 * know what they have to say; everywhere else, what they may find missing.
 */
export function fieldsHtml(schema: OpenApiSchema): string {
  const inner = objectIn(schema);
  if (inner?.properties === undefined) return '';
  const isRequired = new Set(inner.required ?? []);
  const rows = Object.entries(inner.properties).map(([name, field]) =>
    fieldHtml(name, field, markOf(isRequired.has(name), inner.additionalProperties === false)),
  );
  return `<ul class="fields">${rows.join('')}</ul>`;
}

/** One field or parameter. */
export function fieldHtml(name: string, schema: OpenApiSchema, mark: string, place = ''): string {
  const values =
    schema.enum === undefined
      ? ''
      : `<p class="values">${schema.enum.map((one) => `<code>${escapeHtml(String(one))}</code>`).join(' ')}</p>`;
  const about = schema.description === undefined ? '' : `<p>${inlineHtml(schema.description)}</p>`;
  const marks = [
    `<span class="type">${typeHtml(schema)}</span>`,
    place === '' ? '' : `<span class="place">${place}</span>`,
    mark,
  ].join(' ');
  return `<li><div class="name"><code>${escapeHtml(name)}</code> ${marks}</div>${about}${values}${fieldsHtml(schema)}</li>`;
}

/** @param isWritten by clients */
export function markOf(isRequired: boolean, isWritten: boolean): string {
  if (isRequired === isWritten)
    return isWritten ? '<span class="must">required</span>' : '<span class="may">optional</span>';
  return '';
}

/** The object that a field is, or is a list of. */
function objectIn(schema: OpenApiSchema): OpenApiSchema | null {
  if (schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return objectIn(schema.items);
  return schema.anyOf?.map(objectIn).find((one) => one !== null) ?? null;
}
