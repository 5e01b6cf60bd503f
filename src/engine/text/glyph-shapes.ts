import type { OutlineCommand } from './harfbuzz-font.ts';
import type { PlacedGlyph } from './shape-paragraph.ts';

/** A contour in Lottie: vertices, and tangents relative to them. */
interface Contour {
  readonly c: boolean;
  readonly v: Point[];
  readonly i: Point[];
  readonly o: Point[];
}

type Point = [number, number];

/** Lottie measures glyphs in hundredths of an em. */
const UNITS = 100;
const PRECISION = 1e3;
/** Box for a character without a glyph if the font has no such box: left, bottom, right, top, in ems. */
const BOX = [0.06, 0, 0.54, 0.7] as const;
const BOX_STROKE = 0.05;

/** Position of glyphs in a character: in ems, y upwards. */
interface ShapeOffset {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

/** Returns glyph outlines as the `data.shapes` of a Lottie character. */
export function glyphShapes(glyphs: readonly PlacedGlyph[], { x, y, scale }: ShapeOffset): unknown[] {
  const contours = glyphs.flatMap(({ font, glyph, x: glyphX, y: glyphY }) =>
    contoursOf(font.outlineOf(glyph), { x: x + glyphX, y: y + glyphY, scale }),
  );
  return asShapes(contours);
}

/** Returns the box for a character without a glyph. */
export function missingBox(offset: ShapeOffset): unknown[] {
  const [left, bottom, right, top] = BOX;
  const outer = rectangle(left, bottom, right, top);
  const inner = rectangle(left + BOX_STROKE, top - BOX_STROKE, right - BOX_STROKE, bottom + BOX_STROKE);
  return asShapes(contoursOf([...outer, ...inner], offset));
}

/** Returns a filled rectangle: left, bottom, right and top in ems. */
export function rectangleShapes(edges: readonly [number, number, number, number], offset: ShapeOffset): unknown[] {
  return asShapes(contoursOf(rectangle(...edges), offset));
}

/** Returns the outline of a rectangle. Swapping bottom and top reverses its direction, which makes it a hole. */
function rectangle(left: number, bottom: number, right: number, top: number): OutlineCommand[] {
  const corners = [
    [left, bottom],
    [right, bottom],
    [right, top],
    [left, top],
  ];
  return [...corners.map((values, index) => ({ type: index === 0 ? 'M' : 'L', values })), { type: 'Z', values: [] }];
}

function asShapes(contours: readonly Contour[]): unknown[] {
  if (contours.length === 0) return [];
  return [{ ty: 'gr', it: contours.map((contour, ind) => ({ ty: 'sh', ind, ks: { a: 0, k: contour } })) }];
}

function contoursOf(commands: readonly OutlineCommand[], { x, y, scale }: ShapeOffset): Contour[] {
  const contours: Contour[] = [];
  let from: readonly [number, number] = [0, 0];
  const put = (px: number, py: number): Point => [unit(x + px * scale), unit(-(y + py * scale))];
  const tangent = (px: number, py: number, of: readonly [number, number]): Point => [
    unit((px - of[0]) * scale),
    unit(-(py - of[1]) * scale),
  ];
  for (const { type, values } of commands) {
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = values;
    const contour = contours.at(-1);
    if (type === 'M') {
      contours.push({ c: true, v: [put(a, b)], i: [[0, 0]], o: [[0, 0]] });
      from = [a, b];
    } else if (contour !== undefined && type !== 'Z') {
      const end: readonly [number, number] = type === 'L' ? [a, b] : type === 'Q' ? [c, d] : [e, f];
      let [out, into]: [Point, Point] = [
        [0, 0],
        [0, 0],
      ];
      if (type === 'Q') {
        // Converts the quadratic curve to the equal cubic curve.
        out = tangent(from[0] + (2 / 3) * (a - from[0]), from[1] + (2 / 3) * (b - from[1]), from);
        into = tangent(end[0] + (2 / 3) * (a - end[0]), end[1] + (2 / 3) * (b - end[1]), end);
      } else if (type === 'C') {
        out = tangent(a, b, from);
        into = tangent(c, d, end);
      }
      contour.o[contour.o.length - 1] = out;
      contour.v.push(put(end[0], end[1]));
      contour.i.push(into);
      contour.o.push([0, 0]);
      from = end;
    }
  }
  return contours;
}

function unit(ems: number): number {
  return Math.round(ems * UNITS * PRECISION) / PRECISION;
}
