import type { StyleVersion } from '../wire/style-version.ts';

/** One difference between two specifications of a style version. */
export interface SpecChange {
  /** Key of the editable; null for a field of the specification itself. */
  readonly editable: string | null;
  /** Null where a whole editable was added or removed. */
  readonly field: string | null;
  /** Undefined where there was none. */
  readonly before: unknown;
  /** Undefined where there is none now. */
  readonly after: unknown;
}

/** What became of the specification of a service's template since it was committed. */
export type SpecDrift = {
  readonly template: string;
  readonly styleVersion: string;
} & (
  | { readonly kind: 'changed'; readonly changes: readonly SpecChange[] }
  /** The service does not have the style version any more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'unclear'; readonly why: string }
);

/**
 * Returns how one specification differs from another: editables, in the order of the former ones, then other fields. The order
 * of the editables counts, because it is the template's own; the order of the keys within an editable does not.
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

function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
