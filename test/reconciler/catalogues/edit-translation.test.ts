import { describe, expect, it } from 'vitest';
import { formatOf } from '../../../src/reconciler/catalogues/catalogue-formats.ts';
import { editTranslation } from '../../../src/reconciler/catalogues/edit-translation.ts';
import type { LocatedUnit } from '../../../src/reconciler/locales/catalogue.ts';

const PO = `# A comment of the translators
msgid ""
msgstr ""
"Language: de\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"X-Generator: Weblate 5\\n"

# A comment that belongs to nothing.

# keep me
#: a.yaml:1 b.yaml:2
#, max-length:30
msgctxt "a#t_01"
msgid "A text that goes on and on and on for a good while longer than that"
msgstr "Ein langer Text, der immer weiter und weiter und weiter geht, und noch weiter als das"


#, fuzzy, c-format
#| msgctxt "a#t_02"
#| msgid "Too"
msgctxt "a#t_02"
msgid "Two"
msgstr ""
"Zwei\\n"
"Zeilen"

#~ msgctxt "a#t_03"
#~ msgid "Gone"
#~ msgstr "Weg"
`;
const XLIFF = `<?xml version='1.0' encoding="UTF-8"?>
<xliff version="2.0" xmlns='urn:oasis:names:tc:xliff:document:2.0' srcLang="en" trgLang="de">
  <!-- <unit> -->
  <file id='f1'>
    <unit id="u1" name='a#t_01'><segment><source>One &apos;x&apos;</source><target>Ein&#160;x</target></segment></unit>
    <unit id="u2" name="a#t_02">
      <segment state='translated'><source>Two</source><target>Zwei</target></segment>
    </unit>
  </file>
</xliff>
`;
const CSV = `\ufeffcontext;source;target;note;state\r\n"a#t_01";One;"Eins";x;\r\na#t_02;Two;Zwei;"y";"stale; done"\r\n`;

function edited(file: string, text: string, context: string, fields: Partial<LocatedUnit>): string {
  const read = formatOf(file)!.read(file, text);
  if (!read.ok) throw new Error(read.diagnostics[0]!.message);
  const index = read.value.findIndex((unit) => unit.context === context);
  const { previous: _, ...unit } = read.value[index]!;
  const catalogue = { file, text, units: read.value };
  return editTranslation(catalogue, index, { ...unit, ...fields, isStale: false }, { source: 'en', target: 'de' });
}

/** Returns the lines that are not in the other text. */
function onlyIn(text: string, other: string): string[] {
  const lines = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !lines.has(line));
}

describe('editTranslation()', () => {
  it('changes the lines of one text of a PO file, whatever its layout', () => {
    const text = edited('a.po', PO, 'a#t_02', { target: 'Zwei' });
    expect(onlyIn(text, PO)).toEqual(['#, c-format', 'msgstr "Zwei"']);
    expect(onlyIn(PO, text)).toEqual([
      '#, fuzzy, c-format',
      '#| msgctxt "a#t_02"',
      '#| msgid "Too"',
      '"Zwei\\n"',
      '"Zeilen"',
    ]);
    const windows = edited('a.po', PO.replaceAll('\n', '\r\n'), 'a#t_02', { target: 'Zwei' });
    expect(windows).toBe(text.replaceAll('\n', '\r\n'));
  });

  it('changes one unit of an XLIFF file', () => {
    const text = edited('a.xlf', XLIFF, 'a#t_02', { target: 'ضوء & <b>' });
    expect(text).toBe(
      XLIFF.replace(`state='translated'`, 'state="translated"').replace('>Zwei<', '>ضوء &amp; &lt;b&gt;<'),
    );
  });

  it('changes only the cells that differ of a CSV file', () => {
    const text = edited('a.csv', CSV, 'a#t_01', { target: 'Eins; zwei' });
    expect(text).toBe(CSV.replace('"a#t_01";One;"Eins";x;', '"a#t_01";One;"Eins; zwei";x;'));
    const checked = edited('a.csv', CSV, 'a#t_02', { target: 'Zwei' });
    expect(checked).toBe(CSV.replace('a#t_02;Two;Zwei;"y";"stale; done"', 'a#t_02;Two;Zwei;"y";done'));
  });

  it('reads back what it wrote', () => {
    for (const [file, content] of [
      ['a.po', PO],
      ['a.xlf', XLIFF],
      ['a.csv', CSV],
    ] as const) {
      const text = edited(file, content, 'a#t_01', { target: 'やさしく\n"届く" \\ 光' });
      const read = formatOf(file)!.read(file, text);
      const unit = read.ok ? read.value.find(({ context }) => context === 'a#t_01') : null;
      expect([file, unit?.target]).toEqual([file, 'やさしく\n"届く" \\ 光']);
    }
  });
});
