import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv, readRows } from '../../../src/reconciler/definition/read-rows.ts';
import { editRows } from '../../../src/reconciler/definition/write-rows.ts';
import { runs } from '../../support/full-run.ts';
import { placed } from '../../support/resolve.ts';

function rows(file: string, text: string): Record<string, string>[] {
  const read = readRows(file, text);
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  return read.value.map(({ values }) => Object.fromEntries(values));
}

function problems(file: string, text: string): string[] {
  const read = readRows(file, text);
  return read.ok ? [] : read.diagnostics.map((diagnostic) => placed(diagnostic, () => text));
}

describe('readRows()', () => {
  const expected = [
    { city: 'Berlin', code: '007', note: '' },
    { city: 'New York, NY', code: '1.10', note: 'no' },
  ];
  it.each([
    ['rows.csv', 'city,code,note\nBerlin,007,\n"New York, NY",1.10,no\n'],
    ['rows.csv', '\n\ncity , code,note\r\nBerlin,007,\r\n\r\n"New York, NY",1.10,no'.trimStart()],
    ['rows.csv', 'city;code;note\nBerlin;007;\nNew York, NY;1.10;no\n'],
    ['rows.tsv', 'city\tcode\tnote\nBerlin\t007\t\nNew York, NY\t1.10\tno\n'],
    [
      'rows.json',
      '[\n\t{"city": "Berlin", "code": "007", "note": null},\n\t{"city": "New York, NY", "code": 1.10, "note": "no"}\n]',
    ],
    ['rows.yaml', '- {city: Berlin, code: 007, note: }\n- city: New York, NY\n  code: 1.10\n  note: no\n'],
  ])('reads %s', (file, text) => {
    expect(rows(file, text)).toEqual(expected);
  });

  it('ignores rows of a CSV file without any value and keeps the lines of the others', () => {
    const text = 'city;note\r\n;\r\nOslo;a\r\n"";" "\r\n;b\r\n;\r\n ; \r\n';
    const read = readRows('rows.csv', text);
    expect(read.ok && read.value.map(({ name, values }) => [name, ...values.values()])).toEqual([
      ['rows.csv line 3', 'Oslo', 'a'],
      ['rows.csv line 5', '', 'b'],
    ]);
    const edited = editRows(text, { cells: [{ row: 1, column: 'city', value: 'Bergen' }] });
    expect(edited).toBe(text.replace('\r\n;b', '\r\nBergen;b'));
  });

  it('leaves out unnamed columns without values, as spreadsheets write them', () => {
    expect(rows('rows.csv', 'slug,text,,\na,Alpha,,\nb,Beta\nc,Gamma,,,,\n')).toEqual([
      { slug: 'a', text: 'Alpha' },
      { slug: 'b', text: 'Beta' },
      { slug: 'c', text: 'Gamma' },
    ]);
    // The index that data tools write.
    expect(rows('rows.csv', ',slug\n0,a\n1,b\n').map(({ slug }) => slug)).toEqual(['a', 'b']);
    const read = readRows('rows.csv', 'slug,,\na,1,\nb,,2\n');
    expect(!read.ok && read.diagnostics.map(({ message }) => message)).toEqual([
      'Several columns have values but no name',
    ]);
  });

  it.each([
    ['sep=;\nslug;text\na;Alpha, or\n', [{ slug: 'a', text: 'Alpha, or' }], 'rows.csv line 3'],
    ['\ufeffSEP=,\r\nslug,a;b;c\r\na,x\r\n', [{ slug: 'a', 'a;b;c': 'x' }], 'rows.csv line 3'],
    ['sep=\t\nslug\ttext\na\tAlpha\n', [{ slug: 'a', text: 'Alpha' }], 'rows.csv line 3'],
    ['sep=|\n\nslug|text\n\na|Alpha\n', [{ slug: 'a', text: 'Alpha' }], 'rows.csv line 5'],
    ['sep=x,slug\n1,a\n', [{ 'sep=x': '1', slug: 'a' }], 'rows.csv line 2'],
  ])('reads the separator of %j', (text, expected, name) => {
    expect(rows('rows.csv', text)).toEqual(expected);
    const read = readRows('rows.csv', text);
    expect(read.ok && read.value[0]!.name).toBe(name);
  });

  it('reads a quoted header behind a byte order mark, as Excel and Google Sheets write it', () => {
    const text = '\ufeff"slug","city, country"\r\na,"Oslo, Norway"\r\n';
    expect(rows('rows.csv', text)).toEqual([{ slug: 'a', 'city, country': 'Oslo, Norway' }]);
    expect(editRows(text, { cells: [{ row: 0, column: 'slug', value: 'b' }] })).toBe(text.replace('\na,', '\nb,'));
  });

  it('explains a line with too few or too many values', () => {
    const read = readRows('rows.csv', 'slug,city,photo\na\nb,B,b.jpg,c\n');
    expect(!read.ok && read.diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      ['Line 2 has no value for "city", "photo"', 'Add the values; an empty cell needs its separator too'],
      ['Line 3 has 4 values, but the header has 3', 'Quote a text that contains the separator'],
    ]);
  });

  it.each([
    ['rows.csv', 'slug,text\na,"one\ntwo\n\nthree"\n'],
    ['rows.json', '[\n{"slug": "a", "text": "one\\ntwo\\n\\nthree"}\n]\n'],
    ['rows.yaml', '- slug: a\n  text: |-\n    one\n    two\n\n    three\n'],
  ])('reads line breaks in the values of %s as LF, whatever git or the writer made of them', (file, text) => {
    const expected = [{ slug: 'a', text: 'one\ntwo\n\nthree' }];
    const written = text.replaceAll('\\n', '\\r\\n');
    for (const one of [text, text.replaceAll('\n', '\r\n'), written, text.replaceAll('\\n', '\\r')]) {
      expect(rows(file, one)).toEqual(expected);
    }
  });

  it('returns the line of each row of a CSV file', () => {
    const text = 'city,note\n\n"Ber\nlin",a\nOslo,b\n';
    const read = readRows('rows.csv', text);
    expect(read.ok && read.value.map(({ name, span }) => [name, text.slice(span.start, span.end)])).toEqual([
      ['rows.csv line 3', '"Ber\nlin",a'],
      ['rows.csv line 5', 'Oslo,b'],
    ]);
  });

  it.each([
    ['rows.csv', 'a,b\n1\n1,2\n1,2,3\n', ['data_invalid rows.csv:2:1', 'data_invalid rows.csv:4:1']],
    ['rows.csv', 'a,a\n1,2\n', ['data_invalid rows.csv:1:1']],
    ['rows.csv', 'a,b\n1,"x\n', ['data_invalid rows.csv:2:3']],
    ['rows.csv', 'a,b\n1,"x"y\n', ['data_invalid rows.csv:2:1']],
    ['rows.csv', 'a,b\n1,\u001b[2J\n', ['data_invalid rows.csv:2:3']],
    ['rows.csv', 'a,b\n', ['data_invalid rows.csv:1:1']],
    ['rows.csv', `a\n${'1\n'.repeat(100_001)}`, ['data_invalid rows.csv:1:1']],
    ['rows.csv', '', ['data_invalid rows.csv:1:1']],
    ['rows.json', '{"a": 1}', ['data_invalid rows.json:1:1']],
    ['rows.json', '[{"a": 1}, 2, {"a": {"b": 1}}]', ['data_invalid rows.json:1:12', 'data_invalid rows.json:1:16']],
    ['rows.json', '[]', ['data_invalid rows.json:1:1']],
    ['rows.yaml', '# nothing\n', ['data_invalid rows.yaml:1:1']],
    ['rows.yaml', '- a: 1\n  a: 2\n', ['yaml_duplicate_key rows.yaml:2:3']],
  ])('refuses %s, case %#', (file, text, expected) => {
    expect(problems(file, text)).toEqual(expected);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('a.csv', 'a.tsv', 'a.json', 'a.yaml'),
        fc.string({ unit: 'binary' }),
        (file, text) => {
          readRows(file, text);
        },
      ),
      { numRuns: runs(1_000) },
    );
  });

  it('reads cells quoted as in RFC 4180', () => {
    const cell = fc.string({ unit: 'grapheme' }).filter((text) => !/[\x00-\x1f\x7f-\x9f\ufeff]/.test(text));
    // A row without any value is ignored.
    const row = fc.tuple(cell, cell).filter((cells) => cells.join('').trim() !== '');
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), (pairs) => {
        const line = (cells: readonly string[]): string =>
          cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
        const text = `first,second\n${pairs.map(line).join('\n')}\n`;
        expect(rows('a.csv', text)).toEqual(pairs.map(([first, second]) => ({ first, second })));
      }),
    );
  });
});

