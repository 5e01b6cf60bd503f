import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/reconciler/catalogues/catalogue-formats.ts';
import { type PoBlocks, readBlocks, readByLibrary, readHeader } from '../../../src/reconciler/catalogues/po-blocks.ts';
import { mergeTexts } from '../../../src/reconciler/locales/merge-catalogue.ts';
import { runs } from '../../support/full-run.ts';
import { texts, translated, work } from '../../support/random-catalogues.ts';

const PO = formatOf('a.po')!;
const LOCALES = { source: 'en', target: 'pt-BR' };

/** A catalogue as people and tools leave it: extracted, translated, with texts that are no longer used. */
const catalogue = fc.tuple(texts, work, texts).map(([before, done, after]) => {
  const units = translated(mergeTexts([], before).units, done);
  const first = PO.write(units, LOCALES, null);
  const read = PO.read('a.po', first);
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  return PO.write(mergeTexts(read.value, [...before.slice(2), ...after.filter(({ context }) => !before.some((text) => text.context === context))]).units, LOCALES, first); // biome-ignore format: one call
});

/** Lines that PO files may have besides ours, and mistakes. */
const LINES = [
  '',
  '  ',
  '# by hand',
  '#',
  '#, fuzzy, c-format',
  '#| msgid "before"',
  '#~ msgid "gone"',
  '#~ msgstr "weg"',
  '#~',
  '#~| msgid "before"',
  'msgctxt "12"',
  'msgctxt "a#t_01"',
  'msgctxt "a#t_01" "b"',
  'msgctxt ""',
  'msgid ""',
  'msgid "a"',
  "msgid 'a'",
  'msgid_plural "as"',
  'msgstr ""',
  'msgstr "a"',
  'msgstr[0] "a"',
  'msgstr[1] "b"',
  '"more\\n"',
  '  "more"',
  '"an end \\"',
  '"\\q\\\\"',
  "'more'",
  '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"',
  'domain "x"',
  'a',
] as const;

const edit = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('insert', 'remove', 'repeat', 'windows'),
  lines: fc.array(fc.constantFrom(...LINES), { minLength: 1, maxLength: 4 }),
  from: fc.nat(),
});

const edited = fc.tuple(catalogue, fc.array(edit, { maxLength: 4 })).map(([text, edits]) => {
  const lines = text.split('\n');
  for (const { at, kind, lines: added, from } of edits) {
    const index = at % (lines.length + 1);
    if (kind === 'insert') lines.splice(index, 0, ...added);
    if (kind === 'remove') lines.splice(index, added.length);
    if (kind === 'repeat') lines.splice(index, 0, ...lines.slice(from % (lines.length + 1)).slice(0, 5));
    if (kind === 'windows') lines[index] = `${lines[index] ?? ''}\r`;
  }
  return lines.join('\n');
});

/** Returns what a reader finds: the texts with a context, in their order, or its error. */
function found(read: (text: string) => PoBlocks, text: string): unknown {
  try {
    const { used, obsolete, places } = read(text);
    const [withContext, unused] = [used, obsolete].map((blocks) =>
      blocks.flatMap(({ range: _, ...block }) => ((block.msgctxt ?? '') === '' ? [] : [block])),
    );
    return { used: withContext, obsolete: unused, places: [...places].sort() };
  } catch (error) {
    const { message, lineNumber } = error as { message: string; lineNumber?: number };
    return { message, lineNumber };
  }
}

describe('blocks of PO files', () => {
  it('are those of gettext-parser, which reads the unusual ones', () => {
    const property = fc.property(fc.oneof(catalogue, edited), (text) => {
      expect(found(readBlocks, text)).toEqual(found(readByLibrary, text));
    });
    fc.assert(property, { numRuns: runs(2000) });
  });

  it('keep their bytes where nothing changed, as another program laid them out', () => {
    const folded = ['#:  videos/a.yaml:1 ', 'msgctxt ""', '"a#t_01"', 'msgid ""', '"One"', 'msgstr ""', '"Eins"'].join(
      '\n',
    );
    const second = 'msgctxt "a#t_02"\nmsgid ""\n"Two"\nmsgstr "Zwei"';
    const head = 'msgid ""\nmsgstr ""\n"Language: de\\n"\n"Content-Type: text/plain; charset=utf-8\\n"';
    const text = `${head}\n\n${folded}\n\n\n${second}\n`;
    const read = PO.read('a.po', text);
    if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
    expect(PO.write(read.value, LOCALES, text)).toBe(`${head}\n\n${folded}\n\n${second}\n`);
    const units = read.value.map((unit, index) => (index === 0 ? unit : { ...unit, target: 'Zwo' }));
    const added = { ...units[0]!, context: 'a#t_00', raw: null };
    const written = PO.write([added, ...units], LOCALES, text);
    expect(written).toContain(`msgctxt "a#t_00"\nmsgid "One"\nmsgstr "Eins"\n\n${folded}\n\nmsgctxt "a#t_02"\nmsgid "Two"\nmsgstr "Zwo"\n`); // biome-ignore format: one expectation
  });

  it('have the same header when only the header is read', () => {
    const property = fc.property(edited, (text) => {
      let whole: PoBlocks;
      try {
        whole = readByLibrary(text);
      } catch {
        return;
      }
      const [header] = whole.used.filter(({ msgctxt = '', msgid }) => msgctxt === '' && msgid === '');
      expect(readHeader(text).translations['']?.['']).toEqual(header);
    });
    fc.assert(property, { numRuns: runs(1000) });
  });
});
