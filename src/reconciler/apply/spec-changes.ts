import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { ownValue } from '../../kernel/json.ts';

/** One difference between two specifications of a style version. */
export interface SpecChange {
  /** Key of the editable; null for a field of the specification itself. */
  readonly editable: string | null;
  /** Null where a whole editable was added or removed. */
  readonly field: string | null;
  /** Undefined when the field was added. */
  readonly before: unknown;
  /** Undefined when the field was removed. */
  readonly after: unknown;
}

/** How a template's specification on the service differs from the committed one. */
export type SpecDrift = {
  readonly template: string;
  readonly styleVersion: string;
} & (
  | { readonly kind: 'changed'; readonly changes: readonly SpecChange[] }
  /** The style version has been removed from the service. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unclear'; readonly why: string }
);

/**
 * Returns the differences between two specifications: editables in their former order, then other fields. The order of
 * the editables is part of the template; the order of the keys within an editable is ignored.
 */
export function specChanges(before: StyleVersion, after: StyleVersion): SpecChange[] {
  const { editables: had, ...rest } = before;
  const { editables: has, ...others } = after;
  const keys = [...new Set([...Object.keys(had), ...Object.keys(has)])];
  const changes = keys.flatMap((editable): SpecChange[] => {
    const [one, other] = [ownValue(had, editable), ownValue(has, editable)];
    if (one === undefined || other === undefined) return [{ editable, field: null, before: one, after: other }];
    return fieldChanges(editable, { ...one }, { ...other });
  });
  const isReordered = changes.every(({ field }) => field !== null) && !isSame(Object.keys(had), Object.keys(has));
  const order = { editable: null, field: 'editables', before: Object.keys(had), after: Object.keys(has) };
  return [...changes, ...(isReordered ? [order] : []), ...fieldChanges(null, rest, others)];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldChanges(editable: string | null, before: Fields, after: Fields): SpecChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ editable, field, before: ownValue(before, field), after: ownValue(after, field) }))
    .filter((one) => !isSame(one.before, one.after));
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
