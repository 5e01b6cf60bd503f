import { describe, expect, it } from 'vitest';
import { lintDiagnostics, type PlacedFinding } from '../../../src/report/wording/glyph-diagnostics.ts';

function missing(
  id: string,
  editable: string,
  text: string,
  { font = 'Inter', severity = 'warning' as 'warning' | 'error' } = {},
): PlacedFinding {
  const moment = { frame: 5, seconds: 0.5, still: null, box: null };
  const at = { file: `videos/${id}.yaml`, start: 10, end: 12 };
  return {
    finding: { code: 'glyph_missing', editable, ...moment, characters: [...text], font },
    target: { id, at, severity },
  };
}

function messagesOf(found: readonly PlacedFinding[]): string[] {
  return lintDiagnostics(found).map(({ message, severity }) => `${severity}: ${message}`);
}

describe('lintDiagnostics()', () => {
  it('reports missing glyphs once for each font and script, at the first text', () => {
    const found = [
      missing('a', 't_01', '漢字'),
      missing('a', 't_02', '字体か'),
      missing('b', 't_01', '体'),
      missing('c', 't_01', '漢', { font: 'Lato' }),
      missing('c', 't_02', 'ᚠ', { font: 'Lato', severity: 'error' }),
      missing('d', 't_01', '😀'),
    ];
    expect(messagesOf(found)).toEqual([
      'warning: No font contains 漢 字 体 of t_01 in a, at 0.5 s (Han in the font Inter: 3 texts of 2 videos)',
      'warning: No font contains か of t_02 in a, at 0.5 s',
      'warning: No font contains 漢 of t_01 in c, at 0.5 s',
      'error: No font contains ᚠ of t_02 in c, at 0.5 s',
      'warning: No font contains 😀 of t_01 in d, at 0.5 s',
    ]);
    expect(lintDiagnostics(found)[0]).toMatchObject({
      code: 'glyph_missing',
      at: { file: 'videos/a.yaml', start: 10 },
    });
  });

  it('reports other findings for each text', () => {
    const hidden = (id: string): PlacedFinding => {
      const { finding, target } = missing(id, 't_01', '');
      return { finding: { ...finding, code: 'text_hidden', reason: 'covered' } as PlacedFinding['finding'], target };
    };
    expect(lintDiagnostics([hidden('a'), hidden('b')])).toHaveLength(2);
  });
});
