import { expectedValue, type Field, type Fields, isRelationMet, isValueOf } from '../../contract/fields/field.ts';
import { TRANSFORM_FIELDS, type TransformedKind } from '../../contract/fields/transform-fields.ts';
import { suggestion } from '../../kernel/hints.ts';
import { isRecord, jsonPointer } from '../../kernel/json.ts';

export type MappingProblemCode =
  | 'unknown_editable'
  | 'missing_editable'
  | 'wrong_kind'
  | 'invalid_color'
  | 'invalid_url'
  | 'text_too_long'
  | 'font_missing'
  | 'unknown_property'
  | 'definition_invalid';

/** A problem of a resource. */
export interface FieldProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer relative to the resource. */
  readonly at: string;
  readonly detail: string;
}

/** Validates the `transform` of an entry, which may be any JSON, against the supported fields. */
export function checkTransform(transform: unknown, kind: TransformedKind): FieldProblem[] {
  if (transform === undefined) return [];
  if (!isRecord(transform)) return [invalid('', 'transform must be an object')];
  const problems = Object.entries(transform).flatMap(([name, value]) => checkField(name, value, transform, kind));
  return [...problems, ...checkRequired(transform, kind), ...checkMovement(transform, kind)];
}

function checkField(name: string, value: unknown, transform: Json, kind: TransformedKind): FieldProblem[] {
  const fields: Fields = TRANSFORM_FIELDS[kind];
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field === undefined) {
    return [{ code: 'unknown_property', at: jsonPointer(['transform', name]), detail: unknownField(name, kind) }];
  }
  const { onlyWith } = field;
  if (onlyWith !== undefined && !isRelationMet(onlyWith, transform, fields)) {
    const detail = `${name} can only be used with ${onlyWith.field} ${onlyWith.value}`;
    if (!isInvalid(onlyWith.field, transform, fields)) return [invalid(`/${name}`, detail)];
  }
  return isValueOf(field, value) ? [] : [invalid(`/${name}`, `${name} must be ${expectedValue(field)}`)];
}

type Json = Readonly<Record<string, unknown>>;

/** Returns whether the other field has an invalid value, which is reported for that field. */
function isInvalid(field: string, transform: Json, fields: Fields): boolean {
  return Object.hasOwn(transform, field) && !isValueOf(fields[field]!, transform[field]);
}

/** Checks the fields that a value of another field requires: the rectangle of a manual crop. */
function checkRequired(transform: Json, kind: TransformedKind): FieldProblem[] {
  return Object.entries<Field>(TRANSFORM_FIELDS[kind]).flatMap(([name, { onlyWith }]) => {
    const { field = '', value, isRequired = false } = onlyWith ?? {};
    if (!isRequired || transform[field] !== value || Object.hasOwn(transform, name)) return [];
    return [invalid('', `${field} ${value} also needs ${name}`)];
  });
}

function checkMovement({ crop_strategy, animate_strategy = 'none' }: Json, kind: TransformedKind): FieldProblem[] {
  if (kind !== 'video' || crop_strategy !== 'manual' || animate_strategy === 'none') return [];
  return [invalid('/animate_strategy', 'crop_strategy manual can only be used with animate_strategy none')];
}

function unknownField(name: string, kind: TransformedKind): string {
  const kinds = Object.keys(TRANSFORM_FIELDS) as TransformedKind[];
  const allowedKinds = kinds.filter((candidate) => Object.hasOwn(TRANSFORM_FIELDS[candidate], name));
  if (allowedKinds.length > 0) return `${name} can only be used with a source of kind ${allowedKinds.join(' or ')}`;
  return `a transform has no field ${name}${suggestion(name, Object.keys(TRANSFORM_FIELDS[kind]))}`;
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/transform${at}`, detail };
}
