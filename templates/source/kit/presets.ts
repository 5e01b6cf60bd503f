import { defined } from '../../../src/kernel/defined.ts';
import { between, ease, keyed, type Property, sampled, still } from './keyframes.ts';
import { type Layer, type LayerOptions, shapeLayer } from './layers.ts';
import { type Box, ellipse, fill, group, path, polyline, rectangle, stroke, trim } from './shapes.ts';
import type { Effect } from './text.ts';

/** Units of a text that rise into place in turn, out of nothing and out of focus. */
export function arriving(
  by: Effect['by'],
  from: number,
  over: number,
  distance: number,
  { blur = 8, rotation }: { readonly blur?: number; readonly rotation?: number } = {},
): Effect {
  const release = keyed([from, -100, [0.3, 0.2, 0.2, 1]], [from + over, 100]);
  return { by, shift: [0, distance], opacity: 0, ...defined({ rotation }), blur, release };
}

/** Lines that slide up into place; for a text with a clip. */
export function sliding(from: number, over: number, distance: number): Effect {
  return { by: 'line', shift: [0, distance], release: keyed([from, -100, ease.out], [from + over, 100]) };
}

/** The whole canvas in a single colour. */
export function ground(color: Property, { width, height }: { readonly width: number; readonly height: number }): Layer {
  const box = rectangle(still([width / 2, height / 2]), still([width, height]));
  return shapeLayer('ground', [group(box, fill(color))]);
}

/** A filled circle 100 pixels wide, so that its scale is its diameter. */
export function dot(name: string, color: Property, options: LayerOptions): Layer {
  return shapeLayer(name, [group(ellipse(still([0, 0]), still([100, 100])), fill(color))], options);
}

/** A fine horizontal line that draws itself from left to right. */
export function hairline(
  name: string,
  [left, right]: readonly [number, number],
  y: number,
  color: Property,
  opacity: number,
  options: LayerOptions & { readonly from: number; readonly over: number },
): Layer {
  const { over, ...rest } = options;
  const line = polyline([
    [left, y],
    [right, y],
  ]);
  const drawn = trim(still(0), keyed([rest.from, 0, ease.out], [rest.from + over, 100]));
  return shapeLayer(name, [group(path(still(line)), drawn, stroke(color, 2.5, still(opacity)))], rest);
}

/** A button that begins as a dot at its left end, grown at `dotted`, and stretches over [stretch, stretched]. */
export function growingButton(
  color: Property,
  box: Box,
  at: { readonly from: number; readonly dotted: number; readonly stretch: number; readonly stretched: number },
): Layer {
  const width = (frame: number) => between(frame, at.stretch, at.stretched, box.height, box.width, ease.inOut);
  const shape = rectangle(
    sampled(at.from, at.stretched, (frame) => [box.x + width(frame) / 2, box.y + box.height / 2]),
    sampled(at.from, at.stretched, (frame) => {
      const grown = between(frame, at.from, at.dotted, 0, 1, ease.out);
      return [width(frame) * grown, box.height * grown];
    }),
    still(box.height / 2),
  );
  return shapeLayer('button', [group(shape, fill(color))], { from: at.from });
}
