import { describe, expect, it } from 'vitest';
import { layerSpans } from '../../../../src/template/lottie/visibility/layer-spans.ts';
import type { LottieDocument } from '../../../../src/template/render-input.ts';

const layer = (nm: string, changes: object = {}) => ({ ty: 4, nm, ip: 0, op: 100, st: 0, ...changes });

function spansOf(changes: Partial<LottieDocument>) {
  const document: LottieDocument = { w: 64, h: 36, fr: 30, ip: 0, op: 60, layers: [], ...changes };
  return layerSpans(document).map(({ layer: { nm }, from, to, clock }) => [nm, from, to, clock?.start ?? null]);
}

describe('layerSpans()', () => {
  it('counts from the first frame of the animation and ends with it', () => {
    expect(spansOf({ ip: 10, layers: [layer('a'), layer('b', { ip: 20, op: 30, st: 15 })] })).toEqual([
      ['a', 0, 50, -10],
      ['b', 10, 20, 5],
    ]);
  });

  it('leaves out layers that are hidden or never shown', () => {
    expect(
      spansOf({ layers: [layer('a', { hd: true }), layer('b', { ip: 70 }), layer('c', { ip: 5, op: 5 })] }),
    ).toEqual([]);
  });

  it('maps a precomposition through the time of each layer that shows it', () => {
    const layers = [
      layer('first', { ty: 0, refId: 'inner', ip: 10, op: 30, st: 10 }),
      layer('slow', { ty: 0, refId: 'inner', ip: 30, op: 60, st: 30, sr: 2 }),
    ];
    const inner = { id: 'inner', layers: [layer('word', { ip: 5, op: 50, st: 5 })] };
    expect(spansOf({ layers, assets: [inner] })).toEqual([
      ['first', 10, 30, 10],
      ['word', 15, 30, 15],
      ['slow', 30, 60, 30],
      ['word', 40, 60, 40],
    ]);
  });

  it('uses the whole span of a layer with time remapping', () => {
    const layers = [layer('bent', { ty: 0, refId: 'inner', ip: 10, op: 30, tm: { a: 0, k: 1 } })];
    const inner = { id: 'inner', layers: [layer('word', { ip: 500, op: 900 })] };
    expect(spansOf({ layers, assets: [inner] })).toEqual([
      ['bent', 10, 30, 0],
      ['word', 10, 30, null],
    ]);
  });
});

it('layerSpans() follows only layers that show compositions', () => {
  const inside = { id: 'c', layers: [{ ty: 4, ip: 0, op: 10 }] };
  const kindsIn = (ty: number): unknown[] =>
    layerSpans({
      v: '5',
      fr: 10,
      ip: 0,
      op: 10,
      w: 2,
      h: 2,
      assets: [inside],
      layers: [{ ty, refId: 'c', ip: 0, op: 10 }],
    }).map(({ layer }) => layer.ty);
  expect([kindsIn(0), kindsIn(1), kindsIn(2)]).toEqual([[0, 4], [1], [2]]);
});
