import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../src/kernel/diagnostic.ts';
import { codeFrame, diagnosticsText } from '../../../src/report/terminal/diagnostics-text.ts';
import { resolve } from '../../support/resolve.ts';

const FILES: Readonly<Record<string, string>> = {
  'videos/berlin.yaml': `template: launch
title: Summer Collection — Berlin
resources:
  t_11: Summer Collection
  c_01: #EEADA7
  (Footage)/USER/hero.jpg: ./images/hero.jpg
`,
  'videos/oslo.yaml': 'template: lunch\ntitle: Oslo\n',
};

const source = (file: string): string | undefined => FILES[file];

describe('diagnosticsText()', () => {
  it('links codes to their reference', () => {
    const diagnostic: Diagnostic = { code: 'no_videos', severity: 'warning', message: 'None' };
    const text = diagnosticsText([diagnostic], { source, color: false, reference: 'file:///docs/errors.md' });
    expect(text).toContain('None  \u001b]8;;file:///docs/errors.md#no_videos\u001b\\no_videos\u001b]8;;\u001b\\');
  });

  it('shows each location once, with problems, hints and surrounding lines', () => {
    const { diagnostics } = resolve(FILES);
    expect(diagnosticsText(diagnostics, { source, color: false })).toBe(`videos/berlin.yaml:3:1
  error  t_01 (Headline) has no value  missing_editable
         Add t_01: Summer Collection

    2 | title: Summer Collection — Berlin
  > 3 | resources:
      | ^^^^^^^^^
    4 |   t_11: Summer Collection

videos/berlin.yaml:4:3
  error  The template launch has no editable "t_11"  unknown_editable
         Did you mean t_01 (Headline)?

    3 | resources:
  > 4 |   t_11: Summer Collection
      |   ^^^^
    5 |   c_01: #EEADA7

videos/berlin.yaml:5:3
  error  c_01 (Accent) has no value  wrong_kind
         # starts a comment in YAML; quote "#EEADA7"

    4 |   t_11: Summer Collection
  > 5 |   c_01: #EEADA7
      |   ^^^^
    6 |   (Footage)/USER/hero.jpg: ./images/hero.jpg

videos/oslo.yaml:1:11
  error  reelform.yaml has no template "lunch"  unknown_template
         Did you mean launch?

  > 1 | template: lunch
      |           ^^^^^
    2 | title: Oslo

4 errors in 2 files
`);
  });

  const at = { file: 'videos/oslo.yaml', start: 0, end: 8 };
  const error: Diagnostic = { code: 'definition_invalid', severity: 'error', message: 'One', at };

  it('groups the problems of one location', () => {
    const warning: Diagnostic = { code: 'no_videos', severity: 'warning', message: 'Two', hint: 'Mend it', at };
    expect(diagnosticsText([error, warning], { source, color: false })).toBe(`videos/oslo.yaml:1:1
  error    One  definition_invalid
  warning  Two  no_videos
           Mend it

  > 1 | template: lunch
      | ^^^^^^^^
    2 | title: Oslo

1 error and 1 warning in 1 file
`);
  });

  it('shows the hint that several share once, counts the rest of a location', () => {
    const at = { file: 'videos/oslo.yaml', start: 10, end: 15 };
    const rows = Array.from({ length: 23 }, (_, index): Diagnostic => {
      return { code: 'missing_file', severity: 'error', message: `Row ${index}`, hint: 'Restore it', at };
    });
    const text = diagnosticsText(rows, { source, color: false });
    expect(text).toContain('Row 19  missing_file\n         Restore it\n         … and 3 more here\n');
    expect(text.match(/Restore it/g)).toHaveLength(1);
    expect(text).toContain('23 errors in 1 file');
  });

  it('formats diagnostics without a location or a text', () => {
    const elsewhere: Diagnostic = { ...error, at: { file: 'gone.yaml', start: 3, end: 4 } };
    const nowhere: Diagnostic = { code: 'unknown_video', severity: 'error', message: 'No place' };
    expect(diagnosticsText([nowhere], { source, color: false })).toBe('  error  No place  unknown_video\n\n1 error\n');
    expect(diagnosticsText([elsewhere], { source, color: false })).toBe(
      'gone.yaml\n  error  One  definition_invalid\n\n1 error in 1 file\n',
    );
    expect(diagnosticsText([nowhere, elsewhere], { source, color: false })).toMatch(/\n\n2 errors\n$/);
    expect(diagnosticsText([], { source, color: false })).toBe('');
  });

  it('limits the number of locations and counts the rest', () => {
    const many = Array.from({ length: 60 }, (_, start) => ({ ...error, at: { ...at, start, end: start + 1 } }));
    const text = diagnosticsText(many, { source, color: false });
    expect(text.match(/definition_invalid/g)).toHaveLength(50);
    expect(text).toMatch(/\n\n… and 10 more\n\n60 errors in 1 file\n$/);
  });

  it('escapes user text that could control the terminal', () => {
    const hostile: Diagnostic = {
      ...error,
      message: 'a\u001b[2Jb\nc',
      hint: '\u202e',
      at: { file: 'x\u0007.yaml', start: 0, end: 1 },
    };
    const text = diagnosticsText([hostile], { source: () => '\u001b]0;title\u0007', color: false });
    expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  });

  it('uses colours on request', () => {
    const text = diagnosticsText([error], { source, color: true });
    expect(text).toContain('\u001b[31merror\u001b[39m');
    expect(text).toContain('\u001b[1mvideos/oslo.yaml:1:1\u001b[22m');
  });
});

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

  it('omits an empty line at the end', () => {
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

  it('marks one column for an empty span, also past the end', () => {
    expect(codeFrame('a: ', { start: 3, end: 3 }, { color: false, columns: 40 })).toBe('> 1 | a: \n    |    ^');
    expect(codeFrame('', { start: 0, end: 0 }, { color: false, columns: 40 }).trimEnd()).toContain('> 1 |');
  });

  it('truncates long lines around the marked span', () => {
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

  it('colours the marks and the margin but not the code', () => {
    const colored = frame(text, 'Summer', { color: true, columns: 40 });
    expect(colored[1]).toBe('\u001b[31m>\u001b[39m\u001b[2m 2 |\u001b[22m title: Summer');
    expect(colored[2]).toBe('\u001b[2m    |\u001b[22m\u001b[31m        ^^^^^^\u001b[39m');
  });

  it('returns nothing that controls a terminal, for any text and span', () => {
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
