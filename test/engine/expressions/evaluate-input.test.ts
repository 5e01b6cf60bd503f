import { createCanvas, type ImageData, loadImage } from '@napi-rs/canvas';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Resource } from '../../../src/contract/wire/mapping.ts';
import { evaluateInput } from '../../../src/engine/expressions/evaluate-input.ts';
import { segmentKey } from '../../../src/engine/segments/segment.ts';
import { segmentInput } from '../../../src/engine/segments/segment-input.ts';
import { drawStills } from '../../../src/engine/stills/draw-stills.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import type { Evaluate } from '../../../src/template/expressions/bake-expressions.ts';
import { initPackage, isPackage, type NewPackage } from '../../../src/template/init/init-package.ts';
import { propertyValue } from '../../../src/template/lottie/property-value.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import type { LottieDocument, RenderInput, VideoInput } from '../../../src/template/render-input.ts';
import { evaluator } from '../../support/evaluator.ts';
import {
  fill,
  lottie,
  rectangle,
  shapeLayer,
  sourceOf,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { differingFrames } from '../../support/segment-frames.ts';
import { everyScript, LATIN } from '../text/test-fonts.ts';

const TEXT = 'thisComp.layer("t_01 Headline")';
const SIZE = `var $bm_rt; var s = ${TEXT}.sourceRectAtTime(time, false); $bm_rt = [$bm_sum(s.width, 60), $bm_sum(s.height, 40)];`;
const MIDDLE = `var $bm_rt; var s = ${TEXT}.sourceRectAtTime(); $bm_rt = [s.left + s.width / 2, s.top + s.height / 2];`;

/** A rounded box behind a centred headline, which it follows. */
function badge(changes: { size?: string; text?: object } = {}): LottieDocument {
  const position = { ...TRANSFORM, p: still([320, 180, 0]) };
  const area = { ...rectangle(0, 0, 100, 50), r: still(24) };
  const box = { ...area, s: { ...area.s, x: changes.size ?? SIZE }, p: { ...area.p, x: MIDDLE } };
  const layers = [
    textLayer('t_01 Headline', 'Hello', { ks: position }, { s: 48, lh: 60, j: 2, f: 'Latin', ...changes.text }),
    shapeLayer('box', [box, fill([0.1, 0.25, 0.7, 1])], { ks: position }),
    shapeLayer('ground', [rectangle(320, 180, 640, 360), fill([0.95, 0.95, 0.9, 1])]),
  ];
  return lottie(layers, {
    w: 640,
    h: 360,
    fonts: { list: [{ fName: 'Latin', fFamily: 'Latin', fStyle: 'Regular', ascent: 75 }] },
  });
}

let evaluate: Evaluate;
beforeAll(async () => {
  evaluate = await evaluator();
});

function packageOf(animation: LottieDocument): NewPackage {
  const created = initPackage(sourceOf(animation, { 'Latin.woff2': LATIN.bytes }), { colorLayers: null, evaluate });
  if (!isPackage(created)) throw new Error(created.problems.join('\n'));
  return created;
}

function inputWith(animation: LottieDocument, resources: Record<string, Resource>): RenderInput {
  const files = new Map(packageOf(animation).files);
  for (const { name, bytes } of everyScript()) files.set(`fonts/${name}.woff2`, bytes);
  const parsed = parseTemplatePackage('', files);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.diagnostics));
  return bindMapping(parsed.value, { resources }, new Map());
}

/** Returns the pixels of the first still. */
async function pixelsOf(renderInput: VideoInput): Promise<ImageData> {
  const [still] = await drawStills(renderInput, () => undefined);
  const picture = await loadImage(Buffer.from(still!.bytes));
  const context = createCanvas(picture.width, picture.height).getContext('2d');
  context.drawImage(picture, 0, 0);
  return context.getImageData(0, 0, picture.width, picture.height);
}

/** Returns the bounds of the pixels that a condition accepts: left, top, right, bottom. */
function boundsOf(
  { data, width, height }: ImageData,
  accepts: (red: number, green: number, blue: number) => boolean,
): number[] {
  const bounds = [width, height, 0, 0];
  for (let index = 0; index < width * height; index++) {
    if (!accepts(data[index * 4]!, data[index * 4 + 1]!, data[index * 4 + 2]!)) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    bounds.splice(
      0,
      4,
      Math.min(bounds[0]!, x),
      Math.min(bounds[1]!, y),
      Math.max(bounds[2]!, x + 1),
      Math.max(bounds[3]!, y + 1),
    );
  }
  return bounds;
}

