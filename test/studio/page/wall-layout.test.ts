import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layoutWall, nextCell, visibleRows, type WallMeasures } from '../../../src/studio/page/wall-layout.ts';

const MEASURES: WallMeasures = { width: 1000, rowHeight: 200, gap: 10, captionHeight: 50, headingHeight: 40 };

describe('layoutWall()', () => {
  it('fills the width of a row', () => {
    const { rows, sections, height } = layoutWall(
      [{ title: 'launch', aspects: [16 / 9, 16 / 9, 16 / 9, 16 / 9] }],
      MEASURES,
    );
    expect(rows.map(({ cells }) => cells.length)).toEqual([3, 1]);
    expect(rows[0]!.top).toBe(40);
    expect(sections).toEqual([{ title: 'launch', top: 0, height }]);
    const last = rows[0]!.cells[2]!;
    expect(last.left + last.width).toBeGreaterThan(995);
    expect(last.left + last.width).toBeLessThanOrEqual(1000);
    expect(rows[1]!.pictureHeight).toBe(rows[0]!.pictureHeight);
  });

  it('shows every picture once, inside the width, without overlaps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.double({ min: 0.1, max: 5, noNaN: true }), { maxLength: 30 }), { maxLength: 4 }),
        fc.integer({ min: 200, max: 2000 }),
        (groups, width) => {
          const layout = layoutWall(
            groups.map((aspects, index) => ({ title: `group ${index}`, aspects })),
            { ...MEASURES, width },
          );
          const cells = layout.rows.flatMap((row) => row.cells);
          expect(cells.map(({ index }) => index)).toEqual(cells.map((_, index) => index));
          expect(cells).toHaveLength(groups.flat().length);
          let bottom = 0;
          for (const row of layout.rows) {
            expect(row.top).toBeGreaterThanOrEqual(bottom);
            bottom = row.top + row.height;
            let right = 0;
            for (const cell of row.cells) {
              expect(cell.left).toBeGreaterThanOrEqual(right);
              right = cell.left + cell.width;
            }
            expect(right).toBeLessThanOrEqual(width);
          }
          expect(layout.height).toBeGreaterThanOrEqual(bottom);
        },
      ),
    );
  });
});

describe('visibleRows()', () => {
  const layout = layoutWall([{ title: '', aspects: Array.from({ length: 3000 }, () => 1) }], MEASURES);

  it('returns the rows that overlap the window and no others', () => {
    fc.assert(
      fc.property(fc.integer({ min: -500, max: 200_000 }), fc.integer({ min: 1, max: 3000 }), (top, height) => {
        const { first, end } = visibleRows(layout, top, top + height);
        const expected = layout.rows.filter((row) => row.top + row.height > top && row.top < top + height);
        expect(layout.rows.slice(first, end)).toEqual(expected);
      }),
    );
  });

  it('keeps the number of rows small for thousands of cards', () => {
    const { first, end } = visibleRows(layout, 40_000, 41_000);
    expect(end - first).toBeLessThan(7);
  });
});

describe('nextCell()', () => {
  const layout = layoutWall(
    [
      { title: 'a', aspects: [1, 1, 1, 1, 1, 1, 1] },
      { title: 'b', aspects: [2, 2] },
    ],
    MEASURES,
  );

  it.each([
    [0, 'left', 0],
    [0, 'right', 1],
    [8, 'right', 8],
    [4, 'first', 0],
    [0, 'last', 8],
    [0, 'up', 0],
    [0, 'down', 5],
    [6, 'down', 7],
    [7, 'up', 6],
  ] as const)('moves from %i %s to %i', (from, direction, to) => {
    expect(nextCell(layout, from, direction)).toBe(to);
  });
});
