import type { MatrixDocument } from '../../reconciler/plan/matrix-document.ts';
import type { Action } from '../../reconciler/plan/plan.ts';
import type { ChangeDocument, PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { countNoun, formatCount } from './quantities.ts';

const RENDERING: ReadonlySet<Action> = new Set(['create', 'update', 'restore']);

/**
 * Describes the changes of a definition with variants or locales: `4 locales × 2 variants: 8 videos, 5 to render`; `5 videos to render`
 * in an incomplete plan.
 *
 * @param changes of one definition, with the same action
 */
export function definitionWords(
  { matrices = [] }: PlanDocument,
  changes: readonly [ChangeDocument, ...ChangeDocument[]],
): string {
  const [{ action, matrix }] = changes;
  const todo = `to ${RENDERING.has(action) ? 'render' : action}`;
  const size = matrices.find(({ definition }) => definition === matrix?.definition);
  if (size === undefined) return `${countNoun(changes.length, 'video')} ${todo}`;
  return `${matrixWords(size)}, ${formatCount(changes.length)} ${todo}`;
}

/** Describes the size of a definition with variants or locales: `4 locales × 2 variants: 8 videos`. */
export function matrixWords({ rows, locales, variants, videos }: MatrixDocument): string {
  const sides = [
    ...(rows === 1 ? [] : [countNoun(rows, 'row')]),
    ...(locales === undefined ? [] : [countNoun(locales, 'locale')]),
    ...(variants === undefined ? [] : [countNoun(variants, 'variant')]),
  ];
  return `${sides.join(' × ')}: ${countNoun(videos, 'video')}`;
}
