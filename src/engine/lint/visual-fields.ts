import type { VideoInput } from '../../template/render-input.ts';

/** Indices of the pixels with a transition on a frame. */
export interface Transitions {
  readonly rises: Uint32Array;
  readonly falls: Uint32Array;
}

export const NO_TRANSITIONS: Transitions = { rises: new Uint32Array(0), falls: new Uint32Array(0) };

/** Minimum share of the visual field that must flash together. */
const MIN_SHARE = 0.25;
/** The visual field of 10°: 341 × 256 pixels of a picture of 1024 × 768. */
const FIELD = { across: 341 / 1024, down: 256 / 768 };
/** The visual field is moved in steps of a quarter of its size. */
const STEPS = 4;

export type Size = Pick<VideoInput, 'width' | 'height'>;

/** In pixels; right and bottom are the first pixels beyond it. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The positions of the visual field in a small picture. Counts pixels in each. */
export class VisualFields {
  readonly boxes: readonly Box[];
  /** A transition of a field counts if it happens in more pixels than this. */
  readonly minPixels: number;
  readonly #width: number;
  readonly #columns: Cells;
  readonly #rows: Cells;
  /** Of the cells, with a row and a column of zeros before the first. */
  readonly #sums: Int32Array;
  /** Of each field: the cells before its corners. */
  readonly #corners: Int32Array;

  constructor({ width, height }: Size) {
    const fieldWidth = Math.max(1, Math.round(width * FIELD.across));
    const fieldHeight = Math.max(1, Math.round(height * FIELD.down));
    this.boxes = positions(height, fieldHeight).flatMap((top) =>
      positions(width, fieldWidth).map((left): Box => {
        return { left, top, right: left + fieldWidth, bottom: top + fieldHeight };
      }),
    );
    this.minPixels = MIN_SHARE * fieldWidth * fieldHeight;
    this.#width = width;
    const across = this.boxes.flatMap(({ left, right }) => [left, right]);
    const down = this.boxes.flatMap(({ top, bottom }) => [top, bottom]);
    this.#columns = cellsBetween(across, width);
    this.#rows = cellsBetween(down, height);
    const stride = this.#columns.count + 1;
    this.#sums = new Int32Array(stride * (this.#rows.count + 1));
    const [columns, rows] = [this.#columns.before, this.#rows.before];
    this.#corners = Int32Array.from(
      this.boxes.flatMap(({ left, top, right, bottom }) =>
        [bottom, top].flatMap((y) => [left, right].map((x) => rows[y]! * stride + columns[x]!)),
      ),
    );
  }

  /**
   * Returns the number of added pixels minus the subtracted pixels in each field.
   *
   * @param added indices of pixels that count as 1 @param subtracted indices of pixels that count as -1
   * @see https://en.wikipedia.org/wiki/Summed-area_table
   */
  count(added: readonly Uint32Array[], subtracted: readonly Uint32Array[]): Int32Array {
    const [sums, stride] = [this.#sums, this.#columns.count + 1];
    sums.fill(0);
    for (const pixels of added) this.#add(pixels, 1);
    for (const pixels of subtracted) this.#add(pixels, -1);
    for (let start = stride; start < sums.length; start += stride) {
      let sum = 0;
      for (let index = start + 1; index < start + stride; index++) {
        sum += sums[index]!;
        sums[index] = sums[index - stride]! + sum;
      }
    }
    const [counts, corners] = [new Int32Array(this.boxes.length), this.#corners];
    for (let field = 0, at = 0; field < counts.length; field++, at += 4) {
      const below = sums[corners[at + 1]!]! - sums[corners[at]!]!;
      counts[field] = below - sums[corners[at + 3]!]! + sums[corners[at + 2]!]!;
    }
    return counts;
  }

  #add(pixels: Uint32Array, value: 1 | -1): void {
    const [sums, width, columns, rows] = [this.#sums, this.#width, this.#columns.before, this.#rows.before];
    const stride = this.#columns.count + 1;
    for (const pixel of pixels) {
      const y = Math.floor(pixel / width);
      sums[rows[y + 1]! * stride + columns[pixel - y * width + 1]!]! += value;
    }
  }
}

let last: (Size & { readonly fields: VisualFields }) | null = null;

/** Returns the fields of a picture: those of the last, if they have the same size. */
export function visualFieldsOf({ width, height }: Size): VisualFields {
  if (last?.width !== width || last.height !== height) {
    last = { width, height, fields: new VisualFields({ width, height }) };
  }
  return last.fields;
}

/** The parts of a picture's columns or rows in which no field begins or ends. */
interface Cells {
  readonly count: number;
  /** The number of cells that begin before a column or row. */
  readonly before: Uint16Array;
}

function cellsBetween(edges: readonly number[], length: number): Cells {
  const starts = [...new Set([0, ...edges])].filter((edge) => edge < length);
  const before = Uint16Array.from({ length: length + 1 }, (_, at) => starts.filter((start) => start < at).length);
  return { count: starts.length, before };
}

function positions(length: number, field: number): number[] {
  const step = Math.max(1, Math.floor(field / STEPS));
  const last = length - field;
  return [...Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step), last];
}
