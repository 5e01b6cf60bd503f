import { slotColor } from '../kit/document.ts';
import { between, ease, keyed, sampled } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, shapeLayer } from '../kit/layers.ts';
import { type Box, fill, group, rectangle, rectanglePath, roundedPath } from '../kit/shapes.ts';
import { accent, DISC, detail, FLOOD, HEIGHT, hero, SWEEP, second, WIDTH } from './brief.ts';

// The window that shows the images: a circle, a panel, and then the left part of scene 2. Its edges move on their own.

const windowLeft = (frame: number) => between(frame, SWEEP, SWEEP + 28, 920, 0, ease.inOut);
const windowRight = (frame: number) => between(frame, SWEEP + 6, SWEEP + 36, WIDTH, 840, ease.inOut);

/** The opening: a circle on the disc's place grows into the right half of the canvas. */
const OPEN = 8;
const OPENED = 58;

function windowSize(frame: number): [number, number] {
  if (frame >= SWEEP) return [windowRight(frame) - windowLeft(frame), HEIGHT];
  const circle = between(frame, OPEN, OPEN + 26, 0, DISC.size, ease.out);
  const panel = (size: number) => between(frame, OPEN + 14, OPENED, circle, size, ease.inOut);
  return [panel(1000), panel(HEIGHT)];
}

function windowCenter(frame: number): [number, number] {
  if (frame >= SWEEP) return [(windowLeft(frame) + windowRight(frame)) / 2, HEIGHT / 2];
  return [between(frame, OPEN + 14, OPENED, DISC.x, 1420, ease.inOut), DISC.y];
}

const windowRound = (frame: number) => between(frame, OPEN + 22, OPENED, 540, 0, ease.calm);

const windowBox = (frame: number): Box => {
  const [[x, y], [width, height]] = [windowCenter(frame), windowSize(frame)];
  return { x: x - width / 2, y: y - height / 2, width, height };
};

/** Scene 1's image drifts closer all the time; in the sweep it lags behind the window but fills it, then leaves upwards. */
const SWAP = SWEEP + 26;
function heroScale(frame: number): number {
  if (frame < SWEEP) return between(frame, 0, 64, 126, 106, ease.out) - between(frame, 40, SWEEP, 0, 3, ease.calm);
  const filling = (100 * (windowRight(frame) - windowLeft(frame) + 8)) / hero.width;
  return Math.max(filling, between(frame, SWEEP, SWAP + 34, 103, 92, ease.calm));
}
function heroPosition(frame: number): [number, number] {
  const y = between(frame, SWAP, SWAP + 32, DISC.y, DISC.y - 620, ease.inOut);
  if (frame < SWEEP) return [windowCenter(frame)[0], y];
  const half = (hero.width * heroScale(frame)) / 200 - 2;
  const x = between(frame, SWEEP, SWEEP + 36, 1420, 420, ease.calm);
  return [Math.min(windowLeft(frame) + half, Math.max(windowRight(frame) - half, x)), y];
}
const heroLayer = imageLayer('hero', hero, {
  to: SWAP + 34,
  scale: sampled(0, SWAP + 34, (frame) => [heroScale(frame), heroScale(frame), 100]),
  position: sampled(0, SWAP + 34, heroPosition),
});
export const heroScene: Composition = { id: 'hero scene', width: WIDTH, height: HEIGHT, layers: [heroLayer] };
/** Through the opening, and through the panel and the sweep, whose corners are square. */
export const heroImages = [
  compositionLayer('hero opening', heroScene, {
    to: OPENED,
    mask: sampled(0, OPENED, (frame) => roundedPath(windowBox(frame), windowRound(frame))),
  }),
  compositionLayer('hero', heroScene, {
    from: OPENED,
    to: SWAP + 34,
    mask: sampled(SWEEP, SWEEP + 37, (frame) => rectanglePath(windowBox(frame))),
  }),
];
/** A bar of accent that goes ahead of the sweep. */
export const front = shapeLayer(
  'front',
  [
    group(
      rectangle(
        sampled(SWEEP, SWEEP + 34, (frame) => {
          const ahead = between(frame, SWEEP - 1, SWEEP + 26, 920, -140, ease.inOut);
          return [(ahead + windowLeft(frame)) / 2, HEIGHT / 2];
        }),
        sampled(SWEEP, SWEEP + 34, (frame) => {
          const ahead = between(frame, SWEEP - 1, SWEEP + 26, 920, -140, ease.inOut);
          return [Math.max(0, windowLeft(frame) - ahead), HEIGHT];
        }),
      ),
      fill(slotColor(accent)),
    ),
  ],
  { from: SWEEP, to: SWEEP + 34 },
);
const detailLayer = imageLayer('detail', detail, {
  from: SWAP,
  to: FLOOD + 40,
  scale: keyed([SWAP, [104, 104, 100], ease.out], [FLOOD + 40, [86, 86, 100]]),
  position: keyed([SWAP, [420, 1640, 0], ease.inOut], [SWAP + 32, [420, 540, 0]]),
});
export const detailScene: Composition = { id: 'detail scene', width: WIDTH, height: HEIGHT, layers: [detailLayer] };
export const detailImage = compositionLayer('detail', detailScene, {
  from: SWAP,
  to: FLOOD + 40,
  mask: sampled(SWAP, SWEEP + 37, (frame) => rectanglePath(windowBox(frame))),
});
/** The seam between the two, a bar of accent that rides on the detail's upper edge, as wide as the window. */
const seamLeft = (frame: number) => Math.max(0, windowLeft(frame));
const seamRight = (frame: number) => Math.min(840, windowRight(frame));
export const seam = shapeLayer(
  'seam',
  [
    group(
      rectangle(
        sampled(SWAP, SWEEP + 37, (frame) => [(seamLeft(frame) + seamRight(frame)) / 2, 0]),
        sampled(SWAP, SWEEP + 37, (frame) => [seamRight(frame) - seamLeft(frame), 14]),
      ),
      fill(slotColor(accent)),
    ),
  ],
  {
    from: SWAP,
    to: SWAP + 40,
    position: sampled(SWAP, SWAP + 40, (frame) => [0, between(frame, SWAP, SWAP + 32, 1640 - 668, -80, ease.inOut)]),
  },
);

/** Scene 2's ground follows the window's right edge. */
export const secondGround = shapeLayer(
  'second ground',
  [
    group(
      rectangle(
        sampled(SWEEP, SWEEP + 37, (frame) => [(windowRight(frame) - 2 + WIDTH) / 2, HEIGHT / 2]),
        sampled(SWEEP, SWEEP + 37, (frame) => [WIDTH - windowRight(frame) + 2, HEIGHT]),
      ),
      fill(slotColor(second)),
    ),
  ],
  { from: SWEEP, to: FLOOD + 40 },
);