describe('readCsv()', () => {
  it.each([
    ['name;"price, EUR";city', ['name', 'price, EUR', 'city']],
    ['name;price, EUR;city', ['name', 'price, EUR', 'city']],
    ['name\tcity', ['name', 'city']],
    ['name,city', ['name', 'city']],
    ['name', ['name']],
  ])('uses the most frequent separator of %j', (header, columns) => {
    const rows = readCsv('a.csv', `${header}\n${header}\n`);
    expect(rows.ok && [...rows.value[0]!.values.keys()]).toEqual(columns);
  });

  it.each(['a,b\n"x,y\n', 'a,b\n"x"z,y\n', 'a,b\nx"z,y\n'])('explains the error in %j in its own words', (text) => {
    const rows = readCsv('a.csv', text);
    const message = rows.ok ? '' : rows.diagnostics[0]!.message;
    expect(message).toContain('a.csv is not valid CSV: ');
    expect(message).not.toMatch(/Quote Not Closed|Invalid|parsing/);
  });
});

describe('Row.cellSpan()', () => {
  it.each([
    [
      'rows.csv',
      'city,note,x\n\n"Ber\nlin","a ""b"", c",\nOslo,,1\n',
      ['"Ber\nlin"', '"a ""b"", c"', '', 'Oslo', '', '1'],
    ],
    ['rows.csv', 'sep=;\r\ncity;;note\r\nOslo;;"a;b"\r\n', ['Oslo', '"a;b"']],
    ['rows.csv', '\ufeffcity,note\nOslo,a', ['Oslo', 'a']],
    ['rows.tsv', 'city\tnote\n\tb\n', ['', 'b']],
    ['rows.json', '[{"city": "Oslo", "note": 7}]', ['"Oslo"', '7']],
    ['rows.yaml', '- city: Oslo\n  note: a b\n', ['Oslo', 'a b']],
  ])('locates each cell of %s, case %#', (file, text, cells) => {
    const read = readRows(file, text);
    const spans = read.ok ? read.value.flatMap((row) => [...row.values.keys()].map((name) => row.cellSpan(name))) : [];
    expect(spans.map(({ start, end }) => text.slice(start, end))).toEqual(cells);
  });
});

