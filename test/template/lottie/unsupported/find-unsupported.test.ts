import { createCanvas, LottieAnimation } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { findUnsupported } from '../../../../src/template/lottie/unsupported/find-unsupported.ts';
import { DRAWN_EFFECTS, WIPES } from '../../../../src/template/lottie/unsupported/unsupported-features.ts';
import type { LottieDocument } from '../../../../src/template/render-input.ts';
import {
  fill,
  imageLayer,
  lottie,
  rectangle,
  shapeLayer,
  still,
  TRANSFORM,
  textLayer,
} from '../../../support/lottie-documents.ts';
import { solidPng } from '../../../support/small-package.ts';

/** Image layer for effects that the engine draws on images only. */
const IMAGE = imageLayer('s', 'i');
const ASSETS = [
  {
    id: 'i',
    w: 200,
    h: 100,
    u: '',
    p: `data:image/png;base64,${Buffer.from(solidPng('#ff5010', 200, 100)).toString('base64')}`,
    e: 1,
  },
];
const EASE = { o: { x: 0, y: 0 }, i: { x: 1, y: 1 } };
const SHAPES = [rectangle(100, 50, 120, 60), fill([1, 0.3, 0.1, 1])];

const REPEATER = { ty: 'rp', c: still(2), o: still(0), m: 1, tr: { ...TRANSFORM, p: still([20, 30]), so: still(100), eo: still(100) } }; // biome-ignore format: a repeater

const STROKED = { ty: 'gr', it: [rectangle(60, 50, 60, 60), { ty: 'st', c: still([1, 0.3, 0.1, 1]), o: still(100), w: still(9), lc: 1, lj: 1 }, { ty: 'tr', ...TRANSFORM }] }; // biome-ignore format: a group
const CUT = { ty: 'tm', s: still(10), e: still(60), o: still(0) };

const dashes = (...list: (readonly [n: string, length: number])[]) => ({
  ty: 'st',
  c: still([1, 0.3, 0.1, 1]),
  o: still(100),
  w: still(4),
  lc: 1,
  lj: 1,
  d: list.map(([n, length]) => ({ n, v: still(length) })),
});

