import { type ColorSlot, slotColor } from '../kit/document.ts';
import { between, ease, keyed, type Property, sampled, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { dot } from '../kit/presets.ts';
import { ellipse, group, stroke, trim } from '../kit/shapes.ts';
import { accent, DISC, FLOOD, featureDot, HOP, ink, light, ROWS, SWEEP, sublineDot, WIDTH } from './brief.ts';
import { leavingBy } from './words.ts';

// The rings and the dot that travels through all scenes.

/** A fine circle, not quite closed, that draws itself and goes on turning. */
export function ring(
  name: string,
  center: Property,
  size: number,
  from: number,
  to: number,
  color: ColorSlot,
  turn: number,
): Layer {
  const drawn = keyed([from, 22, ease.out], [from + 46, 78]);
  const line = group(
    ellipse(still([0, 0]), still([size, size])),
    trim(still(0), drawn),
    stroke(slotColor(color), 2.5, still(34)),
  );
  return shapeLayer(name, [line], {
    from,
    to,
    position: center,
    rotation: keyed([from, turn - 60, ease.out], [from + 60, turn, ease.linear], [to, turn + 26]),
  });
}

export const openingRings = [
  ring('ring inner', still([DISC.x, DISC.y]), 700, -6, SWEEP, ink, 200),
  ring('ring outer', still([DISC.x, DISC.y]), 880, -2, SWEEP, ink, 20),
];
export const featureRings = [
  ring('ring feature inner', still([1850, 1010]), 440, SWEEP + 20, FLOOD + 40, light, 120),
  ring('ring feature outer', still([1850, 1010]), 660, SWEEP + 26, FLOOD + 40, light, 300),
];

const DOT = 22;

/** The disc of the first frame, which drops off the hero as a dot. */
export const disc = dot('disc', slotColor(accent), {
  to: SWEEP + 24,
  position: sampled(0, SWEEP + 24, (frame) => [
    between(frame, 20, 56, DISC.x, sublineDot[0], ease.inOut) + leavingBy(frame),
    between(frame, 20, 56, DISC.y, sublineDot[1], [0.5, 0, 0.1, 1]) -
      90 * Math.sin(Math.PI * between(frame, 20, 56, 0, 1, ease.inOut)),
  ]),
  scale: sampled(0, 56, (frame) => {
    const size = between(frame, 0, 18, 452, 548, ease.out) - between(frame, 18, 50, 0, 548 - DOT, ease.inOut);
    return [size, size, 100];
  }),
});

/** The same dot in scene 2: it comes from the right, hops to the second feature, draws breath and floods the canvas. */
export const featureMark = dot('dot', slotColor(accent), {
  from: SWEEP + 20,
  to: FLOOD + 16,
  position: sampled(SWEEP + 20, HOP + 20, (frame) => {
    const [x, y] = featureDot(0);
    if (frame < HOP) return [between(frame, SWEEP + 22, SWEEP + 48, WIDTH + 40, x, ease.out), y];
    const hop = between(frame, HOP, HOP + 20, 0, 1, ease.inOut);
    return [x - 46 * Math.sin(Math.PI * hop), y + hop * (ROWS[1] - ROWS[0])];
  }),
  scale: keyed(
    [SWEEP + 20, [DOT, DOT, 100], ease.out],
    [FLOOD - 8, [DOT, DOT, 100], ease.out],
    [FLOOD, [DOT * 0.6, DOT * 0.6, 100], ease.in],
    [FLOOD + 16, [1500, 1500, 100]],
  ),
});
