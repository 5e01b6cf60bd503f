import { describe, expect, it } from 'vitest';
import { diagnosticsJson, textPosition } from '../../../src/report/json/diagnostics-json.ts';

describe('diagnosticsJson()', () => {
  const diagnostic = {
    code: 'wrong_kind',
    severity: 'error',
    message: 'Wrong',
    at: { file: 'a.yaml', start: 3, end: 5 },
  } as const;
  const base = { code: 'wrong_kind', severity: 'error', message: 'Wrong', hint: null };

  it('counts lines and columns from 1, with an exclusive end', () => {
    expect(diagnosticsJson([{ ...diagnostic, hint: 'Mend it' }], () => 'a:\nbc\n')).toEqual([
      { ...base, hint: 'Mend it', file: 'a.yaml', line: 2, column: 1, end_line: 2, end_column: 3 },
    ]);
  });

  it('returns null for unknown fields', () => {
    const nowhere = { line: null, column: null, end_line: null, end_column: null };
    expect(diagnosticsJson([diagnostic], () => undefined)).toEqual([{ ...base, file: 'a.yaml', ...nowhere }]);
    expect(diagnosticsJson([{ ...diagnostic, at: undefined }], () => '')).toEqual([
      { ...base, file: null, ...nowhere },
    ]);
  });
});

describe('textPosition()', () => {
  it.each([
    ['', 0, 1, 1],
    ['', 9, 1, 1],
    ['ab\ncd', 0, 1, 1],
    ['ab\ncd', 2, 1, 3],
    ['ab\ncd', 3, 2, 1],
    ['ab\ncd', 5, 2, 3],
    ['ab\r\ncd', 5, 2, 2],
    ['\n\n\n', 2, 3, 1],
    ['\n\n\n', 3, 4, 1],
    ['👍x', 2, 1, 3],
  ])('finds in %j the offset %d on line %d, column %d', (text, offset, line, column) => {
    expect(textPosition(text, offset)).toEqual({ line, column });
  });
});
