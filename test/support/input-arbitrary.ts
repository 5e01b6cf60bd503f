import fc from 'fast-check';
import { defined } from '../../src/kernel/defined.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import { embeddedFonts, inputOf, placed, rectangleLayer, textLayer } from '../engine/inputs.ts';

/** Frames of the inputs; ranges are halves and thirds of it. */
export const FRAMES = 12;

const time = fc.oneof(fc.integer({ min: -3, max: 15 }), fc.constantFrom(3.5, 5.999, 6.01, 8.25));
const color = fc.constantFrom([1, 0, 0] as const, [0, 1, 0] as const, [0, 0.4, 1] as const, [0.5, 0.5, 0.5] as const);

function keyframes(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const key = fc.record({ t: time, s: value, isHeld: fc.boolean() });
  return fc.uniqueArray(key, { minLength: 2, maxLength: 3, selector: ({ t }) => t }).map((keys) => ({
    a: 1,
    k: keys
      .sort((one, other) => one.t - other.t)
      .map(({ t, s, isHeld }) => ({ t, s, o: { x: 0.3, y: 0 }, i: { x: 0.7, y: 1 }, ...(isHeld ? { h: 1 } : {}) })),
  }));
}

const position = keyframes(fc.constantFrom([0, 0, 0], [9, 0, 0], [0, 6, 0], [-4, 3, 0]));
const opacity = fc.oneof(
  fc.constantFrom({ a: 0, k: 100 }, { a: 0, k: 60 }),
  keyframes(fc.constantFrom([0], [100], [40])),
);

/** Properties that every kind of layer can have. */
const common = fc.record(
  {
    ip: time,
    op: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 3, max: 20 }) }, time),
    st: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, time),
    sr: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.constantFrom(2, 0.5, -1)),
    p: position,
    o: opacity,
    parent: fc.integer({ min: 1, max: 5 }),
    tt: fc.constantFrom(1, 2, 3, 4),
    tp: fc.integer({ min: 1, max: 5 }),
    td: fc.constant(1),
    hd: fc.constant(true),
    bm: fc.constantFrom(1, 2),
    ao: fc.constant(1),
    effect: fc.constantFrom('blur', 'shadow'),
  },
  { requiredKeys: ['ip', 'op', 'st', 'sr'] },
);

/** Degrees. Edges between pixels reveal rounding. */
const turn = fc.constantFrom(0, 0, 7, 33);

const kind = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ty: fc.constant('rectangle' as const), color, x: fc.nat(20), y: fc.nat(10), r: turn }),
  },
  { weight: 1, arbitrary: fc.record({ ty: fc.constant('text' as const), text: fc.constantFrom('A', 'go', 'Reel') }) },
  { weight: 1, arbitrary: fc.constant({ ty: 'null' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ty: fc.constant('composition' as const),
      of: fc.nat(2),
      tm: fc.option(keyframes(fc.constantFrom([0], [0.2], [0.4], [0.7])), { nil: undefined, freq: 4 }),
    }),
  },
);

const layer = fc.tuple(kind, common);
type LayerPlan = typeof layer extends fc.Arbitrary<infer Plan> ? Plan : never;

/** Inputs of nested compositions, shifted, stretched and remapped, with parents, mattes, texts and effects. */
export const inputArbitrary: fc.Arbitrary<RenderInput> = fc
  .tuple(
    fc.array(layer, { minLength: 1, maxLength: 4 }),
    fc.array(fc.array(layer, { minLength: 1, maxLength: 3 }), { minLength: 3, maxLength: 3 }),
    fc.constantFrom(10, 10, 10, 7.5),
  )
  .map(([layers, compositions, fr]) => {
    const assets = compositions.map((list, depth) => ({ id: `c${depth}`, layers: layersOf(list, depth + 1) }));
    const document = { fr, op: FRAMES, assets, fonts: embeddedFonts() };
    return inputOf(layersOf(layers, 0), { width: 32, height: 18, fps: 10, frameCount: FRAMES, document });
  });

/** @param depth compositions refer only to deeper ones, so that none contains itself */
function layersOf(plans: readonly LayerPlan[], depth: number): object[] {
  return plans.map(([what, { p, o, parent, effect, ...rest }], index) => {
    const ind = index + 1;
    const turned = what.ty === 'rectangle' ? { r: { a: 0, k: what.r } } : {};
    const ks = placed(0, 0, { ...turned, ...defined({ p, o }) });
    const shared = {
      ...rest,
      ks,
      // Only later layers can be parents, so that no layer is its own ancestor.
      ...(parent !== undefined && parent > ind ? { parent } : {}),
      ...(rest.tp !== undefined && (rest.tp === ind || rest.tt === undefined) ? { tp: undefined } : {}),
      ...(effect === undefined ? {} : { ef: [effects[effect]] }),
    };
    return JSON.parse(JSON.stringify({ ...drawn(what, ind, depth), ...shared }));
  });
}

function drawn(what: LayerPlan[0], ind: number, depth: number): object {
  switch (what.ty) {
    case 'rectangle':
      return rectangleLayer(ind, [what.x, what.y, 14, 9], what.color);
    case 'text':
      return textLayer(ind, what.text, 2, 12, 9);
    case 'null':
      return { ty: 3, ind };
    case 'composition':
      if (what.of < depth) return rectangleLayer(ind, [depth, what.of, 8, 8], [1, 1, 0]);
      return { ty: 0, ind, refId: `c${what.of}`, w: 32, h: 18, ...defined({ tm: what.tm }) };
  }
}

const still = (k: unknown) => ({ a: 0, k });
const effects = {
  blur: {
    ty: 29,
    mn: 'ADBE Gaussian Blur 2',
    en: 1,
    ef: [
      { ty: 0, v: still(3) },
      { ty: 7, v: still(1) },
      { ty: 4, v: still(0) },
    ],
  },
  shadow: {
    ty: 25,
    mn: 'ADBE Drop Shadow',
    en: 1,
    ef: [
      { ty: 2, v: still([0, 0, 0, 1]) },
      { ty: 0, v: still(180) },
      { ty: 0, v: still(135) },
      { ty: 0, v: still(3) },
      { ty: 0, v: still(2) },
      { ty: 7, v: still(0) },
    ],
  },
};

/** Returns the input with one value of its animation replaced. @param at index of the value */
export function mutateInput(renderInput: RenderInput, at: number, to: number): RenderInput {
  const animation = structuredClone(renderInput.animation);
  const leaves: [Record<string, unknown>, string][] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'fonts' || ['ty', 'refId', 'ind', 'id', 'w', 'h', 'fr', 'f'].includes(key)) continue;
      if (typeof child === 'number' || (typeof child === 'string' && key === 't')) {
        leaves.push([value as Record<string, unknown>, key]);
      } else visit(child);
    }
  };
  visit(animation.layers);
  visit(animation.assets);
  const [holder, key] = leaves[at % leaves.length]!;
  const value = holder[key];
  holder[key] = typeof value === 'string' ? `${value}x` : Number(value) + [1, -1, 3, 0.25][to % 4]!;
  return { ...renderInput, animation };
}
