import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeFrame } from '../../../src/report/terminal/code-frame.ts';

const frame = (text: string, marked: string, options = { color: false, columns: 40 }): string[] => {
  const start = text.indexOf(marked);
  return codeFrame(text, { start, end: start + marked.length }, options)
    .split('\n')
    .map((line) => line.trimEnd());
};

describe('codeFrame()', () => {
  const text = 'template: launch\ntitle: Summer\nresources:\n  t_01: Hello\n';

  it('marks a span between the lines around it', () => {
    expect(frame(text, 'Summer')).toEqual([
      '  1 | template: launch',
      '> 2 | title: Summer',
      '    |        ^^^^^^',
      '  3 | resources:',
    ]);
  });

  it('shows no empty line at the end', () => {
    expect(frame(text, 'Hello')).toEqual(['  3 | resources:', '> 4 |   t_01: Hello', '    |         ^^^^^']);
  });

  it('marks the first line of a longer span', () => {
    expect(frame(text, 'resources:\n  t_01')).toEqual([
      '  2 | title: Summer',
      '> 3 | resources:',
      '    | ^^^^^^^^^^',
      '  4 |   t_01: Hello',
    ]);
  });

  it('marks one column for an empty span, also behind the end', () => {
    expect(codeFrame('a: ', { start: 3, end: 3 }, { color: false, columns: 40 })).toBe('> 1 | a: \n    |    ^');
    expect(codeFrame('', { start: 0, end: 0 }, { color: false, columns: 40 }).trimEnd()).toContain('> 1 |');
  });

  it('cuts long lines around what is marked', () => {
    const long = `short\nkey: ${'x'.repeat(100)}MARK${'y'.repeat(100)}\n${'z'.repeat(100)}`;
    expect(frame(long, 'MARK')).toEqual([
      '  1 |',
      `> 2 | …${'x'.repeat(29)}MARK${'y'.repeat(5)}…`,
      `    | ${' '.repeat(30)}^^^^`,
      `  3 | …${'z'.repeat(24)}`,
    ]);
  });

  it('shows control characters as symbols', () => {
    expect(frame('a: "\u001b[31m\t\u202ex"', 'x')[0]).toBe('> 1 | a: "␛[31m \u{fffd}x"');
  });

  it('colours the marks and the margin, never the code', () => {
    const colored = frame(text, 'Summer', { color: true, columns: 40 });
    expect(colored[1]).toBe('\u001b[31m>\u001b[39m\u001b[2m 2 |\u001b[22m title: Summer');
    expect(colored[2]).toBe('\u001b[2m    |\u001b[22m\u001b[31m        ^^^^^^\u001b[39m');
  });

  it('gives nothing that a terminal obeys, whatever the text and the span', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.nat(50),
        fc.nat(50),
        fc.integer({ min: 40, max: 120 }),
        (text, start, length, columns) => {
          const span = { start: Math.min(start, text.length), end: Math.min(start + length, text.length) };
          const lines = codeFrame(text, span, { color: false, columns }).split('\n');
          for (const line of lines) {
            expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
            expect(line.length).toBeLessThanOrEqual(columns + 12);
          }
        },
      ),
    );
  });
});
