import fc from 'fast-check';
import { po } from 'gettext-parser';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/reconciler/catalogues/catalogue-formats.ts';
import type { CatalogueUnit, SourceText } from '../../../src/reconciler/locales/catalogue.ts';
import { mergeTexts } from '../../../src/reconciler/locales/merge-catalogue.ts';
import { runs } from '../../support/full-run.ts';
import { texts, translated, work } from '../../support/random-catalogues.ts';

const LOCALES = { source: 'en', target: 'pt-BR' };
const FILES = ['locales/a.po', 'locales/a.xlf', 'locales/a.csv'] as const;

const known = ({ raw: _, ...unit }: CatalogueUnit & { readonly at?: unknown }): object => {
  const { at: _at, ...rest } = unit;
  return rest;
};

function read(file: string, written: string): readonly CatalogueUnit[] {
  const result = formatOf(file)!.read(file, written);
  if (!result.ok) throw new Error(`${JSON.stringify(result.diagnostics)}\n${written}`);
  return result.value;
}

describe.each(FILES)('catalogues in %s', (file) => {
  const format = formatOf(file)!;

  it('lose nothing when they are written, read, translated, merged and written again', () => {
    const property = fc.property(texts, work, texts, (before, done, after) => {
      const first = format.write(mergeTexts([], before).units, LOCALES, null);
      const ours = translated(read(file, first), done);
      const second = format.write(ours, LOCALES, first);
      expect(read(file, second).map(known)).toEqual(ours.map(known));
      expect(format.write(read(file, second), LOCALES, second)).toBe(second);
      // Half of the new texts have the contexts of former ones.
      const changed = after.map((wanted, index) => (index % 2 === 0 && before[index] ? { ...wanted, context: before[index].context } : wanted)); // biome-ignore format: one expression
      const unique = [...new Map(changed.map((wanted) => [wanted.context, wanted])).values()];
      const merged = mergeTexts(read(file, second), unique);
      const third = format.write(merged.units, LOCALES, second);
      const again = read(file, third);
      const inOrder = [
        ...merged.units.filter((unit) => !unit.isObsolete),
        ...merged.units.filter((unit) => unit.isObsolete),
      ];
      // PO files have texts that are no longer used at their end.
      expect(again.map(known)).toEqual((file.endsWith('.po') ? inOrder : merged.units).map(known));
      expect(new Set(again.filter(({ isObsolete }) => !isObsolete).map((unit) => unit.context))).toEqual(new Set(unique.map((wanted) => wanted.context))); // biome-ignore format: one expectation
      // Each translation is still there.
      for (const { context, target } of ours) if (target !== '') expect(again.find((unit) => unit.context === context)?.target).toBe(target); // biome-ignore format: one expectation
      const repeated = mergeTexts(again, unique);
      expect([repeated.added, repeated.stale, repeated.obsolete]).toEqual([0, 0, 0]);
      expect(format.write(repeated.units, LOCALES, third)).toBe(third);
    });
    const odd = ['constructor', '!\u2028! !'].map((source) => ({
      context: 'a#t_01',
      source,
      location: 'videos/a.yaml:1',
    }));
    fc.assert(property, { numRuns: runs(700), examples: odd.map((wanted) => [[wanted], [], []]) });
  });
});

describe('PO catalogues', () => {
  const PO = `# Translators of Olune
msgid ""
msgstr ""
"Language: de\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"X-Generator: Weblate 5.8\\n"

# keep it short
#. Headline
#: videos/a.yaml:4
#, no-wrap, max-length:20
msgctxt "a#t_01"
msgid "Light that lands softly."
msgstr "Licht, das sanft landet."

#, fuzzy
#| msgctxt "a#t_02"
#| msgid "Old"
msgctxt "a#t_02"
msgid "New"
msgstr "Alt"

#~ msgctxt "gone#t_01"
#~ msgid "Gone"
#~ msgstr "Weg"
`;
  const format = formatOf('de.po')!;

  it('keep headers, comments, flags and obsolete texts, as gettext-parser reads them', () => {
    const merged = mergeTexts(read('de.po', PO), [
      {
        context: 'a#t_01',
        source: 'Light that lands softly!',
        location: 'videos/a.yaml:5',
        label: 'Headline',
        maxLength: 20,
      },
      { context: 'a#t_03', source: 'Third', location: 'videos/a.yaml:9' },
      { context: 'a#t_02', source: 'Old', location: 'videos/a.yaml:6' },
    ]);
    const written = format.write(merged.units, LOCALES, PO);
    const table = po.parse(written);
    expect(table.headers['X-Generator']).toBe('Weblate 5.8');
    expect(table.translations['']?.['']?.comments?.translator).toBe('Translators of Olune');
    expect(Object.keys(table.translations)).toEqual(['', 'a#t_01', 'a#t_03', 'a#t_02']);
    expect(table.translations['a#t_01']?.['Light that lands softly!']).toMatchObject({
      msgstr: ['Licht, das sanft landet.'],
      comments: { translator: 'keep it short', extracted: 'Headline', reference: 'videos/a.yaml:5', flag: 'fuzzy, no-wrap, max-length:20', previous: 'msgctxt "a#t_01"\nmsgid "Light that lands softly."' }, // biome-ignore format: one object
    });
    // The text is again what was translated.
    expect(table.translations['a#t_02']?.Old?.comments?.flag).toBeUndefined();
    expect(written).toContain('#~ msgctxt "gone#t_01"');
    expect([merged.added, merged.stale, merged.obsolete]).toEqual([1, 1, 0]);
  });

  it('say where they cannot be read', () => {
    const result = format.read('locales/de.po', 'msgid "a');
    expect(result.ok ? [] : result.diagnostics.map(({ code }) => code)).toEqual(['catalogue_invalid']);
  });
});

