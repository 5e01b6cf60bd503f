import { stripVTControlCharacters } from 'node:util';
import { cellWidth } from '../report/cell-width.ts';
import type { Io, Output } from './io.ts';

/** Begin and end of a synchronised update: a terminal that knows it shows all of it at once. */
const SYNC = ['\x1b[?2026h', '\x1b[?2026l'] as const;
const CURSOR = { hide: '\x1b[?25l', show: '\x1b[?25h' } as const;
/** Without it a line that meets a terminal which has just become narrower stays one row. */
const WRAP = { off: '\x1b[?7l', on: '\x1b[?7h' } as const;
const ERASE = { line: '\x1b[K', below: '\x1b[J' } as const;

/**
 * A screen whose last rows are drawn again and again, below lines that stay. The cursor rests at the beginning of the row
 * below the footer, so that whatever else is written there is drawn over.
 */
export class FooterScreen {
  readonly #output: Output;
  readonly #reflows: boolean;
  #footer: readonly string[] = [];
  #columns = 0;
  #isOpen = true;

  constructor(output: Output, env: Io['env']) {
    this.#output = output;
    this.#reflows = reflows(env);
    output.write(CURSOR.hide);
  }

  /**
   * Writes lines that stay, and the footer anew.
   *
   * @param footer lines of less columns than the screen has
   */
  draw(kept: readonly string[], footer: readonly string[]): void {
    if (!this.#isOpen) return;
    const { columns } = this.#output;
    const isSame = columns === this.#columns && footer.join('\n') === this.#footer.join('\n');
    if (kept.length === 0 && isSame) return;

    // Row by row over the old footer where only that is drawn: nothing is ever blank in between.
    const lines = footer.map((line) => `${line}${ERASE.line}\n`).join('');
    const above = kept.length === 0 ? '' : `${ERASE.below}${kept.map((line) => `${line}\n`).join('')}`;
    this.#output.write(
      `${SYNC[0]}${this.#toFooter(columns)}${above}${WRAP.off}${lines}${ERASE.below}${WRAP.on}${SYNC[1]}`,
    );
    this.#footer = footer;
    this.#columns = columns;
  }

  /** Takes the footer away, and leaves the screen as it is to stay. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#output.write(`${this.#toFooter(this.#output.columns)}${ERASE.below}${CURSOR.show}`);
  }

  /** To the first row of the old footer, which has more rows than lines once the terminal has become narrower. */
  #toFooter(columns: number): string {
    const rows = this.#footer.reduce((sum, line) => sum + this.#rowsOf(line, columns), 0);
    return rows === 0 ? '\r' : `\x1b[${rows}A\r`;
  }

  #rowsOf(line: string, columns: number): number {
    if (!this.#reflows) return 1;
    return Math.max(1, Math.ceil(cellWidth(stripVTControlCharacters(line)) / Math.max(1, columns)));
  }
}

/** Whether the terminal breaks its lines anew when it becomes narrower: most do, and these cut them off. */
function reflows(env: Io['env']): boolean {
  if ((env.TMUX ?? '') !== '') return true;
  return env.XTERM_VERSION === undefined && env.STY === undefined && env.TERM !== 'linux';
}
