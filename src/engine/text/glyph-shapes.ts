import type { OutlineCommand } from './harfbuzz-font.ts';
import type { PlacedGlyph } from './shape-paragraph.ts';

/** A contour in Lottie: vertices, and tangents relative to them. */
interface Contour {
  readonly c: boolean;
  readonly v: Point[];
  readonly i: Point[];
  readonly o: Point[];
}

type Point = readonly [x: number, y: number];

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
  let from: Point = [0, 0];
  const vertex = ([pointX, pointY]: Point): Point => [toUnits(x + pointX * scale), toUnits(-(y + pointY * scale))];
  const tangent = (control: Point, of: Point): Point => [
    toUnits((control[0] - of[0]) * scale),
    toUnits(-(control[1] - of[1]) * scale),
  ];
  for (const { type, values } of commands) {
    const [x1 = 0, y1 = 0, x2 = 0, y2 = 0, x3 = 0, y3 = 0] = values;
    const contour = contours.at(-1);
    if (type === 'M') {
      from = [x1, y1];
      contours.push({ c: true, v: [vertex(from)], i: [[0, 0]], o: [[0, 0]] });
    } else if (contour !== undefined && type !== 'Z') {
      let end: Point = [x1, y1];
      let outTangent: Point = [0, 0];
      let inTangent: Point = [0, 0];
      if (type === 'Q') {
        end = [x2, y2];
        outTangent = tangent(cubicControl([x1, y1], from), from);
        inTangent = tangent(cubicControl([x1, y1], end), end);
      } else if (type === 'C') {
        end = [x3, y3];
        outTangent = tangent([x1, y1], from);
        inTangent = tangent([x2, y2], end);
      }
      contour.o[contour.o.length - 1] = outTangent;
      contour.v.push(vertex(end));
      contour.i.push(inTangent);
      contour.o.push([0, 0]);
      from = end;
    }
  }
  return contours;
}

/** Returns the control point, near an end of a quadratic curve, of the cubic curve that equals it. */
function cubicControl(control: Point, end: Point): Point {
  return [end[0] + (2 / 3) * (control[0] - end[0]), end[1] + (2 / 3) * (control[1] - end[1])];
}

function toUnits(ems: number): number {
  return Math.round(ems * UNITS * PRECISION) / PRECISION;
}
