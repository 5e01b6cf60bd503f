import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readImageHeader } from '../../src/engine/images/image-header.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { initPackage, isPackage } from '../../src/template/init/init-package.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument, RenderInput } from '../../src/template/render-input.ts';
import { fill, rectangle, shapeLayer, still, TRANSFORM, textLayer } from '../support/lottie-documents.ts';
import { drawInput } from './draw-input.ts';
import { CHROMIUM, openLottieWeb, type Reference } from './lottie-web.ts';
import { comparedFrames, comparedSize } from './measure.ts';
import { pictureDifference } from './picture-difference.ts';

const BANNER = join(
  createRequire(import.meta.url).resolve('lottie-web/package.json'),
  '../test/animations/banner.json',
);
interface Outline {
  readonly ch: string;
  readonly fFamily: string;
  readonly style: string;
}
/** The outlines of letters that Bodymovin wrote. */
const { chars, fonts } = JSON.parse(readFileSync(BANNER, 'utf8')) as LottieDocument & { chars: Outline[] };

const BOLD = { f: 'Montserrat-Bold', s: 30, lh: 36, fc: [0.9, 0.2, 0.2] };
const word = (text: string, y: number, style: object) =>
  textLayer(text, text, { ks: { ...TRANSFORM, p: still([160, y, 0]) } }, { ...BOLD, ...style });
/** Returns letters that have outlines. */
const lettersOf = (style: string, count: number): string =>
  chars
    .filter((char) => char.fFamily === 'Montserrat' && char.style === style && /\p{L}/u.test(char.ch))
    .slice(0, count)
    .map(({ ch }) => ch)
    .join('');

const offset = { a: 1, k: [{ t: 0, s: [0], o: { x: 0.3, y: 0 }, i: { x: 0.7, y: 1 } }, { t: 50, s: [100] }] }; // biome-ignore format: two keyframes
const range = { t: 0, b: 1, sh: 1, r: 1, rn: 0, a: still(100), s: still(0), e: still(100), o: offset };
const entering = {
  s: { ...range, ne: still(0), xe: still(0), sm: still(100) },
  a: { p: still([0, 24, 0]), o: still(0) },
};

function lottie(layers: readonly object[]): LottieDocument {
  const all = [...layers, shapeLayer('c_01 Ground', [rectangle(160, 90, 320, 180), fill([0.95, 0.93, 0.85, 1])])];
  const shared = { v: '5.11.0', fr: 30, ip: 0, op: 60, w: 320, h: 180, ddd: 0, assets: [], chars, fonts };
  return structuredClone({ ...shared, layers: all.map((layer, index) => ({ ind: index + 1, ...layer })) });
}

/** Makes a template whose only editable is a colour, and fills it with its own value. */
function templateInput(animation: LottieDocument): RenderInput {
  const source = {
    name: 'animation',
    animation,
    files: new Map(),
    furtherAnimations: [],
    readAdjacent: () => null,
    adjacentFonts: [],
    readImage: readImageHeader,
  };
  const created = initPackage(source, { colorLayers: null });
  if (!isPackage(created)) throw new Error(created.problems.join('\n'));
  expect(created.needs).toEqual([]);
  const parsed = parseTemplatePackage('', created.files);
  if (!parsed.ok) throw new Error(parsed.diagnostics.map(({ message }) => message).join('\n'));
  return bindMapping(parsed.value, { resources: {} }, new Map());
}

describe.skipIf(CHROMIUM === null)('glyph outlines of fixed texts in a template, compared with lottie-web', () => {
  let web: Reference;
  beforeAll(async () => {
    web = await openLottieWeb();
  });
  afterAll(() => web.close());

  const bold = lettersOf('Bold', 6);
  const regular = lettersOf('Regular', 8);
  const middle = word(bold, 100, { j: 2 }) as { t: object };
  const cases: Readonly<Record<string, readonly object[]>> = {
    'texts on the left, in the middle and on the right': [
      word(bold, 50, { tr: 60 }),
      word(bold, 100, { j: 2, tr: -30 }),
      word(regular, 150, { f: 'Montserrat-Regular', j: 1 }),
    ],
    // lottie-web moves the second line down by one pixel.
    'two lines': [word(`${bold.slice(0, 3)}\r${bold.slice(3)}`, 70, { j: 2, lh: 44 })],
    'a text in a box': [word(bold, 0, { sz: [200, 90], ps: [-100, 40] })],
    'a stroke over the fill': [word(bold, 100, { j: 2, s: 48, sc: [0.2, 0.4, 0.9], sw: 3, of: true })],
    'letters that enter one by one': [{ ...middle, t: { ...middle.t, a: [entering] } }],
  };
  it.each(Object.entries(cases))('%s', async (_, layers) => {
    const document = lottie(layers);
    const renderInput = templateInput(structuredClone(document));
    const frames = comparedFrames(document, 3);
    const { width, height } = comparedSize(document);
    const theirs = await web.draw(document, frames, width, height);
    const ours = await drawInput({ ...renderInput, width, height }, frames);
    const shares = ours.map((picture, index) => pictureDifference(picture, theirs[index]!));
    expect(Math.max(...shares)).toBeLessThanOrEqual(0.005);
  });
});
