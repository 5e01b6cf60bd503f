import { describe, expect, it } from 'vitest';
import type { MatrixPlace } from '../../../src/reconciler/definition/video.ts';
import type { Plan } from '../../../src/reconciler/plan/plan.ts';
import { matrixGrids } from '../../../src/report/wording/matrix-grid.ts';

type Placed = readonly [id: string, place: MatrixPlace, action: string];

/** Returns a plan with the fields that tables read. */
function planOf(videos: readonly Placed[], fields: Partial<Plan> = {}): Plan {
  const changes = videos.map(([id, matrix, action]) => ({ id, action, reason: null, desired: { id, matrix } }));
  return { changes, complete: true, diagnostics: [], ...fields } as unknown as Plan;
}

const place = (locale: string, variant?: string): MatrixPlace => ({
  definition: 'spring',
  locale,
  ...(variant === undefined ? {} : { variant }),
});

describe('matrixGrids()', () => {
  it('has a line for each locale in the order of reelform.yaml, and a column for each variant', () => {
    const videos: Placed[] = ['tall', 'wide'].flatMap((variant): Placed[] => [
      [`spring/${variant}/de`, place('de', variant), variant === 'tall' ? 'update' : 'noop'],
      [`spring/${variant}/en`, place('en', variant), 'noop'],
    ]);
    const waiting = {
      ...place('ja', 'tall'),
      id: 'spring/tall/ja',
      waits: true,
      untranslated: 1,
      stale: 1,
      fallbacks: 0,
    };
    const leftOutVideos = [{ id: 'spring/wide/ja', path: 'videos/spring.yaml', reason: 'locale is "ja"' }];
    const plan = planOf(videos, { texts: [waiting], leftOutVideos } as unknown as Partial<Plan>);
    const [grid, ...others] = matrixGrids(plan, ['en', 'de', 'ja']);
    expect(others).toEqual([]);
    expect([grid!.lines, grid!.columns, grid!.hidden]).toEqual([['en', 'de', 'ja'], ['tall', 'wide'], 0]);
    expect(grid!.cells.map(({ words, change }) => [words, change])).toEqual([
      ['up to date', null],
      ['up to date', null],
      ['changed', 'update'],
      ['up to date', null],
      ['waits for translation: 2 texts, 1 stale', null],
      ['left out: locale is "ja"', null],
    ]);
  });

  it('keeps the rows that change of a large table, and counts the others', () => {
    const rows = Array.from({ length: 40 }, (_, row): Placed[] => {
      return ['en', 'de'].map((locale) => [`spring/p${row}/${locale}`, place(locale), row === 33 ? 'create' : 'noop']);
    });
    const [grid] = matrixGrids(planOf(rows.flat()), ['en', 'de']);
    expect(grid!.columns).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p33']);
    expect([grid!.cells.length, grid!.hidden]).toEqual([12, 68]);
  });

  it('has the id of a source locale that ids leave out, and rows as lines without locales', () => {
    const kept = planOf([
      ['spring', place('en'), 'create'],
      ['spring/de', place('de'), 'create'],
    ]);
    expect(matrixGrids(kept, ['en', 'de'])[0]!.cells.map(({ line, column, id }) => [line, column, id])).toEqual([
      ['en', '', 'spring'],
      ['de', '', 'spring/de'],
    ]);
    const variants = planOf(
      ['tall', 'wide'].map((variant) => [`spring/lamp/${variant}`, { definition: 'spring', variant }, 'create']),
    );
    expect(matrixGrids(variants, [])[0]).toMatchObject({ lines: ['lamp'], columns: ['tall', 'wide'] });
  });

  it('leaves out definitions without a change of the picture', () => {
    const moved = planOf([
      ['spring/en', place('en'), 'move'],
      ['spring/de', place('de'), 'noop'],
    ]);
    expect(matrixGrids(moved, [])).toEqual([]);
  });
});
