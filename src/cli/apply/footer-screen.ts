import { stripVTControlCharacters } from 'node:util';
import { breakCells } from '../../report/wording/cell-width.ts';
import type { Io, OutputStream } from '../io.ts';

/** Start and end of a synchronized update: terminals that support it show all of it at once. */
const SYNC = ['\x1b[?2026h', '\x1b[?2026l'] as const;
const CURSOR = { hide: '\x1b[?25l', show: '\x1b[?25h' } as const;
/** Without wrapping, a line stays in one row if the terminal has just become narrower. */
const WRAP = { off: '\x1b[?7l', on: '\x1b[?7h' } as const;
/** Rows are erased separately, because tmux saves the screen to its history when the whole screen is erased. */
const ERASE_ROW = '\x1b[2K';
const ERASE_REST = '\x1b[K';
/** Moves up one row and erases it. */
const ERASE_UP = `\x1b[1A${ERASE_ROW}`;

/** More lines than any screen shows. */
const MAX_LINES = 300;

/** A line above the footer. */
interface Line {
  readonly text: string;
  /** True for a line of an old footer. A smaller terminal moved it out of reach, and shows it again when it grows. */
  readonly isStale: boolean;
}

/**
 * Redraws the last rows of a screen below lines that are kept. The cursor rests at the start of the row below the
 * footer, so that output of other writers is overwritten.
 */
export class FooterScreen {
  readonly #output: OutputStream;
  readonly #reflows: boolean;
  /** The last kept lines, as many as fit on a screen. */
  #lines: readonly Line[] = [];
  #footer: readonly string[] = [];
  #columns: number;
  #rows: number;
  #isOpen = true;

  constructor(output: OutputStream, env: Io['env']) {
    this.#output = output;
    this.#reflows = reflows(env);
    this.#columns = output.columns;
    this.#rows = output.rows;
    output.write(CURSOR.hide);
  }

  /**
   * Writes lines to keep and redraws the footer.
   *
   * @param footer lines shorter than the width of the screen
   */
  draw(kept: readonly string[], footer: readonly string[]): void {
    if (!this.#isOpen) return;
    const { columns, rows } = this.#output;
    const isResized = columns !== this.#columns || rows !== this.#rows;
    const isSame = footer.join('\n') === this.#footer.join('\n');
    if (kept.length === 0 && isSame && !isResized) return;

    const erased = isResized ? this.#eraseAfterResize(columns, rows) : null;
    const text =
      erased === null && kept.length === 0
        ? this.#footerOver(footer)
        : `${erased ?? this.#eraseFooter(columns)}${linesOf(kept)}${footerOf(footer)}`;
    this.#output.write(`${SYNC[0]}${text}${SYNC[1]}`);
    this.#lines = [...this.#lines, ...kept.map((line) => ({ text: line, isStale: false }))].slice(-MAX_LINES);
    this.#footer = footer;
    this.#columns = columns;
    this.#rows = rows;
  }

  /** Removes the footer and restores the cursor. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(`${this.#eraseFooter(this.#output.columns)}${CURSOR.show}`);
  }

  #eraseFooter(columns: number): string {
    return `\r${ERASE_ROW}${ERASE_UP.repeat(this.#rowsOf(this.#footer, columns))}`;
  }

  /** Erases the footer, and any row of an older footer that is visible again with everything below it. */
  #eraseAfterResize(columns: number, rows: number): string {
    const lines = this.#lines.map(({ text }) => this.#rowsOf([text], columns));
    const footerRows = this.#rowsOf(this.#footer, columns);
    let first = this.#lines.length;
    for (let used = footerRows; first > 0 && used < rows - 1; first -= 1) used += lines[first - 1]!;
    const visible = this.#lines.slice(first);
    if (!visible.some(({ isStale }) => isStale)) {
      this.#lines = [...this.#lines, ...this.#outOfReach(columns, rows)];
      return this.#eraseFooter(columns);
    }
    const ours = lines.slice(first).reduce((sum, each) => sum + each, footerRows);
    const kept = visible.filter(({ isStale }) => !isStale);
    // The start of the line may still be out of reach.
    const above = Math.max(0, ours - (rows - 1));
    const rest = above === 0 ? [] : [{ text: this.#firstRows(visible[0]!.text, above, columns), isStale: true }];
    this.#lines = [...this.#lines.slice(0, first), ...rest, ...kept];
    return `\r${ERASE_ROW}${ERASE_UP.repeat(ours - above)}${linesOf(kept.map(({ text }) => text))}`;
  }

  /** Returns the lines of the footer above the first row of the screen. The last line may be partial. */
  #outOfReach(columns: number, rows: number): Line[] {
    let above = this.#rowsOf(this.#footer, columns) - (rows - 1);
    const lines: Line[] = [];
    for (const line of this.#footer) {
      if (above <= 0) break;
      lines.push({ text: this.#firstRows(line, above, columns), isStale: true });
      above -= this.#rowsOf([line], columns);
    }
    return lines;
  }

  /** Overwrites the old footer row by row, so that no row is blank in between, and erases surplus rows. */
  #footerOver(footer: readonly string[]): string {
    const fewer = this.#footer.length - footer.length;
    const erased = fewer > 0 ? `${`${ERASE_ROW}\n`.repeat(fewer)}${ERASE_ROW}\x1b[${fewer}A` : ERASE_ROW;
    const up = this.#footer.length === 0 ? '' : `\x1b[${this.#footer.length}A`;
    return `\r${up}${footerOf(footer)}${erased}`;
  }

  /** Returns the text in the first rows of a line, without colours. */
  #firstRows(line: string, rows: number, columns: number): string {
    const plain = stripVTControlCharacters(line);
    if (!this.#reflows) return plain;
    return breakCells(plain, Math.max(1, columns)).slice(0, rows).join('');
  }

  /** Returns the number of rows that lines take at the current width. */
  #rowsOf(lines: readonly string[], columns: number): number {
    if (!this.#reflows) return lines.length;
    const rowsOf = (line: string): number => breakCells(stripVTControlCharacters(line), Math.max(1, columns)).length;
    return lines.reduce((sum, line) => sum + rowsOf(line), 0);
  }
}

function linesOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function footerOf(lines: readonly string[]): string {
  return `${WRAP.off}${lines.map((line) => `${line}${ERASE_REST}\n`).join('')}${WRAP.on}`;
}

/** True if the terminal wraps lines again when it becomes narrower. Most do; those named here cut lines off. */
function reflows(env: Io['env']): boolean {
  if ((env.TMUX ?? '') !== '') return true;
  return env.XTERM_VERSION === undefined && env.STY === undefined && env.TERM !== 'linux';
}
