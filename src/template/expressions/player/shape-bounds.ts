import { type Any, currentValue, matrixOf } from './properties.ts';

type Point = readonly [x: number, y: number];
type Curve = readonly [Point, Point, Point, Point];

/** A curve with the distance that strokes reach beyond it. */
interface Outline {
  readonly curve: Curve;
  readonly reach: readonly [x: number, y: number];
}

/** A rectangle in pixels of its layer. */
interface Bounds {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the smallest rectangle around the paths of a shape layer after its path operators and transforms, at the current
 * time.
 *
 * @param hasExtents whether strokes count
 */
export function shapeBounds(shapes: readonly Any[], views: readonly Any[], hasExtents: boolean): Bounds {
  const outlines = outlinesOf(shapes, views);
  if (outlines.length === 0) return { left: 0, top: 0, width: 0, height: 0 };
  const [x, y] = [0, 1].map((axis) => {
    const ends = outlines.flatMap(({ curve, reach }) => {
      const extra = hasExtents ? reach[axis]! : 0;
      return extremes(curve.map((point) => point[axis]!)).flatMap((value) => [value - extra, value + extra]);
    });
    return { from: Math.min(...ends), to: Math.max(...ends) };
  }) as [{ from: number; to: number }, { from: number; to: number }];
  return { left: x.from, top: y.from, width: x.to - x.from, height: y.to - y.from };
}

/** Returns the ends of a cubic curve along an axis, and its turning points. */
function extremes([a = 0, b = 0, c = 0, d = 0]: readonly number[]): number[] {
  const [p, q, r] = [d - a + 3 * (b - c), 2 * (a - 2 * b + c), b - a];
  const root = Math.sqrt(Math.max(0, q * q - 4 * p * r));
  const turns = Math.abs(p) < 1e-9 ? [-r / q] : [(-q + root) / (2 * p), (-q - root) / (2 * p)];
  const at = (t: number): number => (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t * t * c + t ** 3 * d;
  return [a, d, ...turns.filter((t) => t > 0 && t < 1).map(at)];
}

function outlinesOf(shapes: readonly Any[], views: readonly Any[]): Outline[] {
  let outlines: Outline[] = [];
  for (const [index, shape] of shapes.entries()) {
    const view = views[index];
    if (shape.hd === true || view === undefined) continue;
    if (shape.ty === 'gr') outlines.push(...outlinesOf(shape.it, view.it));
    else if (view.sh !== undefined) outlines.push(...curvesOf(processedPaths(view, shapes, views, index)));
    else if (shape.ty === 'st' || shape.ty === 'gs') {
      const reach = currentValue(view.w) / 2;
      outlines = outlines.map(({ curve, reach: [x, y] }) => {
        return { curve, reach: [Math.max(x, reach), Math.max(y, reach)] };
      });
    } else if (shape.ty === 'rp') outlines = repeated(outlines, view);
    else if (shape.ty === 'tr') outlines = moved(outlines, matrixOf(view.transform.mProps));
  }
  return outlines;
}

/** Returns the paths of a shape after the path operators below it in its group. */
function processedPaths(view: Any, shapes: readonly Any[], views: readonly Any[], index: number): Any[] {
  const { sh } = view;
  currentValue(sh);
  const operators = shapes.flatMap(({ ty, hd }, at) => {
    return at > index && hd !== true && ['tm', 'rd', 'pb', 'zz', 'op'].includes(ty) ? [views[at]] : [];
  });
  if (operators.length === 0) return [sh.v];
  sh.reset();
  for (const operator of operators) {
    operator.getValue();
    operator.processShapes(true);
  }
  const { shapes: paths, _length } = sh.paths;
  return paths.slice(0, _length);
}

function curvesOf(paths: readonly Any[]): Outline[] {
  return paths.flatMap(({ v, i, o, c, _length }) =>
    Array.from({ length: c ? _length : _length - 1 }, (_, at): Outline => {
      const next = (at + 1) % _length;
      return { curve: [v[at], o[at], i[next], v[next]], reach: [0, 0] };
    }),
  );
}

function moved(outlines: readonly Outline[], matrix: Any): Outline[] {
  const { props: m } = matrix;
  return outlines.map(({ curve, reach: [x, y] }) => ({
    curve: curve.map(([px, py]): Point => matrix.applyToPointArray(px, py, 0).slice(0, 2)) as unknown as Curve,
    reach: [Math.hypot(x * m[0], y * m[4]), Math.hypot(x * m[1], y * m[5])],
  }));
}

/** Returns the copies that a repeater makes. */
function repeated(outlines: readonly Outline[], { c, o, tr }: Any): Outline[] {
  const [copies, offset] = [Math.max(0, Math.ceil(currentValue(c))), currentValue(o)];
  return Array.from({ length: copies }, (_, copy) => {
    const step = copy + offset;
    const [a, p, s] = [currentValue(tr.a), currentValue(tr.p), currentValue(tr.s)];
    const angle = (currentValue(tr.r) * step * Math.PI) / 180;
    const [sx, sy] = [(s[0] / 100) ** step, (s[1] / 100) ** step];
    const place = ([x, y]: Point): Point => {
      const [dx, dy] = [(x - a[0]) * sx, (y - a[1]) * sy];
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
      return [dx * cos - dy * sin + a[0] + p[0] * step, dx * sin + dy * cos + a[1] + p[1] * step];
    };
    return outlines.map(({ curve, reach: [x, y] }): Outline => {
      return { curve: curve.map(place) as unknown as Curve, reach: [x * Math.abs(sx), y * Math.abs(sy)] };
    });
  }).flat();
}