const isBox = (red: number, _: number, blue: number): boolean => blue > 150 && red < 90;
const isInk = (red: number, _: number, blue: number): boolean => red > 247 && blue > 247;
const textOf = (text: string): Record<string, Resource> => ({ t_01: { source: { text } } });
/** The value of an item of the first group of a layer, at a frame. */
function itemValue(
  renderInput: RenderInput,
  layer: number,
  item: number,
  property: string,
  frame = 0,
): readonly number[] {
  const { shapes } = renderInput.animation.layers[layer] as { shapes: { it: Record<string, unknown>[] }[] };
  return propertyValue(shapes[0]!.it[item]![property], frame)!;
}

describe('evaluateInput()', () => {
  it.each([
    ['short', 'Hi', {}],
    ['long', 'A much longer headline', {}],
    ['CJK', 'こんにちは世界', {}],
    ['right-to-left', 'مرحبا بالعالم', {}],
    ['two lines', 'Two lines\nof gypsy text', {}],
    ['left-aligned', 'Hi there', { j: 0 }],
    ['right-aligned', 'Hi there', { j: 1 }],
    ['shrunk to a box', 'A text that is too long', { sz: [300, 60], ps: [-150, -30], rs: 2 }],
  ])('draws a box around a text with the same margins: %s', async (_, text, style) => {
    const renderInput = inputWith(badge({ text: style }), textOf(text));
    const pixels = await pixelsOf(renderInput);
    const [box, ink] = [boundsOf(pixels, isBox), boundsOf(pixels, isInk)];
    const margins = [ink[0]! - box[0]!, ink[1]! - box[1]!, box[2]! - ink[2]!, box[3]! - ink[3]!];
    for (const [side, margin] of margins.entries()) {
      // Pixels at the edges of letters are too light for ink.
      expect(Math.abs(margin - (side % 2 === 0 ? 30 : 20)), `${side} of ${margins}`).toBeLessThanOrEqual(3);
    }
  });

  it('evaluates the scenes of a video apart, each in its own composition', async () => {
    const [short, long] = [inputWith(badge(), textOf('Hi')), inputWith(badge(), textOf('A longer headline'))];
    const fade = { type: 'fade', duration: 0.2 } as const;
    const [first, second] = [short, long].map(({ animation }) => (animation.op - animation.ip) / animation.fr);
    const video = sceneVideo([
      { id: 'a', of: short, duration: first! + 1 },
      { id: 'b', of: long, transition: fade, duration: second! + 1 },
    ]);
    const { fps, frameCount } = video;
    const boxes: number[][] = [];
    for (const frame of [0, Math.round((first! + 1) * fps), frameCount - 1]) {
      boxes.push(boundsOf(await pixelsOf({ ...video, stills: [{ name: 'still', frame }] }), isBox));
    }
    const alone = [short, long].map(async (input) => boundsOf(await pixelsOf(input), isBox));
    const [ofShort, ofLong] = await Promise.all(alone);
    // On the first frame of the transition only the old scene is seen.
    expect(boxes).toEqual([ofShort, ofShort, ofLong]);
  });

  it('keeps the minimum of an expression for an empty text', async () => {
    const size = SIZE.replace('s.width', 'Math.max(s.width, 40)');
    const evaluated = await evaluateInput(inputWith(badge({ size }), textOf(' ')));
    expect(itemValue(evaluated, 1, 0, 's')).toEqual([100, 40]);
  });

  it('returns an input without such expressions unchanged', async () => {
    const renderInput = inputWith(badge({ size: 'var $bm_rt; $bm_rt = [100 + time * 10, 50];' }), textOf('x'));
    const plain = { ...renderInput, animation: { ...renderInput.animation, live_expressions: undefined } };
    expect(await evaluateInput(plain)).toBe(plain);
  });

  it('evaluates properties that depend on them indirectly, and no others', () => {
    const animation = badge();
    const follower = 'var $bm_rt; $bm_rt = thisComp.layer("box").content(1).content(1).size[0] / 10;';
    const turn = 'var $bm_rt; $bm_rt = time * 30;';
    Object.assign(animation.layers[2] as object, { ks: { ...TRANSFORM, r: { ...still(0), x: follower } } });
    const spinning = {
      ...(animation.layers[2] as object),
      nm: 'spinning',
      ind: 9,
      ks: { ...TRANSFORM, r: { ...still(0), x: turn } },
    };
    animation.layers.push(spinning);
    const created = packageOf(animation);
    const live = (index: number): unknown =>
      (created.animation.layers[index] as { ks: { r: { baked: object } } }).ks.r.baked;
    expect(live(2)).toMatchObject({ live: true });
    expect(live(3)).not.toHaveProperty('live');
    expect(created.notes.map(({ message }) => message)).toContain(
      '3 expressions are evaluated for each video, because they follow editables',
    );
  });

  it('fills expression controls that are named as editables', async () => {
    const animation = badge();
    const control = (nm: string, k: readonly number[]) => ({
      ty: 5,
      nm,
      ix: 1,
      np: 3,
      mn: 'ADBE Color Control',
      en: 1,
      ef: [{ ty: 2, nm: 'Color', mn: 'ADBE Color Control-0001', ix: 1, v: still(k) }],
    });
    const controls = { ty: 3, nm: 'controls', ind: 8, ip: 0, op: 60, st: 0, sr: 1, ks: TRANSFORM };
    animation.layers.push({
      ...controls,
      ef: [control('c_01 Accent', [0.1, 0.25, 0.7, 1]), control('Other', [1, 0, 0, 1])],
    });
    const x = 'var $bm_rt; $bm_rt = thisComp.layer("controls").effect("c_01 Accent")("Color");';
    const { shapes } = animation.layers[1] as { shapes: { it: Record<string, object>[] }[] };
    Object.assign(shapes[0]!.it[1]!.c!, { x });
    const created = packageOf(animation);
    expect(created.editables.map(({ key, kind, label }) => ({ key, kind, label }))).toEqual([
      { key: 't_01', kind: 'text', label: 'Headline' },
      { key: 'c_01', kind: 'color', label: 'Accent' },
    ]);
    const renderInput = inputWith(animation, { ...textOf('Red'), c_01: { source: { text: 'FF0000' } } });
    expect(itemValue(await evaluateInput(renderInput), 1, 1, 'c')).toEqual([1, 0, 0, 1]);
    const unfilled = inputWith(animation, textOf('Blue'));
    expect(itemValue(await evaluateInput(unfilled), 1, 1, 'c')).toEqual([0.1, 0.25, 0.7, 1]);
  });

  it('fills sliders, checkboxes and points', async () => {
    const animation = badge({
      size: 'var $bm_rt; var e = thisComp.layer("controls").effect; $bm_rt = e("n_02 Wide")("Checkbox") == 1 ? e("p_01 Size")("Point") : [e("n_01 Side")("Slider"), 50];',
    });
    const control = (nm: string, kind: string, k: number | readonly number[]) => ({
      ty: 5,
      nm,
      ix: 1,
      np: 3,
      mn: `ADBE ${kind} Control`,
      en: 1,
      ef: [{ ty: Array.isArray(k) ? 3 : 0, nm: kind, mn: `ADBE ${kind} Control-0001`, ix: 1, v: still(k) }],
    });
    const ef = [
      control('n_01 Side', 'Slider', 70),
      control('n_02 Wide', 'Checkbox', 0),
      control('p_01 Size', 'Point', [10, 20]),
    ];
    animation.layers.push({ ty: 3, nm: 'controls', ind: 8, ip: 0, op: 60, st: 0, sr: 1, ks: TRANSFORM, ef });
    expect(
      packageOf(animation)
        .editables.map(({ key, kind }) => `${key} ${kind}`)
        .sort(),
    ).toEqual(['n_01 number', 'n_02 number', 'p_01 point', 't_01 text']);
    const sizeWith = async (resources: Record<string, string>): Promise<readonly number[]> => {
      const all = Object.entries({ t_01: 'x', ...resources }).map(([key, text]) => [key, { source: { text } }]);
      return itemValue(await evaluateInput(inputWith(animation, Object.fromEntries(all))), 1, 0, 's');
    };
    expect(await sizeWith({})).toEqual([70, 50]);
    expect(await sizeWith({ n_01: '90' })).toEqual([90, 50]);
    expect(await sizeWith({ n_02: '1', p_01: '33, 44' })).toEqual([33, 44]);
  });

  it('lets a text follow another, and a box follow both', async () => {
    const words = `var $bm_rt; $bm_rt = ${TEXT}.text.sourceText + '!!!';`;
    const follower = textLayer('follower', 'Hello!!!', {}, { f: 'Latin', s: 48 }) as { t: { d: object } };
    Object.assign(follower.t.d, { x: words });
    const size = 'var $bm_rt; $bm_rt = [thisComp.layer("follower").sourceRectAtTime().width, 50];';
    const animation = badge({ size });
    animation.layers.push({ ...follower, ind: 8 });
    expect(packageOf(animation).editables.map(({ key }) => key)).toEqual(['t_01']);
    const widthWith = async (text: string): Promise<number> => {
      const evaluated = await evaluateInput(inputWith(animation, textOf(text)));
      const { t } = evaluated.animation.layers[3] as { t: { d: { k: { s: { t: string } }[] } } };
      expect(t.d.k[0]!.s.t).toBe(`${text}!!!`);
      return itemValue(evaluated, 1, 0, 's')[0]!;
    };
    expect(await widthWith('Hello Hello')).toBeGreaterThan((await widthWith('Hello')) * 1.5);
  });

  it('measures the text shown at that time', async () => {
    const animation = badge();
    const { t } = animation.layers[0] as { t: { d: { k: { t: number; s: { t: string } }[] } } };
    Object.assign(animation.layers[0] as object, { nm: 'changing' });
    t.d.k.push({ t: 30, s: { ...t.d.k[0]!.s, t: 'Hello, Hello' } });
    const named = JSON.parse(JSON.stringify(animation).replaceAll('t_01 Headline', 'changing')) as LottieDocument;
    const second = textLayer('t_01 Other', 'x', {}, { f: 'Latin' });
    named.layers.push({ ...second, ind: 7 });
    const evaluated = await evaluateInput(inputWith(named, textOf('y')));
    const [early, late] = [10, 40].map((frame) => itemValue(evaluated, 1, 0, 's', frame)[0]!);
    expect(late! - 60).toBeGreaterThan((early! - 60) * 1.9);
  });

  it('is deterministic, and its expressions and texts are part of the keys of segments', async () => {
    const inputs = [
      inputWith(badge(), textOf('One')),
      inputWith(badge(), textOf('Two')),
      inputWith(badge({ size: SIZE.replace('60', '61') }), textOf('One')),
    ];
    const keys = inputs.map((renderInput) =>
      segmentKey(segmentInput(renderInput, { first: 0, end: 30 }), { first: 0, end: 30 }, 'b'),
    );
    expect(new Set(keys).size).toBe(3);
    const [first, again] = await Promise.all([evaluateInput(inputs[0]!), evaluateInput(structuredClone(inputs[0]!))]);
    expect(again!.animation).toEqual(first!.animation);
  });

  it('draws the same frames in segments', async () => {
    const size = SIZE.replace('s.width', 's.width + time * 20');
    const renderInput = { ...inputWith(badge({ size }), textOf('Growing')), width: 160, height: 90 };
    for (const range of [
      { first: 0, end: 30 },
      { first: 30, end: 60 },
    ]) {
      expect(await differingFrames(renderInput, segmentInput(renderInput, range), range, 7)).toEqual([]);
    }
  });

  it.each([
    ['while (true) {}', /takes too long/],
    ['var a = "x"; while (true) a += a;', /too long|memory|string|Range/i],
    ['throw new Error("no");', /no/],
    ['$bm_rt = thisComp.layer("box").sampleImage([0, 0]);', /sampleImage/],
    ['$bm_rt = this.constructor.constructor("return process")().env;', /process/],
  ])('contains a hostile or broken expression and names it: %s', async (code, reason) => {
    const renderInput = inputWith(badge(), textOf('x'));
    const text = JSON.stringify(renderInput.animation).replace(
      JSON.stringify(SIZE).slice(1, -1),
      JSON.stringify(`var $bm_rt; ${code}`).slice(1, -1),
    );
    const hostile = { ...renderInput, animation: JSON.parse(text) as LottieDocument };
    await expect(evaluateInput(hostile)).rejects.toMatchObject({
      code: 'template_invalid',
      message: expect.stringMatching(
        new RegExp(`layer "box" \\(/layers/1/shapes/0/it/0/s\\) fails: .*(?:${reason.source})`),
      ),
    });
  });
});
