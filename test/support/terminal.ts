import { cellWidth, graphemesOf } from '../../src/report/wording/cell-width.ts';

interface Row {
  /** An empty cell follows a wide character. */
  cells: string[];
  /** Whether the previous row wraps into this one. */
  continues: boolean;
}

/**
 * A model of the terminal features that the live view uses: rows with a history above them, wrapping, wide characters,
 * cursor up, erasing rows, and reflow on resize, as in VTE, kitty and xterm.js. Throws on any other sequence.
 */
export class Terminal {
  columns: number;
  rows: number;
  readonly isTTY = true;
  /** All rows, history first. */
  #all: Row[] = [{ cells: [], continues: false }];
  /** Index of the first row on the screen. */
  #top = 0;
  #y = 0;
  #x = 0;
  #wraps = true;

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  write(text: string): void {
    for (const part of text.match(/\x1b\[[?\d;]*[A-Za-z]|[\r\n]|[^\x1b\r\n]+/g) ?? []) {
      if (part === '\n') this.#lineFeed();
      else if (part === '\r') this.#x = 0;
      else if (part.startsWith('\x1b')) this.#command(part);
      else for (const grapheme of graphemesOf(part)) this.#put(grapheme);
    }
  }

  resize(columns: number, rows: number): void {
    if (columns === this.columns && rows === this.rows) return;
    const rowAt = this.#y;
    const reflowed: Row[] = [];
    let cursor = { y: 0, x: 0 };
    let line: string[] = [];
    let offset: number | null = null;
    const flush = (): void => {
      const start = reflowed.length;
      const pieces = breakCells(line, columns);
      pieces.forEach((cells, index) => {
        reflowed.push({ cells, continues: index > 0 });
      });
      if (offset !== null) {
        const y = Math.min(Math.floor(offset / columns), pieces.length - 1);
        cursor = { y: start + y, x: Math.min(offset - y * columns, columns - 1) };
      }
      line = [];
      offset = null;
    };
    this.#all.forEach((row, index) => {
      if (!row.continues && index > 0) flush();
      if (index === rowAt) offset = line.length + this.#x;
      line.push(...row.cells);
    });
    flush();
    while (reflowed.length - 1 > cursor.y && reflowed.at(-1)!.cells.length === 0) reflowed.pop();
    this.#all = reflowed;
    this.#y = cursor.y;
    this.#x = cursor.x;
    this.columns = columns;
    this.rows = rows;
    this.#top = Math.max(0, Math.min(this.#all.length - rows, this.#y));
  }

  /** Rows of the screen without trailing spaces. */
  get screen(): string[] {
    return this.#all.slice(this.#top, this.#top + this.rows).map(textOf);
  }

  /** All lines since the start of the history, with wrapped rows joined. */
  get lines(): string[] {
    const lines: string[] = [];
    for (const row of this.#all) {
      if (row.continues) lines.push(`${lines.pop()}${row.cells.join('')}`);
      else lines.push(row.cells.join(''));
    }
    return lines.map((line) => line.trimEnd());
  }

  /** Row of the cursor on the screen. */
  get cursorRow(): number {
    return this.#y - this.#top;
  }

  #put(grapheme: string): void {
    const width = cellWidth(grapheme);
    if (this.#x + width > this.columns) {
      if (this.#wraps) {
        this.#lineFeed();
        this.#row.continues = true;
      } else this.#x = Math.max(0, this.columns - width);
    }
    const { cells } = this.#row;
    while (cells.length < this.#x) cells.push(' ');
    cells[this.#x] = grapheme;
    if (width === 2) cells[this.#x + 1] = '';
    this.#x += width;
  }

  #lineFeed(): void {
    this.#x = 0;
    this.#y += 1;
    if (this.#y === this.#all.length) this.#all.push({ cells: [], continues: false });
    if (this.#y - this.#top >= this.rows) this.#top += 1;
  }

  #command(sequence: string): void {
    const [, mark = '', argument = '', command = ''] = /^\x1b\[(\??)([\d;]*)([A-Za-z])$/.exec(sequence) ?? [];
    if (mark === '?') {
      if (argument === '7') this.#wraps = command === 'h';
    } else if (command === 'A') this.#y = Math.max(this.#top, this.#y - Number(argument || 1));
    else if (command === 'K' && argument === '2') this.#all[this.#y] = { cells: [], continues: false };
    else if (command === 'K' && argument === '') this.#row.cells.splice(this.#x);
    else if (command !== 'm') throw new Error(`The model does not know ${JSON.stringify(sequence)}`);
  }

  get #row(): Row {
    return this.#all[this.#y]!;
  }
}

function breakCells(cells: readonly string[], columns: number): string[][] {
  const pieces: string[][] = [[]];
  for (const [index, cell] of cells.entries()) {
    const width = cells[index + 1] === '' ? 2 : 1;
    if (cell !== '' && pieces.at(-1)!.length + width > columns) pieces.push([]);
    pieces.at(-1)!.push(cell);
  }
  return pieces;
}

function textOf({ cells }: Row): string {
  return cells.join('').trimEnd();
}
