import { describe, expect, it } from 'vitest';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { bindMapping } from '../../../src/template/bind/bind-mapping.ts';
import { initPackage, isPackage, type NewPackage } from '../../../src/template/init/init-package.ts';
import type { LottieSource } from '../../../src/template/init/lottie-source.ts';
import { parseTemplatePackage } from '../../../src/template/parse-template-package.ts';
import {
  FONT_BYTES,
  FONTS,
  fill,
  lottie,
  rectangle,
  shapeLayer,
  sourceOf,
  still,
  TRANSFORM,
  textLayer,
} from '../../support/lottie-documents.ts';

/** A character that is drawn as a block from the baseline up, 1 em high and half an em wide. */
const block = (ch: string) => ({
  ch,
  size: 100,
  style: 'Regular',
  w: 60,
  fFamily: 'Test',
  data: {
    shapes: [
      {
        ty: 'gr',
        it: [{ ty: 'sh', ks: still({ c: true, v: [[5, -100], [55, -100], [55, 0], [5, 0]], i: ZERO, o: ZERO }) }, { ty: 'tr', ...TRANSFORM }], // biome-ignore format: four points
      },
    ],
  },
});
const ZERO = [0, 1, 2, 3].map(() => [0, 0]);
const SPACE = { ch: ' ', size: 100, style: 'Regular', w: 25, fFamily: 'Test', data: {} };

const EDITABLE = textLayer('t_01 Headline', 'AB', { ks: { ...TRANSFORM, p: still([10, 90, 0]) } });
const FIXED = textLayer('legal', 'A B\rA', { ks: { ...TRANSFORM, p: still([120, 40, 0]) } });
const CHARS = [block('A'), block('B'), SPACE];

function create(layers: readonly object[], chars: readonly object[], source: Partial<LottieSource> = {}): NewPackage {
  const document = sourceOf(lottie(layers, { fonts: structuredClone(FONTS), chars }));
  const result = initPackage({ ...document, ...source }, { colorLayers: null });
  if (!isPackage(result)) throw new Error(result.problems.join('\n'));
  return result;
}

function parse({ files }: NewPackage, more: Readonly<Record<string, Uint8Array>> = {}) {
  const parsed = parseTemplatePackage('', new Map([...files, ...Object.entries(more)]));
  if (!parsed.ok) throw new Error(parsed.diagnostics.map(({ message }) => message).join('\n'));
  return parsed.value;
}

/** Returns whether the first frame is white at some pixels. */
async function lit(created: NewPackage, points: readonly (readonly [number, number])[], more = {}): Promise<boolean[]> {
  const renderInput = bindMapping(parse(created, more), { resources: {} }, new Map());
  const rasterizer = await openRasterizer(renderInput);
  await rasterizer.prepare(0);
  const rgba = rasterizer.draw(0);
  rasterizer.close();
  return points.map(([x, y]) => rgba[4 * (y * renderInput.width + x)]! > 200);
}

/** Inside the blocks of the first A, the B and the second line of the fixed text, and between A and B. */
const POINTS = [[126, 22], [143, 22], [126, 46], [134, 22]] as const; // biome-ignore format: four points

describe('texts that are not editable', () => {
  const ground = shapeLayer('c_01', [rectangle(100, 50, 200, 100), fill([0.1, 0.2, 0.4, 1])]);

  it('are drawn with the outlines of the animation when their font is missing', async () => {
    const created = create([FIXED, ground], CHARS);
    expect(created.needs).toEqual([]);
    expect(created.notes.map(({ message }) => message)).toContain(
      'Texts in Test-Regular that are not editable keep their glyph outlines, because the font is missing',
    );
    expect(parse(created).spec.fonts).toEqual([]);
    expect(await lit(created, POINTS)).toEqual([true, true, true, false]);
  });

  it('keep their outlines beside editable texts, which need the font', async () => {
    const created = create([EDITABLE, FIXED], CHARS);
    expect(created.needs).toMatchObject([{ kind: 'font', name: 'Test-Regular', path: 'fonts/Test-Regular.ttf' }]);
    expect(() => parse(created)).toThrow('The font Test-Regular of the animation is not in the package');
    const supplied = { 'fonts/Test-Regular.ttf': FONT_BYTES };
    expect(parse(created, supplied).spec).toMatchObject({
      fonts: ['Test-Regular'],
      editables: { t_01: { fonts: ['Test-Regular'] } },
    });
    expect(await lit(created, POINTS, supplied)).toEqual([true, true, true, false]);
  });

  it('keep their outlines when a substitute replaces the font', async () => {
    const files = new Map([['Test-Regular.ttf', FONT_BYTES]]);
    const created = create([EDITABLE, FIXED], CHARS, { files, substitutes: new Set(['Test-Regular']) });
    expect(created.needs).toEqual([]);
    expect(await lit(created, POINTS)).toEqual([true, true, true, false]);
  });

  it('are set in their font when it is there', async () => {
    const beside = { readAdjacent: () => FONT_BYTES, adjacentFonts: ['Test-Regular.ttf'] };
    const { animation, files } = create([EDITABLE, FIXED], CHARS, beside);
    expect(animation).not.toHaveProperty('chars');
    expect([...files.keys()]).toContain('fonts/Test-Regular.ttf');
  });

  it.each([
    ['a character has no outline', [block('A'), SPACE], FIXED],
    ['their capitals have no outlines', CHARS, textLayer('legal', 'AB', {}, { t: 'ab', ca: 1 })],
    ['an outline is a composition', [block('A'), { ...block('B'), t: 1, data: { refId: 'b' } }, SPACE], FIXED],
  ])('need their font when %s', (_, chars, text) => {
    const { animation, needs, notes } = create([text, ground], chars);
    expect(needs).toMatchObject([{ kind: 'font', name: 'Test-Regular' }]);
    expect(animation).not.toHaveProperty('chars');
    expect(notes.map(({ message }) => message)).toContain('Removed glyph outlines: texts are rendered with fonts');
  });
});