describe('a missing closing quote in a CSV file', () => {
  it.each([
    ['the header', 'a,"b\n1,2\n3,4\n', '"b'],
    ['the first row, to the end of the file', 'a,b\n1,"x\n2,y\n3,z\n', '"x'],
    ['the first row, before a quoted cell', 'a,b\n1,"x\n2,"y"\n3,"z"\n', '"x'],
    ['the first row, before a cell with quotes', 'a,b\n"1,x\n2,"say ""y"" it"\n', '"1,x'],
    ['the middle row', 'a,b\n1,"x"\n"2,y\n3,"z"\n', '"2,y'],
    ['the middle row after a cell of two lines', 'a,b\n"x\ny",1\n2,"z\n3,4\n', '"z'],
    ['the last row', 'a,b\n1,2\n3,"4', '"4'],
    ['CR LF, first row', 'a,b\r\n1,"x\r\n2,"y"\r\n', '"x'],
    ['CR LF, middle row', 'a,b\r\n"1",2\r\n"3,4\r\n5,6\r\n', '"3,4'],
    ['semicolons, first row', 'a;b\n1;"x, y\n2;"z"\n', '"x, y'],
    ['semicolons and CR LF, middle row', 'sep=;\r\na;b\r\n1;2\r\n3;"x\r\n4;"y"\r\n5;6\r\n', '"x'],
    ['tabs', 'a\tb\n1\t"x\n2\ty\n', '"x'],
    ['a byte order mark', '\ufeffa,b\n1,"x\n2,y\n', '"x'],
  ])('is reported where the quote opens: %s', (_, text, cell) => {
    const start = text.indexOf(cell);
    const rows = readCsv('a.csv', text);
    expect(rows.ok ? [] : rows.diagnostics).toEqual([
      {
        code: 'data_invalid',
        severity: 'error',
        message: 'a.csv is not valid CSV: the closing " of this cell is missing',
        hint: 'Add " at the end of the cell. Double quotes inside a quoted text: ""',
        at: { file: 'a.csv', start, end: start + cell.length },
      },
    ]);
  });

  it('takes time in proportion to the length of the file', () => {
    const text = `a,b\n${'"1","x ""y"" z"\n'.repeat(20_000)}3,"4\n${'5,""6""\n'.repeat(20_000)}`;
    const rows = readCsv('a.csv', text);
    expect(rows.ok ? [] : rows.diagnostics.map(({ at }) => at?.start)).toEqual([text.indexOf('3,"4') + 2]);
  });
});

const TEXT = 'id;name;note\r\nberlin;"Berlin";"a ""quote"""\r\n\r\nkrakow; Kraków;\r\n';

describe('editRows()', () => {
  it('changes the cells alone', () => {
    const cells = [{ row: 1, column: 'note', value: 'open; "late"' }];
    expect(editRows(TEXT, { cells })).toBe(TEXT.replace(/;\r\n$/, ';"open; ""late"""\r\n'));
  });

  it('keeps a line that names the separator', () => {
    const edited = editRows('sep=;\r\na;b\r\n1,5;x\r\n', { cells: [{ row: 0, column: 'b', value: 'y' }] });
    expect(edited).toBe('sep=;\r\na;b\r\n1,5;y\r\n');
  });

  it('removes and adds rows, which can be read again', () => {
    const text = editRows(TEXT, { cells: [], removed: [0], added: [{ id: 'rome', note: 'a\nb' }] });
    const rows = readCsv('a.csv', text);
    expect(rows.ok && rows.value.map(({ values }) => [...values.values()])).toEqual([
      ['krakow', ' Kraków', ''],
      ['rome', '', 'a\nb'],
    ]);
  });

  it('rejects rows and columns that do not exist', () => {
    expect(() => editRows(TEXT, { cells: [{ row: 2, column: 'id', value: '' }] })).toThrow(RangeError);
    expect(() => editRows(TEXT, { cells: [], removed: [9] })).toThrow(RangeError);
    expect(() => editRows(TEXT, { cells: [], added: [{ city: 'x' }] })).toThrow(RangeError);
  });
});
