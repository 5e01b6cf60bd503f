import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from './kit/document.ts';
import { between, ease, keyed, type Property, sampled, still } from './kit/keyframes.ts';
import { imageLayer, type Layer, shapeLayer } from './kit/layers.ts';
import { ellipse, fill, group, path, polyline, rectangle, stroke, trim } from './kit/shapes.ts';
import { type Effect, type TextSlot, type TextStyle, textLayer } from './kit/text.ts';

/*
 * A product launch in three scenes of about three seconds, 1920 × 1080.
 * 1 The accent disc opens into the hero image, which grows into a panel; headline and subline come in on the left.
 * 2 The panel sweeps across, hands over to the detail image and leaves room for two features.
 * 3 The accent dot floods the canvas; the end card has the offer, the call to action and the hero again, as a moon.
 * One dot travels through all of them: it drops off the hero, marks the subline, then each feature, and becomes the button.
 */

const WIDTH = 1920;
const HEIGHT = 1080;
const MARGIN = 120;
const LAST = 324;

const background: ColorSlot = { key: 'c_01', example: '#F1ECE2' };
const second: ColorSlot = { key: 'c_02', example: '#3F4A38' };
const accent: ColorSlot = { key: 'c_03', example: '#D9773F' };
const ink: ColorSlot = { key: 'c_04', example: '#22261E' };
const light: ColorSlot = { key: 'c_05', example: '#F6F1E7' };

const hero: ImageSlot = { id: 'hero', file: 'hero.jpg', width: 1296, height: 1296 };
const detail: ImageSlot = { id: 'detail', file: 'detail.jpg', width: 1080, height: 1296 };
const logo: ImageSlot = { id: 'logo', file: 'logo.png', width: 600, height: 160 };

const headline: TextSlot = { key: 't_01', example: 'Light to carry home' };
const subline: TextSlot = { key: 't_02', example: 'Pebble, the new lantern' };
const featureOne: TextSlot = { key: 't_03', example: 'Forty hours of light from one charge' };
const featureTwo: TextSlot = { key: 't_04', example: 'Warm as a candle, and safe to drop' };
const offer: TextSlot = { key: 't_05', example: '€ 89\rfrom 12 September' };
const action: TextSlot = { key: 't_06', example: 'Order at olune.example' };

const DISPLAY = 'BricolageGrotesque-SemiBold';
const TEXT = 'InstrumentSans-Medium';

/** Scene 2 begins under the sweep, scene 3 under the flood. */
const SWEEP = 94;
const FLOOD = 222;

// ---------------------------------------------------------------- the window that shows the images

const windowLeft = (frame: number) => between(frame, SWEEP, SWEEP + 28, 920, 0, ease.inOut);
const windowRight = (frame: number) => between(frame, SWEEP + 6, SWEEP + 36, WIDTH, 840, ease.inOut);

/** The opening: a circle on the disc's place that grows into the right half of the canvas. */
const OPEN = 8;
const OPENED = 58;
const DISC = { x: 1400, y: 540, size: 560 } as const;

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

