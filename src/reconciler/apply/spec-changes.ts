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

/** How a template's specification on the service differs from the committed specification. */
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
  const { editables: editablesBefore, ...fieldsBefore } = before;
  const { editables: editablesAfter, ...fieldsAfter } = after;
  const keys = [...new Set([...Object.keys(editablesBefore), ...Object.keys(editablesAfter)])];
  const changes = keys.flatMap((editable): SpecChange[] => {
    const editableBefore = ownValue(editablesBefore, editable);
    const editableAfter = ownValue(editablesAfter, editable);
    if (editableBefore === undefined || editableAfter === undefined) {
      return [{ editable, field: null, before: editableBefore, after: editableAfter }];
    }
    return fieldChanges(editable, { ...editableBefore }, { ...editableAfter });
  });
  const [orderBefore, orderAfter] = [Object.keys(editablesBefore), Object.keys(editablesAfter)];
  const isReordered = changes.every(({ field }) => field !== null) && !isSame(orderBefore, orderAfter);
  const order = { editable: null, field: 'editables', before: orderBefore, after: orderAfter };
  return [...changes, ...(isReordered ? [order] : []), ...fieldChanges(null, fieldsBefore, fieldsAfter)];
}

type Fields = Readonly<Record<string, unknown>>;

function fieldChanges(editable: string | null, before: Fields, after: Fields): SpecChange[] {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields
    .map((field) => ({ editable, field, before: ownValue(before, field), after: ownValue(after, field) }))
    .filter((change) => !isSame(change.before, change.after));
}

function isSame(before: unknown, after: unknown): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}
