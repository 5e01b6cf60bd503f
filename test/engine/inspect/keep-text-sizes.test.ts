import { expect, it } from 'vitest';
import { keepTextSizes } from '../../../src/engine/inspect/keep-text-sizes.ts';
import { initPackage, isPackage, SHRUNK_NOTE } from '../../../src/template/init/init-package.ts';
import { textStyles } from '../../../src/template/lottie/slots/lottie-slots.ts';
import { FONT_BYTES, FONTS, lottie, sourceOf, textLayer } from '../../support/lottie-documents.ts';

it('keepTextSizes() lets only texts shrink whose own words fit their box', async () => {
  const box = { sz: [80, 30], ps: [0, -20], s: 20, lh: 24 };
  const layers = [textLayer('t_01', 'Fits', {}, box), textLayer('t_02', 'Exceeds its box by far', {}, box)];
  const source = sourceOf(lottie(layers, { fonts: FONTS }), { 'Test-Regular.ttf': FONT_BYTES });
  const created = initPackage(source, { colorLayers: null });
  if (!isPackage(created)) throw new Error(created.problems.join('\n'));
  const { animation, files } = await keepTextSizes(created);
  const written = JSON.parse(new TextDecoder().decode(files.get('animation.json'))) as typeof animation;
  for (const { layers: texts, slots } of [animation, written]) {
    const sizes = (texts as { t: { d: object } }[]).map(({ t }) => textStyles(t.d as never)[0]!.rs);
    expect(sizes).toEqual([2, undefined]);
    const values = Object.values(slots as Record<string, { p: never }>).map(({ p }) => textStyles(p)[0]!.rs);
    expect(values).toEqual([2, undefined]);
  }
});

it.each([
  ['a text shrinks', ['Fits', 'Exceeds its box by far'], [80, 30], true],
  ['its words exceed the box already', ['Exceeds its box by far'], [80, 30], false],
  ['it has no box', ['Fits'], [0, 0], false],
])('notes that texts shrink only where %s: %j', async (_, words, sz, isNoted) => {
  const layers = words.map((text, index) =>
    textLayer(`t_0${index + 1}`, text, {}, { sz, ps: [0, -20], s: 20, lh: 24 }),
  );
  const source = sourceOf(lottie(layers, { fonts: FONTS }), { 'Test-Regular.ttf': FONT_BYTES });
  const created = initPackage(source, { colorLayers: null });
  if (!isPackage(created)) throw new Error(created.problems.join('\n'));
  const { notes } = await keepTextSizes(created);
  expect(notes.some(({ message }) => message === SHRUNK_NOTE)).toBe(isNoted);
});
