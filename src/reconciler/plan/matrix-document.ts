import { defined } from '../../kernel/defined.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { MatrixPlace } from '../definition/video.ts';
import type { Plan } from './plan.ts';

/** Size of a definition with variants or locales. */
export interface MatrixDocument {
  readonly definition: string;
  /** All of its videos, with those that are unchanged or wait for translation. */
  readonly videos: number;
  /** The most videos of one variant and locale: 1 without rows. */
  readonly rows: number;
  /** Absent without variants. */
  readonly variants?: number;
  /** Absent without locales. */
  readonly locales?: number;
}

/** Counts the videos of the changed definitions with variants or locales, sorted by definition. Empty for an incomplete plan. */
export function matrixDocument(plan: Plan): MatrixDocument[] {
  const changed = new Set(
    plan.changes.flatMap(({ action, desired }) => (action === 'noop' ? [] : (desired?.matrix?.definition ?? []))),
  );
  return plan.complete ? matricesOf(plan).filter(({ definition }) => changed.has(definition)) : [];
}

/** Counts the videos of all definitions with variants or locales, sorted by definition. */
export function matricesOf({ changes, texts = [] }: Pick<Plan, 'changes' | 'texts'>): MatrixDocument[] {
  const placed = changes.flatMap(({ desired }) => desired?.matrix ?? []);
  const waiting = groupBy(
    texts.filter(({ waits }) => waits),
    ({ definition }) => definition,
  );
  return [...groupBy(placed, ({ definition }) => definition)]
    .map(([definition, group]): MatrixDocument => {
      const others = waiting.get(definition) ?? [];
      const variants = distinct(group, ({ variant }) => variant);
      const locales = distinct([...group, ...others], ({ locale }) => locale);
      const columns = groupBy(group, ({ variant, locale }) => JSON.stringify([variant, locale]));
      const rows = Math.max(...[...columns.values()].map(({ length }) => length));
      return { definition, videos: group.length + others.length, rows, ...defined({ variants, locales }) };
    })
    .sort((a, b) => byCodeUnit(a.definition, b.definition));
}

function distinct<T extends Partial<MatrixPlace>>(
  places: readonly T[],
  read: (place: T) => string | undefined,
): number | undefined {
  const values = new Set(places.map(read).filter((value) => value !== undefined));
  return values.size === 0 ? undefined : values.size;
}