describe('XLIFF catalogues', () => {
  const XLIFF = `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" xmlns:slr="urn:oasis:names:tc:xliff:sizerestriction:2.0" xmlns:x="urn:tool" version="2.0" srcLang="en" trgLang="de">
  <file id="f1" original="x.yaml">
    <skeleton>kept</skeleton>
    <unit id="1" name="a#t_01" x:note="kept">
      <notes>
        <note category="reviewer">Kept</note>
        <note category="label">Headline</note>
      </notes>
      <originalData><data id="d1">\${name}</data></originalData>
      <segment state="reviewed">
        <source>Hello <ph id="1" dataRef="d1"/></source>
        <target>Hallo <ph id="1" dataRef="d1"/></target>
      </segment>
    </unit>
  </file>
</xliff>
`;
  const format = formatOf('de.xlf')!;

  it('keep states, notes, inline codes and unknown attributes', () => {
    const units = read('de.xlf', XLIFF);
    expect(units.map(known)).toEqual([{ context: 'a#t_01', source: 'Hello ${name}', target: 'Hallo ${name}', isStale: false, isObsolete: false, label: 'Headline' }]); // biome-ignore format: one list
    const merged = mergeTexts(units, [
      { context: 'a#t_01', source: 'Hello ${name}', location: 'videos/a.yaml:4', label: 'Headline', maxLength: 20 },
      { context: 'a#t_02', source: 'New & <old>', location: 'videos/a.yaml:5' },
    ]);
    const written = format.write(merged.units, LOCALES, XLIFF);
    expect(written).toMatchSnapshot();
    const stale = mergeTexts(read('de.xlf', written), [
      { context: 'a#t_01', source: 'Bye', location: 'videos/a.yaml:4' },
    ]);
    const again = format.write(stale.units, LOCALES, written);
    expect(again).toContain('state="initial" subState="reelform:stale"');
    expect(again).toContain('<note category="previous">Hello ${name}</note>');
  });

  it('are read from version 1.2, with its states', () => {
    const text = `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file source-language="en" target-language="de" original="x" datatype="plaintext"><body>
<trans-unit id="a#t_01" maxwidth="20" size-unit="char"><source>Hello</source><target state="final">Hallo</target></trans-unit>
<group id="g"><trans-unit id="2" resname="a#t_02"><source>New</source><target state="needs-translation">Alt</target></trans-unit></group>
</body></file></xliff>`;
    const units = read('de.xlf', text);
    expect(units.map(({ context, target, isStale, maxLength }) => [context, target, isStale, maxLength])).toEqual([
      ['a#t_01', 'Hallo', false, 20],
      ['a#t_02', 'Alt', true, undefined],
    ]);
    expect(read('de.xlf', format.write(units, LOCALES, text)).map(known)).toEqual(units.map(known));
  });

  it('say where they cannot be read', () => {
    for (const text of ['<xliff', '<html/>', '']) {
      const result = format.read('locales/de.xlf', text);
      expect(result.ok ? [] : result.diagnostics.map(({ code }) => code)).toEqual(['catalogue_invalid']);
    }
  });
});

describe('cues in catalogues', () => {
  const cues = (...texts: string[]): SourceText[] => {
    return texts.map((source, index) => ({ context: `a#@captions.${index + 1}`, source, location: 'videos/a.yaml:3' }));
  };
  const shown = (units: readonly CatalogueUnit[]): string[] =>
    units.map(({ context, source, target, isStale, isObsolete }) => {
      return `${context.slice(12)} ${source}: ${target}${isStale ? ' stale' : ''}${isObsolete ? ' obsolete' : ''}`;
    });

  it('keep their translations if a cue is added or removed before them', () => {
    const before = mergeTexts([], cues('One', 'Two', 'Three')).units.map((unit) => ({ ...unit, target: `${unit.source} de` })); // biome-ignore format: one expression
    const more = mergeTexts(before, cues('Zero', 'One', 'Two', 'Three'));
    expect(shown(more.units)).toEqual(['1 Zero: ', '2 One: One de', '3 Two: Two de', '4 Three: Three de']);
    const less = mergeTexts(before, cues('Two', 'Three!'));
    expect(shown(less.units)).toEqual(['1 Two: Two de', '2 Three!: ', '3 Three: Three de obsolete']);
    expect(shown(mergeTexts(before, cues('One', 'Two', 'Three')).units)).toEqual(shown(before));
  });
});