/** Values that make each effect visible, in order. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  'ADBE Black&White': [40, 60, 40, 60, 20, 80],
  'ADBE Brightness & Contrast 2': [50, 50, 0],
  'ADBE Corner Pin': [
    [20, 10],
    [180, 20],
    [10, 80],
    [190, 90],
  ],
  'ADBE Drop Shadow': [[0, 0, 0, 1], 255, 135, 15, 5],
  'ADBE Easy Levels2': [1, 0, 0.2, 0.6, 1, 0, 1],
  'ADBE Fill': [0, 0, [0, 0, 1, 1], 0, 0, 0, 1],
  'ADBE Fractal Noise': [1, 1, 0, 100, 0, 0],
  'ADBE Gaussian Blur 2': [20, 1, 0],
  'ADBE Geometry2': [[50, 50], [60, 60], 1, 80, 80, 0, 0, 30, 100],
  'ADBE HUE SATURATION': [1, 0, 120, 0, 0, 0, 0, 0, 0],
  'ADBE Invert': [1, 0],
  'ADBE Linear Wipe': [50, 90, 0],
  'ADBE Motion Blur': [90, 20],
  'ADBE Pro Levels2': [1, 0, 0.2, 0.6, 1, 0, 1],
  'ADBE Radial Wipe': [50, 0, [100, 50], 1, 0],
  'ADBE Ramp': [[0, 0], [1, 0, 0, 1], [100, 100], [0, 0, 1, 1], 1, 0, 0],
  'ADBE Sharpen': [80],
  'ADBE Shift Channels': [1, 3, 4, 2],
  'ADBE Threshold2': [120],
  'ADBE Tile': [[50, 50], 50, 50, 100, 100, 0, 0, 0],
  'ADBE Tint': [[0, 0, 1, 1], [1, 1, 0, 1], 100],
  'ADBE Tritone': [[1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], 0],
  'ADBE Venetian Blinds': [50, 0, 10, 0],
  'CC Sphere': [0],
  'CC Toner': [1, [1, 0, 0, 1], [0, 1, 0, 1], [0, 0, 1, 1], 0],
};

function effect(mn: string, values: readonly unknown[], changes: object = {}): object {
  const ef = values.map((value, index) => ({ ty: 0, nm: `${index}`, mn: `${mn}-${index}`, v: still(value) }));
  return { ty: 5, nm: mn, mn, en: 1, ef, ...changes };
}

function draw(layers: readonly object[]): Buffer {
  const animation = LottieAnimation.loadFromData(JSON.stringify(lottie(layers, { assets: ASSETS })));
  const canvas = createCanvas(200, 100);
  animation.seekFrame(10);
  animation.render(canvas.getContext('2d'), { x: 0, y: 0, width: 200, height: 100 });
  return Buffer.from(canvas.data());
}

const uses = (document: LottieDocument) =>
  findUnsupported(document).map(({ feature, what, layer, pointer }) => `${feature} ${what} ${layer} ${pointer}`);

describe('findUnsupported()', () => {
  it('reports that a stretched sound plays at its original speed', () => {
    const sound = (sr: number) => lottie([{ ty: 6, nm: 'music', ind: 1, refId: 's', sr, ip: 0, op: 30, st: 0 }]);
    expect(uses(sound(2))).toEqual(['stretched_sound time stretch of 200 % music /layers/0']);
    expect(uses(sound(1))).toEqual([]);
  });

  it.each([...DRAWN_EFFECTS].filter((name) => name !== 'ADBE Displacement Map'))(
    'reports only that other players leave out %s, which is drawn',
    (name) => {
      const isWipe = WIPES.has(name);
      const changes = { ef: [effect(name, VALUES[name]!)] };
      const layer = isWipe ? imageLayer('s', 'i', changes) : shapeLayer('s', SHAPES, changes);
      expect(draw([layer]).equals(draw([isWipe ? IMAGE : shapeLayer('s', SHAPES)]))).toBe(false);
      expect(uses(lottie([layer]))).toEqual([`other_players ${name} s /layers/0/ef/0`]);
    },
  );

  it.each([21, 24, 25, 29, 35])('reports nothing for an effect of type %s, which lottie-web draws', (ty) => {
    const layer = shapeLayer('s', SHAPES, { ef: [effect('ADBE Fill', VALUES['ADBE Fill']!, { ty })] });
    expect(uses(lottie([layer]))).toEqual([]);
  });

  it.each(['ADBE Slider Control', 'Pseudo/1a2b/Rig', 'PSEUDO/DUIK_Spring', 'seamless wiggle loop'])(
    'reports nothing for %s, which only expressions read',
    (mn) => {
      expect(uses(lottie([shapeLayer('s', SHAPES, { ef: [{ ty: 5, nm: 'rig', mn, en: 1, ef: [] }] })]))).toEqual([]);
    },
  );

  it('reports a layer in reverse, which other players hide', () => {
    expect(uses(lottie([shapeLayer('s', SHAPES, { ip: 50, op: 20 })]))).toEqual([
      'other_players layer in reverse s /layers/0',
    ]);
  });

  it('reports layers turned out of the plane without a camera, which other players flatten', () => {
    const turned = (nm: string, ks: object, ddd = 1) => shapeLayer(nm, SHAPES, { ddd, ks: { ...TRANSFORM, ...ks } });
    const moving = { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 9, s: [90] }] }; // biome-ignore format: a property
    const layers = [
      ...[turned('a', { ry: still(20) }), turned('b', { rx: moving }), turned('c', { or: still([0, 30, 0]) })],
      ...[
        turned('half', { rx: still(180) }),
        turned('plane', { or: still([0, 0, 30]) }),
        turned('flat', { rx: moving }, 0),
      ],
    ];
    expect(uses(lottie(layers))).toEqual(
      ['a', 'b', 'c'].map((name, at) => `other_players perspective without a camera ${name} /layers/${at}`),
    );
    expect(uses(lottie([{ ty: 13, nm: 'camera', ip: 0, op: 60, st: 0, ks: {} }, layers[0]!]))).toEqual([]);
  });

  describe('of layers before a camera', () => {
    const camera = (changes: object = {}) => ({ ty: 13, ddd: 1, nm: 'camera', ip: 0, op: 60, st: 0, ks: { p: still([0, 0, -100]), a: still([0, 0, 0]), ...changes } }); // biome-ignore format: a layer
    const at = (nm: string, z: number, changes: object = {}) =>
      shapeLayer(nm, SHAPES, { ddd: 1, ks: { ...TRANSFORM, p: still([0, 0, z]) }, ...changes });

    it('reports a layer that covers a nearer one', () => {
      expect(uses(lottie([camera(), at('near', 0), at('far', 200), at('middle', 50)]))).toEqual([
        'depth_order layer in three dimensions far /layers/2',
      ]);
    });

    it('adds the depth of parents, and looks from the camera', () => {
      const parent = { ty: 3, ind: 9, nm: 'null', ip: 0, op: 60, st: 0, ks: { ...TRANSFORM, p: still([0, 0, 300]), s: still([50, 50, 50]) } }; // biome-ignore format: a layer
      const layers = [parent, at('far', 100, { parent: 9 }), at('near', 340)];
      expect(uses(lottie([camera(), ...layers]))).toEqual(['depth_order layer in three dimensions far /layers/2']);
      const behind = { p: still([0, 0, 900]), a: still([0, 0, 0]) };
      expect(uses(lottie([camera(behind), ...layers]))).toEqual([]);
    });

    it.each([
      ['without a camera', [at('far', 200), at('near', 0)]],
      ['behind the camera', [camera(), at('far', 200), at('behind', -200)]],
      ['that are flat', [camera(), at('far', 200), at('flat', 0, { ddd: 0 })]],
      ['that move', [camera(), at('far', 200), at('moving', 0, { ks: { ...TRANSFORM, p: { a: 1, k: [{ t: 0, s: [0, 0, 0], ...EASE }, { t: 9, s: [0, 0, 500] }] } } })]], // biome-ignore format: a case
      ['of a turned camera', [camera({ ry: still(90) }), at('far', 200), at('near', 0)]],
    ])('reports nothing of layers %s', (_, layers) => {
      expect(uses(lottie(layers))).toEqual([]);
    });
  });

  it('reports a transform outside a group until the transform of the layer moves', () => {
    const stray = { ty: 'tr', ...TRANSFORM };
    const turning = (t: number) => ({
      ks: { ...TRANSFORM, r: { a: 1, k: [{ t, s: [0], ...EASE }, { t: 30, s: [90] }] } }, // biome-ignore format: a property
    });
    const layer = (changes: object) => ({ ...shapeLayer('s', SHAPES, changes), shapes: [...SHAPES, stray] });
    const fading = { ks: { ...TRANSFORM, o: { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 30, s: [90] }] } } }; // biome-ignore format: a property
    const grouped = shapeLayer('s', [...SHAPES, stray]);
    const layers = [layer({}), layer(turning(9)), layer(fading), layer(turning(0)), grouped];
    expect(uses(lottie(layers))).toEqual(
      [0, 1, 2].map((index) => `other_players transform outside a group s /layers/${index}/shapes`),
    );
  });

  const moving = {
    ...TRANSFORM,
    p: {
      a: 1,
      k: [
        { t: 0, s: [0, 0, 0] },
        { t: 20, s: [60, 0, 0] },
      ],
    },
  };
  const mask = (changes: object) => {
    const v = [
      [40, 30],
      [90, 30],
      [90, 70],
      [40, 70],
    ];
    const none = v.map(() => [0, 0]);
    return {
      mode: 'a',
      inv: false,
      pt: still({ i: none, o: none, v, c: true }),
      o: still(50),
      x: still(0),
      ...changes,
    };
  };
  const corners = { c: true, v: [[40, 30], [90, 30], [90, 70]], i: Array(3).fill([0, 0]), o: Array(3).fill([0, 0]) }; // biome-ignore format: three points
  const MOVING_PATH = { a: 1, k: [{ t: 0, s: [corners], ...EASE }, { t: 59, s: [{ ...corners, v: [[40, 30], [90, 30], [90, 60]] }] }] }; // biome-ignore format: two frames
  const GROWING = { a: 1, k: [{ t: 0, s: [0], ...EASE }, { t: 59, s: [9] }] }; // biome-ignore format: two frames
  const masked = (masks: readonly object[]) => shapeLayer('s', SHAPES, { hasMask: true, masksProperties: masks });
  /** Makes one path of all before it, which is in no document. */
  const MERGED = { ty: 'mm', mm: 1 };
  const tracked = (a: object) => textLayer('s', 'Hello', { t: { d: {}, p: {}, m: {}, a: [{ s: {}, a }] } });

  it.each<[string, object, object]>([
    [
      'effect Glow s /layers/0/ef/0',
      shapeLayer('s', SHAPES, { ef: [effect('ADBE Glo2', [2, 50, 20], { nm: 'Glow' })] }),
      shapeLayer('s', SHAPES),
    ],
    [
      'wipe Wipe s /layers/0/ef/0',
      shapeLayer('s', SHAPES, { ef: [effect('ADBE Linear Wipe', VALUES['ADBE Linear Wipe']!, { nm: 'Wipe' })] }),
      shapeLayer('s', SHAPES),
    ],
    [
      'layer_style Satin s /layers/0/sy/0',
      shapeLayer('s', SHAPES, { sy: [{ ty: 6, c: still([0, 0, 1, 1]), o: still(100) }] }),
      shapeLayer('s', SHAPES),
    ],
    [
      'path_modifier Zig Zag s /layers/0/shapes/0/it/2',
      shapeLayer('s', [SHAPES[0]!, MERGED, { ty: 'zz', s: still(5), r: still(4), pt: still(1) }, SHAPES[1]!]),
      shapeLayer('s', [SHAPES[0]!, MERGED, SHAPES[1]!]),
    ],
    [
      'path_modifier Twist s /layers/0/shapes/0/it/1',
      shapeLayer('s', [SHAPES[0]!, { ty: 'tw', a: still(90), c: still([0, 0]) }, SHAPES[1]!]),
      shapeLayer('s', SHAPES),
    ],
    [
      'path_modifier Repeater before the fill or stroke s /layers/0/shapes/0/it/1',
      shapeLayer('s', [SHAPES[0]!, REPEATER, SHAPES[1]!]),
      shapeLayer('s', SHAPES),
    ],
    [
      'path_modifier Trim Paths, Individually, of several groups s /layers/0/shapes/0/it/2',
      shapeLayer('s', [STROKED, STROKED, { ...CUT, m: 2 }]),
      shapeLayer('s', [STROKED, STROKED, { ...CUT, m: 1 }]),
    ],
    [
      'dash_offset dashes without an offset s /layers/0/shapes/0/it/1/d',
      shapeLayer('s', [SHAPES[0]!, dashes(['d', 12], ['g', 6])]),
      shapeLayer('s', [SHAPES[0]!, dashes(['d', 12], ['o', 6])]),
    ],
    ['mask_mode Darken s /layers/0/masksProperties/1', masked([mask({}), mask({ mode: 'd' })]), masked([mask({})])],
    [
      'mask_expansion mask expansion s /layers/0/masksProperties/0',
      masked([mask({ x: GROWING, pt: MOVING_PATH })]),
      masked([mask({ pt: MOVING_PATH })]),
    ],
    [
      'motion_blur motion blur s /layers/0',
      shapeLayer('s', SHAPES, { mb: true, ks: moving }),
      shapeLayer('s', SHAPES, { ks: moving }),
    ],
    ['layer_kind a light s /layers/1', shapeLayer('s', SHAPES), shapeLayer('s', SHAPES)],
    [
      'expression expression s /layers/0/ks/r',
      shapeLayer('s', SHAPES, { ks: { ...TRANSFORM, r: { ...still(0), x: 'var $bm_rt = 45;' } } }),
      shapeLayer('s', SHAPES),
    ],
  ])('reports %s, which changes no pixel', (description, layer, without) => {
    const light = { ty: 14, nm: 's', ip: 0, op: 60, st: 0, ks: TRANSFORM };
    const layers = description.startsWith('layer_kind') ? [layer, light] : [layer];
    expect(uses(lottie(layers))).toEqual([description]);
    expect(draw(layers).equals(draw([without]))).toBe(true);
  });

  it('reports a puppet only if it has pins', () => {
    const puppet = (...ef: object[]) => [effect('ADBE FreePin3', [], { ty: 34, ef })];
    const pinned = puppet({ ty: 60, mn: 'ADBE FreePin3 ARAP Group', ef: [{ mn: 'ADBE FreePin3 PosPin Atom' }] });
    expect(uses(lottie([shapeLayer('s', SHAPES, { ef: puppet({ mn: 'ADBE FreePin3 ARAP Group', ef: [] }) })]))).toEqual(
      [],
    );
    expect(uses(lottie([shapeLayer('s', SHAPES, { ef: pinned })]))).toEqual(['effect ADBE FreePin3 s /layers/0/ef/0']);
  });

  it('reports no repeater of shapes that are painted before it', () => {
    const painted = shapeLayer('s', [...SHAPES, REPEATER, fill([0, 0, 1, 1])]);
    const grouped = shapeLayer('s', [{ ty: 'gr', it: [...SHAPES, { ty: 'tr', ...TRANSFORM }] }, REPEATER, SHAPES[1]!]);
    expect(uses(lottie([painted, grouped]))).toEqual([]);
    expect(draw([painted]).equals(draw([shapeLayer('s', [...SHAPES, fill([0, 0, 1, 1])])]))).toBe(false);
  });

  it('reports an offset path whose corners the renderer draws, unless they are mitred', () => {
    const offset = (nm: string, changes: object, ...before: object[]) =>
      shapeLayer(nm, [SHAPES[0]!, ...before, { ty: 'op', a: still(3), lj: 2, ml: still(4), ...changes }, SHAPES[1]!]);
    const found = uses(
      lottie([
        ...[
          offset('merged', {}, MERGED),
          offset('trimmed', {}, CUT),
          offset('round', {}),
          offset('zero', { a: still(0) }, MERGED),
        ],
        offset('mitred', { lj: 1 }, MERGED),
      ]),
    );
    expect(found).toEqual([
      'offset_corners Offset Paths merged /layers/0/shapes/0/it/2',
      'offset_corners Offset Paths trimmed /layers/1/shapes/0/it/2',
    ]);
  });

  it('reports an effect that is drawn although it is disabled', () => {
    const layer = shapeLayer('s', SHAPES, { ef: [effect('ADBE Fill', VALUES['ADBE Fill']!, { en: 0 })] });
    expect(uses(lottie([layer]))).toEqual(['effect_switched_off ADBE Fill s /layers/0/ef/0']);
    expect(draw([layer]).equals(draw([shapeLayer('s', SHAPES)]))).toBe(false);
  });

  it('searches precompositions and text animators and skips hidden layers and controls', () => {
    const control = { ty: 5, nm: 'Speed', mn: 'ADBE Slider Control', en: 1, ef: [] };
    const inner = [tracked({ sk: still(30), p: still([0, 9]) }), shapeLayer('off', SHAPES, { hd: true, mb: true })];
    const assets = [
      { id: 'p', layers: inner },
      { id: 'q', t: 'seq', w: 9, h: 9, p: 'a_[###].png', u: '' },
    ];
    expect(uses(lottie([shapeLayer('s', SHAPES, { ef: [control] })], { assets }))).toEqual([
      'image_sequence image sequence q /assets/1',
      'text_animator Skew s /assets/0/layers/0/t/a/0/a/sk',
    ]);
  });
});
