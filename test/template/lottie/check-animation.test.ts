import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CheckAnimationOptions, checkAnimation } from '../../../src/template/lottie/check-animation.ts';

type Layer = Record<string, unknown>;

function animation(layers: unknown, changes: object = {}): unknown {
  return { v: '5.11.0', w: 64, h: 36, fr: 30, ip: 0, op: 60, layers, assets: [], ...changes };
}

function shape(ind: number, changes: Layer = {}): Layer {
  return { ty: 4, ind, shapes: [], ...changes };
}

function precomposition(refId: string, ind = 1): Layer {
  return { ty: 0, ind, refId };
}

/** JSON pointers of the problems. */
function places(value: unknown, options?: CheckAnimationOptions): string[] {
  return checkAnimation(value, options).map((problem) => problem.slice(0, problem.indexOf(':')));
}

function nested(levels: number): unknown {
  let item: unknown = { ty: 'fl' };
  for (let level = 0; level < levels; level++) item = { ty: 'gr', it: [item] };
  return item;
}

function repeated<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index));
}

describe('checkAnimation()', () => {
  test('accepts an ordinary animation', () => {
    const assets = [
      { id: 'comp', layers: [shape(1), shape(2, { parent: 1 })] },
      { id: 'photo', p: 'data:image/png;base64,' },
    ];
    const layers = [precomposition('comp', 1), precomposition('comp', 2), shape(3, { tt: 1, tp: 1, parent: 2 })];
    expect(checkAnimation(animation(layers, { assets }))).toEqual([]);
  });

  const killers: [string, unknown, string[]][] = [
    ['groups in groups that overflow the native stack', animation([shape(1, { shapes: [nested(20_000)] })]), []],
    [
      'a precomposition that contains itself',
      animation([precomposition('a')], { assets: [{ id: 'a', layers: [precomposition('a')] }] }),
      ['/assets/0/layers'],
    ],
    [
      'a circle of precompositions',
      animation([precomposition('a')], {
        assets: [
          { id: 'a', layers: [precomposition('b')] },
          { id: 'b', layers: [precomposition('a')] },
        ],
      }),
      ['/assets/0/layers'],
    ],
    [
      'precompositions that multiply',
      animation([precomposition('c0')], {
        assets: repeated(7, (level) => ({
          id: `c${level}`,
          layers: repeated(10, (ind) => (level === 6 ? shape(ind) : precomposition(`c${level + 1}`, ind))),
        })),
      }),
      ['/layers'],
    ],
    [
      'a long chain of precompositions',
      animation([precomposition('c0')], {
        assets: repeated(5_000, (level) => ({ id: `c${level}`, layers: [precomposition(`c${level + 1}`)] })),
      }),
      ['/layers'],
    ],
    ['too many layers', animation(repeated(20_001, (ind) => shape(ind))), ['/layers']],
    [
      'a long chain of parents',
      animation(repeated(19_000, (ind) => shape(ind, { parent: ind + 1 }))),
      ['/layers/0/parent'],
    ],
    ['a circle of parents', animation([shape(1, { parent: 2 }), shape(2, { parent: 1 })]), ['/layers/0/parent']],
    ['layers that share a number, with mattes', animation([shape(1), shape(1, { tt: 1 })]), ['/layers/1/ind']],
    ['a chain of effects', animation([shape(1, { ef: repeated(20_000, () => ({ ty: 21 })) })]), ['/layers/0/ef']],
    [
      'a chain of masks',
      animation([shape(1, { masksProperties: repeated(5_000, () => ({})) })]),
      ['/layers/0/masksProperties'],
    ],
    [
      'a chain of shape modifiers',
      animation([shape(1, { shapes: [{ ty: 'gr', it: repeated(20_000, () => ({ ty: 'mm' })) }] })]),
      ['/layers/0/shapes/0/it'],
    ],
    ['an endless duration', animation([], { op: 1e12 }), ['/op']],
    ['a frame rate that is not finite', animation([], { fr: Number.POSITIVE_INFINITY }), ['/fr']],
    ['a frame rate beyond reason', animation([], { fr: 1e308 }), ['/fr']],
    ['no frame rate', animation([], { fr: undefined }), ['/fr']],
    ['an end before the start', animation([], { ip: 60 }), ['/op']],
    ['a size that canvases answer with blank pixels', animation([], { w: 32_768 }), ['/w']],
    ['a size of zero', animation([], { h: 0 }), ['/h']],
    ['layers that are no list', animation({}), ['/layers']],
    ['something that is no object', [], ['/']],
  ];
  test.each(killers)('rejects %s', (_, value, expected) => {
    const found = places(value);
    expect(found.length).toBeGreaterThan(0);
    if (expected.length > 0) expect(found).toEqual(expected);
  });

  test('allows layers to share an index that no layer refers to', () => {
    expect(checkAnimation(animation([shape(6), shape(6)]))).toEqual([]);
  });

  test('rejects external images and fonts unless the package supplies them', () => {
    const document = animation([], {
      assets: [
        { id: 'photo', u: 'images/', p: '../../etc/passwd' },
        { id: 'inside', p: 'data:image/png;base64,' },
      ],
      fonts: {
        list: [
          { fName: 'Inter', fPath: 'https://fonts.example/inter.ttf' },
          { fName: 'Mono', fPath: '' },
        ],
      },
    });
    expect(places(document)).toEqual(['/assets/0/p', '/fonts/list/0/fPath']);
    expect(places(document, { suppliedAssets: new Set(['photo']), suppliedFonts: new Set(['Inter']) })).toEqual([]);
  });

  test('accepts any JSON without throwing', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void checkAnimation(value)));
    const anything = fc.jsonValue({ maxDepth: 3 });
    const document = fc.record({ layers: anything, assets: anything, fonts: anything, fr: anything, op: anything });
    fc.assert(fc.property(document, (value) => void checkAnimation(value)));
  });
});
