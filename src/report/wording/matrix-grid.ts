import { groupBy } from '../../kernel/group-by.ts';
import { type TablePlace, tablePlace } from '../../reconciler/definition/matrix-place.ts';
import type { Plan } from '../../reconciler/plan/plan.ts';
import type { GridCell, MatrixGrid } from '../preview/matrix-sheet.ts';
import { videoState } from './plan-words.ts';
import { missingCounts } from './text-words.ts';

/** Most of what one table shows. */
const MAX_LINES = 12;
const MAX_COLUMNS = 6;

/**
 * Returns the tables of definitions with variants or locales in which a picture changes, those with the most changes first. A large
 * table keeps the lines and columns with changes.
 *
 * @param locales order of the lines
 */
export function matrixGrids(plan: Plan, locales: readonly string[]): MatrixGrid[] {
  const cells = [...changedCells(plan), ...waitingCells(plan)];
  return [...groupBy(cells, ({ definition }) => definition)]
    .map(([definition, group]) => ({ group, definition, changes: group.filter(isChanged).length }))
    .filter(({ group, changes }) => changes > 0 && group.length > 1)
    .sort((a, b) => b.changes - a.changes)
    .map(({ definition, group }) => gridOf(definition, group, { plan, locales }));
}

type PlacedCell = GridCell & { readonly definition: string; readonly id: string };

function isChanged({ change }: GridCell): boolean {
  return change !== null;
}

function changedCells({ changes }: Plan): PlacedCell[] {
  return changes.flatMap((change): PlacedCell[] => {
    const { id, action, desired } = change;
    if (desired?.matrix === undefined) return [];
    const { definition } = desired.matrix;
    const picture = action === 'create' || action === 'update' ? action : null;
    return [
      { id, definition, ...tablePlace(id, desired.matrix), words: videoState(change), change: picture, isDrawn: true },
    ];
  });
}

function waitingCells({ texts = [] }: Plan): PlacedCell[] {
  return texts
    .filter(({ waits }) => waits)
    .map((video): PlacedCell => {
      const { id, definition } = video;
      const words = `waits for translation: ${missingCounts(video)}`;
      return { id, definition, ...tablePlace(id, video), words, change: null, isDrawn: false };
    });
}

interface GridContext {
  readonly plan: Plan;
  readonly locales: readonly string[];
}

function gridOf(definition: string, group: readonly PlacedCell[], { plan, locales }: GridContext): MatrixGrid {
  const orderOf = (line: string): number => locales.indexOf(line) >>> 0;
  const all = [...new Set(group.map(({ line }) => line))].sort((a, b) => orderOf(a) - orderOf(b));
  const lines = changedFirst(all, group, 'line', MAX_LINES);
  const columns = changedFirst([...new Set(group.map(({ column }) => column))], group, 'column', MAX_COLUMNS);
  const placed = new Map(group.map((cell) => [JSON.stringify([cell.line, cell.column]), cell]));
  const cells = lines.flatMap((line) =>
    columns.map((column): GridCell => {
      const { definition: _, ...cell } = placed.get(JSON.stringify([line, column])) ?? {
        ...emptyCell([definition, column, line], plan),
        definition,
        line,
        column,
      };
      return cell;
    }),
  );
  const hidden = group.length - cells.filter(({ id }) => id !== null).length;
  return { definition, lines, columns, cells, hidden };
}

/** Chooses lines or columns with changes before others, and keeps their order. */
function changedFirst(
  names: readonly string[],
  group: readonly PlacedCell[],
  side: keyof TablePlace,
  most: number,
): string[] {
  const changed = new Set(group.filter(isChanged).map((cell) => cell[side]));
  const ranked = [...names].sort((a, b) => Number(changed.has(b)) - Number(changed.has(a))).slice(0, most);
  return names.filter((name) => ranked.includes(name));
}

/** Says why a combination has no video. */
function emptyCell(
  parts: readonly string[],
  { leftOutVideos = [], waiting = [] }: Plan,
): Omit<GridCell, keyof TablePlace> {
  const id = parts.filter((part) => part !== '').join('/');
  const leftOut = leftOutVideos.find((video) => video.id === id);
  const spoken = waiting.find((video) => video.id === id);
  const words = leftOut === undefined ? (spoken?.reason ?? 'no video') : `left out: ${leftOut.reason}`;
  return { id: null, words, change: null, isDrawn: false };
}
