import { describe, expect, it } from 'vitest';
import { withRepeaters } from '../../../../src/template/lottie/drawing-form/repeated-shapes.ts';
import { propertyValue } from '../../../../src/template/lottie/property-value.ts';
import { findUnsupported } from '../../../../src/template/lottie/unsupported/find-unsupported.ts';
import { fill, lottie, rectangle, shapeLayer, still, TRANSFORM } from '../../../support/lottie-documents.ts';

const BOX = rectangle(0, 0, 9, 9);
const RED = fill([1, 0, 0, 1]);
const LINE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
const moving = (from: number, to: number) => ({ a: 1, k: [{ t: 0, s: [from], ...LINE }, { t: 3, s: [to] }] }); // biome-ignore format: a property

const repeater = (c: object, so: object, eo: object, changes: object = {}) => ({
  ty: 'rp',
  c,
  o: still(0),
  m: 1,
  tr: { ...TRANSFORM, so, eo },
  ...changes,
});

interface Repeater {
  readonly ty: string;
  readonly c: object;
  readonly o: object;
  readonly tr: { readonly so: { k: unknown }; readonly eo: { k: unknown } };
}

/** Returns the repeaters that draw a shape, those of groups included. */
function repeatersIn(shapes: unknown): Repeater[] {
  return (shapes as { ty: string; it?: unknown }[]).flatMap((shape): Repeater[] => {
    if (shape.ty === 'gr') return repeatersIn(shape.it);
    return shape.ty === 'rp' ? [shape as unknown as Repeater] : [];
  });
}

const formsOf = (repeater: object) => repeatersIn(withRepeaters([BOX, RED, repeater]));

describe('withRepeaters()', () => {
  it.each([
    [4, 100, 40, 20],
    [2, 40, 60, 80],
    [1, 100, 40, 40],
  ])('moves the end of %d copies from %d to %d to %d', (count, start, end, moved) => {
    const [drawn, more] = formsOf(repeater(still(count), still(start), still(end)));
    expect([drawn!.tr.eo.k, more]).toEqual([moved, undefined]);
  });

  it('does not copy repeaters that do not fade', () => {
    const shapes = [BOX, RED, repeater(still(3), still(50), still(50))];
    expect(withRepeaters(shapes)).toBe(shapes);
    const hidden = [BOX, RED, repeater(still(3), still(100), still(0), { hd: true })];
    expect(withRepeaters(hidden)).toBe(hidden);
  });

  it('leaves out a last copy that is transparent', () => {
    const [drawn, more] = formsOf(repeater(still(3), still(100), still(0)));
    expect([drawn, more]).toMatchObject([{ c: still(2), tr: { so: still(100), eo: still(0) } }, undefined]);
  });

  it.each([
    [1, 'over', [1, 2]],
    [2, 'below', [2, 1]],
  ])('draws the last copy %s the others if it is painted there: m is %d', (m, _, counts) => {
    const drawn = formsOf(repeater(still(3), still(0), still(100), { m }));
    expect(drawn.map(({ c }) => propertyValue(c, 0)![0])).toEqual(counts);
    const last = drawn.find(({ c }) => propertyValue(c, 0)![0] === 1)!;
    expect(last).toMatchObject({ o: still(2), tr: { so: still(100) } });
  });

  it('follows a number of copies and an offset that move', () => {
    const [last, allButLast] = formsOf(repeater(moving(0, 3), still(100), still(10), { o: moving(0, 6) }));
    const at = (property: object) => [0, 1, 2, 3].map((time) => propertyValue(property, time)![0]);
    expect([at(allButLast!.c), at(last!.c), at(last!.o)]).toEqual([[0, 1, 1, 2], [0, 0, 1, 1], [0, 2, 5, 8]]); // biome-ignore format: a table
  });

  it('doubles the shapes of three repeaters around one another, and reports a fourth', () => {
    const fading = repeater(still(3), still(10), still(100));
    const nested = (depth: number): object[] =>
      depth === 0 ? [BOX, RED] : [{ ty: 'gr', it: [...nested(depth - 1), { ty: 'tr', ...TRANSFORM }] }, fading];
    const paints = (depth: number) => JSON.stringify(withRepeaters(nested(depth))).split('"fl"').length - 1;
    expect([1, 2, 3, 4, 40].map(paints)).toEqual([2, 4, 8, 8, 8]);
    const found = (depth: number) => findUnsupported(lottie([shapeLayer('s', nested(depth))]));
    expect(found(3)).toEqual([]);
    expect(found(4)).toMatchObject([{ feature: 'repeater_opacity', pointer: '/layers/0/shapes/0/it/1' }]);
  });

  it('leaves a repeater before another fill to the renderer, and reports it', () => {
    const shapes = [BOX, RED, repeater(still(3), still(100), still(0)), fill([0, 1, 0, 1])];
    expect(repeatersIn(withRepeaters(shapes))).toHaveLength(1);
    const [found] = findUnsupported(lottie([shapeLayer('s', shapes)]));
    expect(found).toMatchObject({ feature: 'repeater_opacity', pointer: '/layers/0/shapes/0/it/2' });
  });
});
