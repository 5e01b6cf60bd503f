import fc from 'fast-check';
import type { CatalogueUnit, SourceText } from '../../src/reconciler/locales/catalogue.ts';

/** Texts that people write, without the control characters that no format can hold. */
const words = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
  .map((text) => text.replaceAll(/[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]/g, '·').trim())
  .filter((text) => text !== '');
const text = fc
  .oneof(
    words,
    fc.constantFrom('Line one\nline two', '"quoted" \\ back', '${name} – now ${price}', '<b>&amp;</b> ]]>', '  ', '# not a comment', '=1+1;a,b\tc', '👩‍👩‍👧 é', 'مرحبا', '日本語'), // biome-ignore format: one list
    fc.tuple(words, words).map(([a, b]) => `${a}\n${b}`),
  )
  .filter((value) => value.trim() !== '');
const context = fc
  .tuple(
    fc.stringMatching(/^[a-zA-Z0-9_.-]{1,8}(\/[a-z0-9]{1,6})?$/),
    fc.constantFrom('t_01', '@title', '${claim}', '@audio.line', 'product/lamp.t_02', 'Ünï "x"'),
  )
  .map(([video, key]) => `${video}#${key}`);
const sourceText: fc.Arbitrary<SourceText> = fc.record(
  { context, source: text, location: fc.constantFrom('videos/a.yaml:1', 'videos/b.yaml:12'), label: words.map((label) => label.replaceAll(/\s+/g, ' ')).filter((label) => label.trim() === label && label !== '' && !/^(?:Lines|Picture): /.test(label)), maxLength: fc.nat(200), lines: fc.integer({ min: 1, max: 4 }), still: fc.constant('locales/stills/a.png') }, // biome-ignore format: one record
  { requiredKeys: ['context', 'source', 'location'] },
);
/** Texts of definitions, each context once. */
export const texts = fc.uniqueArray(sourceText, { selector: (value) => value.context, maxLength: 8 });
/** What a translator does with each unit. */
export const work = fc.array(fc.record({ target: fc.oneof(text, fc.constant('')), isMarked: fc.boolean() }), {
  maxLength: 8,
});

/** Returns units as a translator leaves them. */
export function translated(
  units: readonly CatalogueUnit[],
  done: readonly { target: string; isMarked: boolean }[],
): CatalogueUnit[] {
  return units.map((unit, index) => {
    const { target = '', isMarked = false } = done[index] ?? {};
    return { ...unit, target, isStale: isMarked && target !== '' };
  });
}
