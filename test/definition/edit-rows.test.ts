import { describe, expect, it } from 'vitest';
import { editRows } from '../../src/definition/edit-rows.ts';
import { readCsv } from '../../src/definition/read-rows.ts';

const TEXT = 'id;name;note\r\nberlin;"Berlin";"a ""quote"""\r\n\r\nkrakow; Kraków;\r\n';

describe('editRows()', () => {
  it('changes the records of the cells alone', () => {
    const cells = [{ row: 1, column: 'note', value: 'open; "late"' }];
    expect(editRows(TEXT, { cells })).toBe(
      'id;name;note\r\nberlin;"Berlin";"a ""quote"""\r\nkrakow;" Kraków";"open; ""late"""\r\n',
    );
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