function windowMatte(name: string): Layer {
  const opening = rectangle(
    sampled(0, SWEEP + 37, windowCenter),
    sampled(0, SWEEP + 37, windowSize),
    sampled(0, OPENED, windowRound),
  );
  return shapeLayer(name, [group(opening, fill(still([1, 1, 1, 1])))]);
}

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
const heroImage = imageLayer('hero', hero, {
  matte: windowMatte('hero window'),
  to: SWAP + 34,
  scale: sampled(0, SWAP + 34, (frame) => [heroScale(frame), heroScale(frame), 100]),
  position: sampled(0, SWAP + 34, heroPosition),
});
/** A bar of accent that goes ahead of the sweep. */
const front = shapeLayer(
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
const detailImage = imageLayer('detail', detail, {
  matte: windowMatte('detail window'),
  from: SWAP,
  to: FLOOD + 40,
  scale: keyed([SWAP, [104, 104, 100], ease.out], [FLOOD + 40, [86, 86, 100]]),
  position: keyed([SWAP, [420, 1640, 0], ease.inOut], [SWAP + 32, [420, 540, 0]]),
});
/** The seam between the two, a bar of accent that rides on the detail's upper edge. */
const seam = shapeLayer('seam', [group(rectangle(still([420, 0]), still([840, 14])), fill(slotColor(accent)))], {
  matte: windowMatte('seam window'),
  from: SWAP,
  to: SWAP + 40,
  position: sampled(SWAP, SWAP + 40, (frame) => [0, between(frame, SWAP, SWAP + 32, 1640 - 668, -80, ease.inOut)]),
});

// ---------------------------------------------------------------- rings and dot

function ring(
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

const openingRings = [
  ring('ring inner', still([DISC.x, DISC.y]), 700, -6, SWEEP, ink, 200),
  ring('ring outer', still([DISC.x, DISC.y]), 880, -2, SWEEP, ink, 20),
];
const featureRings = [
  ring('ring feature inner', still([1850, 1010]), 440, SWEEP + 20, FLOOD + 40, light, 120),
  ring('ring feature outer', still([1850, 1010]), 660, SWEEP + 26, FLOOD + 40, light, 300),
];

function leavingBy(frame: number): number {
  return between(frame, SWEEP, SWEEP + 30, 0, -220, [0.5, 0, 0.8, 0.4]);
}

const DOT = 22;
const sublineDot = [131, 956] as const;
const featureDot = (row: number) => [989, ROWS[row]! + 74] as const;

/** The disc of the first frame, which drops off the hero as a dot. */
const disc = shapeLayer('disc', [group(ellipse(still([0, 0]), still([100, 100])), fill(slotColor(accent)))], {
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

const ROWS = [236, 532] as const;
const HOP = 148;
const featureMark = shapeLayer('dot', [group(ellipse(still([0, 0]), still([100, 100])), fill(slotColor(accent)))], {
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

// ---------------------------------------------------------------- texts

const rise = (from: number, over: number, distance: number, by: Effect['by'] = 'line'): Effect => ({
  by,
  shift: [0, distance],
  release: keyed([from, -100, ease.out], [from + over, 100]),
});

/** The sweep pushes scene 1's words a little ahead of itself. */
const LEAVING = sampled(SWEEP, SWEEP + 30, (frame) => [leavingBy(frame), 0]);

const headlineStyle: TextStyle = {
  font: DISPLAY,
  size: 152,
  leading: 0.98,
  tracking: -26,
  rise: 'bottom',
  color: slotColor(ink),
};
const headlineText = textLayer(
  'headline',
  headline,
  headlineStyle,
  { x: MARGIN - 7, y: 300, width: 780, height: 590 },
  {
    from: 26,
    to: SWEEP + 30,
    position: LEAVING,
    effects: [
      {
        by: 'character',
        shift: [0, 120],
        opacity: 0,
        rotation: 8,
        blur: 10,
        release: keyed([28, -100, [0.3, 0.2, 0.2, 1]], [78, 100]),
      },
    ],
  },
);

const sublineText = textLayer(
  'subline',
  subline,
  { font: TEXT, size: 44, tracking: -6, rise: 'center', color: slotColor(ink) },
  { x: 168, y: 922, width: 680, height: 68 },
  {
    from: 46,
    to: SWEEP + 30,
    position: LEAVING,
    clip: { x: 164, y: 922, width: 690, height: 68 },
    effects: [rise(46, 36, 72)],
  },
);

function ruleAt(name: string, top: number, from: number): Layer {
  const line = group(
    path(
      still(
        polyline([
          [978, top],
          [1800, top],
        ]),
      ),
    ),
    trim(still(0), keyed([from, 0, ease.out], [from + 34, 100])),
    stroke(slotColor(light), 2.5, still(40)),
  );
  return shapeLayer(name, [line], { from, to: FLOOD + 40 });
}

function featureRow(slot: TextSlot, row: number, from: number): Layer[] {
  const top = ROWS[row]!;
  const rule = ruleAt(`rule ${row + 1}`, top, from);
  const box = { x: 1040, y: top + 34, width: 770, height: 244 };
  const text = textLayer(
    `feature ${row + 1}`,
    slot,
    { font: DISPLAY, size: 72, leading: 1.1, tracking: -20, rise: 'top', color: slotColor(light) },
    box,
    {
      from: from + 4,
      to: FLOOD + 40,
      effects: [
        {
          by: 'word',
          shift: [0, 70],
          opacity: 0,
          blur: 6,
          release: keyed([from + 4, -100, [0.3, 0.2, 0.2, 1]], [from + 42, 100]),
        },
      ],
    },
  );
  return [rule, text];
}

// ---------------------------------------------------------------- end card

const MOON = { x: 1415, y: 540, size: 700 } as const;
const CARD = FLOOD + 14;

const flood = (name: string, color: ColorSlot, from: number): Layer => {
  const [x, y] = featureDot(1);
  return shapeLayer(name, [group(ellipse(still([0, 0]), still([100, 100])), fill(slotColor(color)))], {
    from,
    position: still([x, y]),
    scale: keyed([from, [6, 6, 100], [0.6, 0, 0.3, 1]], [from + 24, [2500, 2500, 100]]),
  });
};

const moonMatte = shapeLayer(
  'moon window',
  [group(ellipse(still([0, 0]), still([100, 100])), fill(still([1, 1, 1, 1])))],
  {
    from: CARD,
    position: still([MOON.x, MOON.y]),
    scale: keyed(
      [CARD + 2, [0, 0, 100], ease.out],
      [CARD + 34, [690, 690, 100], ease.calm],
      [LAST, [MOON.size, MOON.size, 100]],
    ),
  },
);
const moon = imageLayer('hero moon', hero, {
  matte: moonMatte,
  from: CARD,
  position: still([MOON.x, MOON.y]),
  scale: keyed([CARD, [86, 86, 100], ease.out], [LAST, [60, 60, 100]]),
});
const halo = shapeLayer('halo', [group(ellipse(still([0, 0]), still([100, 100])), fill(slotColor(accent)))], {
  from: CARD,
  position: keyed(
    [CARD + 2, [MOON.x, MOON.y, 0], ease.out],
    [CARD + 44, [MOON.x + 92, MOON.y - 64, 0], ease.calm],
    [LAST, [MOON.x + 108, MOON.y - 78, 0]],
  ),
  scale: keyed([CARD, [0, 0, 100], ease.out], [CARD + 36, [700, 700, 100]]),
});
const cardRings = [
  ring('ring card inner', still([MOON.x, MOON.y]), 860, CARD + 8, LAST, ink, 150),
  ring('ring card outer', still([MOON.x, MOON.y]), 1040, CARD + 12, LAST, ink, 330),
];

const offerText = textLayer(
  'offer',
  offer,
  { font: DISPLAY, size: 88, leading: 1.1, tracking: -20, rise: 'bottom', color: slotColor(ink) },
  { x: MARGIN - 5, y: 330, width: 810, height: 420 },
  {
    from: CARD + 4,
    effects: [
      {
        by: 'word',
        shift: [0, 110],
        opacity: 0,
        blur: 8,
        release: keyed([CARD + 6, -100, [0.3, 0.2, 0.2, 1]], [CARD + 46, 100]),
      },
    ],
  },
);

/** The button begins as the dot and stretches. */
const BUTTON = { x: MARGIN, y: 820, width: 600, height: 112 } as const;
const buttonWidth = (frame: number) => between(frame, CARD + 16, CARD + 42, BUTTON.height, BUTTON.width, ease.inOut);
const buttonSize = (frame: number): [number, number] => {
  const grown = between(frame, CARD + 8, CARD + 24, 0, 1, ease.out);
  return [buttonWidth(frame) * grown, BUTTON.height * grown];
};
const button = shapeLayer(
  'button',
  [
    group(
      rectangle(
        sampled(CARD + 8, CARD + 50, (frame) => [BUTTON.x + buttonWidth(frame) / 2, BUTTON.y + BUTTON.height / 2]),
        sampled(CARD + 8, CARD + 50, buttonSize),
        still(BUTTON.height / 2),
      ),
      fill(slotColor(accent)),
    ),
  ],
  { from: CARD + 8 },
);
const actionText = textLayer(
  'action',
  action,
  { font: TEXT, size: 46, tracking: -6, align: 'center', rise: 'center', color: slotColor(light) },
  { x: BUTTON.x + 44, y: BUTTON.y + 8, width: BUTTON.width - 88, height: BUTTON.height - 16 },
  {
    from: CARD + 22,
    clip: { x: BUTTON.x + 40, y: BUTTON.y + 12, width: BUTTON.width - 80, height: BUTTON.height - 24 },
    effects: [rise(CARD + 24, 34, 100)],
  },
);

// ---------------------------------------------------------------- logo and grounds

const logoPlace = (name: string, from: number, to: number): Layer =>
  imageLayer(name, logo, {
    from,
    to,
    anchor: still([0, logo.height / 2]),
    scale: still([48, 48, 100]),
    position: keyed([from, [MARGIN - 40, 132, 0], ease.out], [from + 32, [MARGIN, 132, 0]]),
    opacity: keyed([from, 0, ease.calm], [from + 20, 100]),
  });

const ground = shapeLayer('ground', [
  group(rectangle(still([WIDTH / 2, HEIGHT / 2]), still([WIDTH, HEIGHT])), fill(slotColor(background))),
]);
/** Scene 2's ground follows the window's right edge. */
const secondGround = shapeLayer(
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

/** Top first. */
const layers: readonly Layer[] = [
  actionText,
  button,
  offerText,
  logoPlace('logo card', CARD + 10, LAST),
  moon,
  halo,
  ...cardRings,
  flood('flood ground', background, FLOOD + 10),
  flood('flood accent', accent, FLOOD),
  featureMark,
  ruleAt('rule 3', 828, HOP + 12),
  ...featureRow(featureTwo, 1, HOP + 2),
  ...featureRow(featureOne, 0, SWEEP + 26),
  ...featureRings,
  seam,
  detailImage,
  front,
  heroImage,
  disc,
  secondGround,
  ...openingRings,
  logoPlace('logo', 0, SWEEP + 30),
  headlineText,
  sublineText,
  ground,
];

export const launch: DocumentParts = {
  name: 'Product launch',
  width: WIDTH,
  height: HEIGHT,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: DISPLAY, family: 'Bricolage Grotesque', style: 'SemiBold' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [background, second, accent, ink, light],
  images: [hero, detail, logo],
  layers,
};
