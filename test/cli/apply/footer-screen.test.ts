import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FooterScreen } from '../../../src/cli/apply/footer-screen.ts';
import { cellWidth, cutCells } from '../../../src/report/wording/cell-width.ts';
import { runs } from '../../support/full-run.ts';
import { Terminal } from '../../support/terminal.ts';

/** Marks lines of a footer. */
const MARK = '▒';

function footerOf(count: number, terminal: Terminal, content: string): string[] {
  const lines = Array.from({ length: count }, (_, index) => `${MARK}${index}${content}`);
  return lines.slice(0, Math.max(0, terminal.rows - 1)).map((line) => cutCells(line, terminal.columns - 1));
}

type Step =
  | { readonly kind: 'draw'; readonly kept: readonly string[]; readonly footer: number; readonly content: string }
  | { readonly kind: 'resize'; readonly columns: number; readonly rows: number };

const content = fc.constantFrom(
  '',
  ' short',
  ' ━━━━━━━━━━━━━━━━━━━━━━────  42 %',
  ' 東京の夏のコレクションは海と空の色',
  ' x'.repeat(60),
);
const step = fc.oneof(
  fc.record({
    kind: fc.constant('draw' as const),
    kept: fc.array(
      content.map((text) => `kept${text}`),
      { maxLength: 3 },
    ),
    footer: fc.integer({ min: 0, max: 8 }),
    content,
  }),
  fc.record({
    kind: fc.constant('resize' as const),
    columns: fc.integer({ min: 12, max: 120 }),
    rows: fc.integer({ min: 1, max: 30 }),
  }),
);

/** Performs the steps on a terminal with earlier output of a shell, and checks it after each drawing. */
function play(steps: readonly Step[], before: number): Terminal {
  const terminal = new Terminal(80, 24);
  for (let line = 0; line < before; line += 1) terminal.write(`shell ${line}\n`);
  const screen = new FooterScreen(terminal, {});
  const kept: string[] = [];
  let drawn: { footer: number; content: string } = { footer: 0, content: '' };
  for (const [index, each] of steps.entries()) {
    if (each.kind === 'resize') terminal.resize(each.columns, each.rows);
    else drawn = each;
    // Unique lines reveal lost and duplicated ones.
    const lines = each.kind === 'draw' ? each.kept.map((text, place) => `${index}.${place} ${text}`) : [];
    kept.push(...lines);
    const footer = footerOf(drawn.footer, terminal, drawn.content);
    screen.draw(lines, footer);
    expectFooter(terminal, footer);
  }
  screen.close();
  expectFooter(terminal, []);
  expectAll(terminal, kept);
  return terminal;
}

function expectFooter(terminal: Terminal, footer: readonly string[]): void {
  const above = terminal.screen.slice(0, terminal.cursorRow);
  expect(footer.length === 0 ? [] : above.slice(-footer.length)).toEqual(footer.map((line) => line.trimEnd()));
  expect(terminal.screen.filter((row) => row.startsWith(MARK))).toHaveLength(footer.length);
  expect(terminal.screen[terminal.cursorRow]).toBe('');
}

/** Expects every permanent line to be complete. */
function expectAll(terminal: Terminal, kept: readonly string[]): void {
  const { lines } = terminal;
  expect(kept.filter((line) => !lines.includes(line.trimEnd()))).toEqual([]);
}

describe('FooterScreen', () => {
  test('keeps lines above a footer that is redrawn', () => {
    const terminal = new Terminal(30, 6);
    terminal.write('$ reelform apply\n');
    const screen = new FooterScreen(terminal, {});
    screen.draw([], ['▒ a', '▒ b']);
    screen.draw(['✓ one'], ['▒ b', '▒ c']);
    screen.draw([], ['▒ c']);
    expect(terminal.screen).toEqual(['$ reelform apply', '✓ one', '▒ c', '', '']);
    screen.draw(['✓ two', '✓ three', '✓ four'], ['▒ d', '▒ e']);
    expect(terminal.screen).toEqual(['✓ two', '✓ three', '✓ four', '▒ d', '▒ e', '']);
    screen.close();
    expect(terminal.lines.filter((line) => line !== '')).toEqual([
      '$ reelform apply',
      '✓ one',
      '✓ two',
      '✓ three',
      '✓ four',
    ]);
  });

  test('writes nothing without changes', () => {
    const written: string[] = [];
    const output = { write: (text: string) => void written.push(text), isTTY: true, columns: 80, rows: 24 };
    const screen = new FooterScreen(output, {});
    screen.draw([], ['a', 'b']);
    const count = written.length;
    screen.draw([], ['a', 'b']);
    expect(written).toHaveLength(count);
    screen.draw([], ['a', 'c']);
    // Redrawn row by row, so that the footer never disappears.
    expect(written.at(-1)).not.toContain('\x1b[1A\x1b[2K');
    screen.close();
    screen.close();
    screen.draw(['late'], []);
    expect(written.join('')).not.toContain('late');
  });

  test('erases a footer that wraps into more rows on a narrower terminal', () => {
    const terminal = new Terminal(60, 10);
    const screen = new FooterScreen(terminal, {});
    screen.draw(['✓ one'], [`${MARK} a ${'━'.repeat(50)}`, `${MARK} b ${'━'.repeat(50)}`]);
    terminal.resize(20, 10);
    expect(terminal.screen.filter((row) => row !== '')).toHaveLength(7);
    screen.draw([], [`${MARK} a`, `${MARK} b`]);
    expect(terminal.screen.slice(0, 4)).toEqual(['✓ one', `${MARK} a`, `${MARK} b`, '']);
  });

  test('accounts for a wide character that does not fit at the end of a row', () => {
    const text = `${MARK}0 東京の夏のコレクションは海と空の色`;
    const terminal = new Terminal(80, 24);
    const screen = new FooterScreen(terminal, {});
    screen.draw([], [text]);
    for (const [columns, rows] of [
      [25, 2],
      [12, 2],
      [13, 6],
    ] as const) {
      terminal.resize(columns, rows);
      const footer = [cutCells(text, columns - 1)];
      screen.draw([], footer);
      expectFooter(terminal, footer);
    }
  });

  test('does not expect wrapping on terminals that truncate lines', () => {
    for (const env of [{ XTERM_VERSION: 'XTerm(379)' }, { TERM: 'linux' }, { STY: '1.pts' }]) {
      const written: string[] = [];
      const output = { write: (text: string) => void written.push(text), isTTY: true, columns: 60, rows: 10 };
      const screen = new FooterScreen(output, env);
      screen.draw([], ['━'.repeat(50)]);
      output.columns = 20;
      screen.draw([], ['━━']);
      expect(written.at(-1)!.match(/\x1b\[1A/g)).toHaveLength(1);
    }
  });

  test('leaves no footer on the screen and loses no line, for any sizes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), fc.integer({ min: 0, max: 40 }), (steps, before) => {
        const terminal = play(steps, before);
        for (let line = 0; line < before; line += 1) expect(terminal.lines).toContain(`shell ${line}`);
      }),
      { numRuns: runs(100) },
    );
  });

  test('the terminal model measures wide characters in cells', () => {
    const terminal = new Terminal(5, 3);
    terminal.write('東京都\n');
    expect(terminal.screen).toEqual(['東京', '都', '']);
    terminal.resize(6, 3);
    expect(terminal.screen).toEqual(['東京都', '']);
    expect(cellWidth('東京都')).toBe(6);
  });
});
