import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from './kit/document.ts';
import { between, ease, keyed, type PathValue, sampled, still } from './kit/keyframes.ts';
import { imageLayer, type Layer, shapeLayer } from './kit/layers.ts';
import { ellipse, fade, fill, group, path, polyline, rectangle, stroke, trim } from './kit/shapes.ts';
import { type Effect, type TextSlot, type TextStyle, textLayer } from './kit/text.ts';

/*
 * A vertical story of seven seconds, 1080 × 1920, for an opening, an event or an offer.
 * 1 An arch on paper opens until its photo fills the canvas; kicker and headline come in over it.
 * 2 A sheet of paper rises like a tide. Where its edge crosses the headline the letters change colour; a sun comes up behind it,
 *   and the details follow.
 * The upper 220 and lower 150 pixels, which apps cover, hold nothing that has to be read.
 */

const WIDTH = 1080;
const HEIGHT = 1920;
const MARGIN = 96;
const LAST = 210;

const paper: ColorSlot = { key: 'c_01', example: '#F4EADC' };
const accent: ColorSlot = { key: 'c_02', example: '#E2672F' };
const ink: ColorSlot = { key: 'c_03', example: '#2B2019' };
const onPhoto: ColorSlot = { key: 'c_04', example: '#FFF7EA' };
const onAccent: ColorSlot = { key: 'c_05', example: '#FFF7EA' };

const photo: ImageSlot = { id: 'photo', file: 'background.jpg', width: 1080, height: 1920 };
const logo: ImageSlot = { id: 'logo', file: 'logo.png', width: 600, height: 160 };

const kicker: TextSlot = { key: 't_01', example: 'A new store' };
const headline: TextSlot = { key: 't_02', example: 'By the sea' };
const place: TextSlot = { key: 't_03', example: 'Strandgade 12, Svaneke' };
const time: TextSlot = { key: 't_04', example: 'Opens Saturday 6 June, 10:00' };
const action: TextSlot = { key: 't_05', example: 'Come by' };

const SERIF = 'InstrumentSerif-Regular';
const ITALIC = 'InstrumentSerif-Italic';
const TEXT = 'InstrumentSans-Medium';

/** The tide rises from here on. */
const TIDE = 92;
const SHEET = 1050;

// ---------------------------------------------------------------- the arch that opens

const OPENED = 50;
const archSize = (frame: number): [number, number] => {
  const waiting = between(frame, 0, 22, 0, 1, ease.out);
  return [
    between(frame, 10, OPENED, 580 + 60 * waiting, 1200, ease.inOut),
    between(frame, 10, OPENED, 960 + 80 * waiting, 2700, ease.inOut),
  ];
};
const archCenter = (frame: number): [number, number] => [
  WIDTH / 2,
  between(frame, 10, OPENED, 1010 - between(frame, 0, 22, 0, 30, ease.out), 960, ease.inOut),
];

/** A rectangle with a round top: an arch that keeps its form at every size. */
function arch([centerX, centerY]: [number, number], [width, height]: [number, number]): PathValue {
  const [left, right] = [centerX - width / 2, centerX + width / 2];
  const [top, bottom] = [centerY - height / 2, centerY + height / 2];
  const radius = width / 2;
  const reach = radius * 0.5523;
  return {
    c: true,
    v: [
      [left, bottom],
      [left, top + radius],
      [centerX, top],
      [right, top + radius],
      [right, bottom],
    ],
    i: [
      [0, 0],
      [0, 0],
      [-reach, 0],
      [0, -reach],
      [0, 0],
    ],
    o: [
      [0, 0],
      [0, -reach],
      [reach, 0],
      [0, 0],
      [0, 0],
    ],
  };
}

const archMatte = shapeLayer('arch', [
  group(path(sampled(0, OPENED, (frame) => arch(archCenter(frame), archSize(frame)))), fill(still([1, 1, 1, 1]))),
]);
const archLine = shapeLayer(
  'arch line',
  [
    group(
      path(
        sampled(0, OPENED, (frame) => {
          const [width, height] = archSize(frame);
          const apart = between(frame, 0, OPENED, 64, 160, ease.calm);
          return arch(archCenter(frame), [width + apart, height + apart]);
        }),
      ),
      trim(still(0), keyed([0, 58, ease.out], [36, 100])),
      stroke(slotColor(accent), 4),
    ),
  ],
  { to: OPENED },
);
const openingSun = shapeLayer(
  'opening sun',
  [group(ellipse(still([0, 0]), still([300, 300])), fill(slotColor(accent)))],
  {
    to: OPENED,
    position: keyed([0, [800, 590, 0], ease.out], [40, [850, 400, 0]]),
  },
);

const photoLayer = imageLayer('photo', photo, {
  matte: archMatte,
  scale: keyed([0, [124, 124, 100], ease.out], [60, [109, 109, 100], ease.linear], [LAST, [101, 101, 100]]),
  position: keyed(
    [0, [540, 1040, 0], ease.out],
    [54, [540, 960, 0], ease.linear],
    [TIDE, [540, 952, 0], ease.inOut],
    [TIDE + 44, [540, 850, 0], ease.linear],
    [LAST, [540, 828, 0]],
  ),
});
/** Keeps the headline readable over any photo; goes with the tide. */
const scrim = shapeLayer(
  'scrim',
  [
    group(
      rectangle(still([540, 1260]), still([WIDTH, 1320])),
      fade([0, 0, 0], { at: [540, 640], alpha: 0 }, { at: [540, 1560], alpha: 0.56 }),
    ),
  ],
  { opacity: keyed([26, 0, ease.calm], [58, 100]) },
);

// ---------------------------------------------------------------- the tide

/** The sheet's upper edge: a swell that runs from left to right and comes to rest. */
function sheetAt(frame: number): PathValue {
  const swell = (late: number) => between(frame, TIDE + late, TIDE + 46 + late, HEIGHT + 40, SHEET, [0.6, 0, 0.15, 1]);
  const [left, middle, right] = [swell(0), swell(2), swell(6)];
  const lean = (right - left) / 6;
  return {
    c: true,
    v: [
      [-20, HEIGHT + 60],
      [-20, left],
      [540, middle],
      [WIDTH + 20, right],
      [WIDTH + 20, HEIGHT + 60],
    ],
    i: [
      [0, 0],
      [0, 0],
      [-280, -lean],
      [-280, 0],
      [0, 0],
    ],
    o: [
      [0, 0],
      [280, 0],
      [280, lean],
      [0, 0],
      [0, 0],
    ],
  };
}
const tideShape = () => path(sampled(TIDE, TIDE + 52, sheetAt));
const sheet = shapeLayer('sheet', [group(tideShape(), fill(slotColor(paper)))], { from: TIDE });
const sheetMatte = shapeLayer('sheet window', [group(tideShape(), fill(still([1, 1, 1, 1])))], { from: TIDE });

const sunPlace = keyed(
  [TIDE + 26, [812, 1540, 0], [0.4, 0, 0.1, 1]],
  [TIDE + 76, [812, 1006, 0], ease.linear],
  [LAST, [812, 972, 0]],
);
const sun = shapeLayer('sun', [group(ellipse(still([0, 0]), still([300, 300])), fill(slotColor(accent)))], {
  from: TIDE + 26,
  position: sunPlace,
});
const sunRings = [410, 540].map((size, index) =>
  shapeLayer(
    `sun ring ${index + 1}`,
    [
      group(
        ellipse(still([0, 0]), still([size, size])),
        trim(still(0), keyed([TIDE + 38 + 6 * index, 0, ease.out], [TIDE + 90 + 6 * index, 100])),
        stroke(slotColor(accent), 3, still(70 - 30 * index)),
      ),
    ],
    { from: TIDE + 38, position: sunPlace, rotation: still(180) },
  ),
);

// ---------------------------------------------------------------- texts

const arriving = (from: number, over: number, distance: number, by: Effect['by']): Effect => ({
  by,
  shift: [0, distance],
  opacity: 0,
  blur: 8,
  release: keyed([from, -100, [0.3, 0.2, 0.2, 1]], [from + over, 100]),
});
const sliding = (from: number, over: number, distance: number): Effect => ({
  by: 'line',
  shift: [0, distance],
  release: keyed([from, -100, ease.out], [from + over, 100]),
});

/** Kicker and headline twice: over the photo, and, cut to the sheet, in ink. */
function title(name: string, color: ColorSlot, matte?: Layer): Layer[] {
  const shared = { from: matte ? TIDE : 36, ...(matte && { matte }) };
  const head: TextStyle = {
    font: SERIF,
    size: 244,
    leading: 0.9,
    tracking: -18,
    rise: 'center',
    color: slotColor(color),
  };
  return [
    textLayer(
      `headline ${name}`,
      headline,
      head,
      { x: MARGIN - 8, y: 1168, width: 900, height: 290 },
      {
        ...shared,
        effects: [arriving(38, 46, 130, 'character')],
      },
    ),
    textLayer(
      `kicker ${name}`,
      kicker,
      { font: ITALIC, size: 76, tracking: -4, rise: 'center', color: slotColor(color) },
      { x: MARGIN, y: 1092, width: 888, height: 84 },
      { ...shared, effects: [arriving(50, 32, 60, 'word')] },
    ),
  ];
}

function detailLine(name: string, slot: TextSlot, top: number, from: number): Layer {
  const box = { x: MARGIN, y: top, width: 888, height: 66 };
  return textLayer(name, slot, { font: TEXT, size: 46, tracking: -6, rise: 'center', color: slotColor(ink) }, box, {
    from,
    clip: { ...box, x: box.x - 6, width: box.width + 12 },
    effects: [sliding(from, 34, 74)],
  });
}
const rule = shapeLayer(
  'rule',
  [
    group(
      path(
        still(
          polyline([
            [MARGIN, 1492],
            [WIDTH - MARGIN, 1492],
          ]),
        ),
      ),
      trim(still(0), keyed([TIDE + 34, 0, ease.out], [TIDE + 74, 100])),
      stroke(slotColor(ink), 2.5, still(32)),
    ),
  ],
  { from: TIDE + 34 },
);

const BUTTON = { x: MARGIN, y: 1668, width: 888, height: 108 } as const;
const buttonFrom = TIDE + 48;
const buttonWidth = (frame: number) =>
  between(frame, buttonFrom + 8, buttonFrom + 38, BUTTON.height, BUTTON.width, ease.inOut);
const button = shapeLayer(
  'button',
  [
    group(
      rectangle(
        sampled(buttonFrom, buttonFrom + 38, (frame) => [
          BUTTON.x + buttonWidth(frame) / 2,
          BUTTON.y + BUTTON.height / 2,
        ]),
        sampled(buttonFrom, buttonFrom + 38, (frame) => {
          const grown = between(frame, buttonFrom, buttonFrom + 14, 0, 1, ease.out);
          return [buttonWidth(frame) * grown, BUTTON.height * grown];
        }),
        still(BUTTON.height / 2),
      ),
      fill(slotColor(accent)),
    ),
  ],
  { from: buttonFrom },
);
const actionText = textLayer(
  'action',
  action,
  { font: TEXT, size: 48, tracking: -6, align: 'left', rise: 'center', color: slotColor(onAccent) },
  { x: BUTTON.x + 52, y: BUTTON.y + 10, width: BUTTON.width - 200, height: BUTTON.height - 20 },
  {
    from: buttonFrom + 18,
    clip: { x: BUTTON.x + 48, y: BUTTON.y + 12, width: BUTTON.width - 190, height: BUTTON.height - 24 },
    effects: [sliding(buttonFrom + 20, 32, 96)],
  },
);
const arrowFrom = buttonFrom + 32;
const arrow = shapeLayer(
  'arrow',
  [
    group(
      path(
        still(
          polyline([
            [-30, 0],
            [30, 0],
          ]),
        ),
      ),
      trim(still(0), keyed([arrowFrom, 0, ease.out], [arrowFrom + 20, 100])),
      stroke(slotColor(onAccent), 5),
    ),
    group(
      path(
        still(
          polyline([
            [10, -20],
            [30, 0],
            [10, 20],
          ]),
        ),
      ),
      trim(
        keyed([arrowFrom + 6, 50, ease.out], [arrowFrom + 22, 0]),
        keyed([arrowFrom + 6, 50, ease.out], [arrowFrom + 22, 100]),
      ),
      stroke(slotColor(onAccent), 5),
    ),
  ],
  {
    from: arrowFrom,
    position: keyed(
      [arrowFrom, [BUTTON.x + BUTTON.width - 104, BUTTON.y + BUTTON.height / 2, 0], ease.out],
      [arrowFrom + 24, [BUTTON.x + BUTTON.width - 78, BUTTON.y + BUTTON.height / 2, 0], ease.calm],
      [LAST - 14, [BUTTON.x + BUTTON.width - 78, BUTTON.y + BUTTON.height / 2, 0], ease.calm],
      [LAST, [BUTTON.x + BUTTON.width - 66, BUTTON.y + BUTTON.height / 2, 0]],
    ),
  },
);

// ---------------------------------------------------------------- logo on its tag

const tagPlace = keyed([44, [540, -260, 0], [0.3, 0, 0.1, 1]], [80, [540, 0, 0]]);
const tag = shapeLayer(
  'tag',
  [group(rectangle(still([0, 60]), still([330, 400]), still(165)), fill(slotColor(paper)))],
  { from: 44, position: tagPlace },
);
const tagLogo = imageLayer('logo', logo, {
  from: 44,
  anchor: still([300, -146 / 0.36]),
  scale: still([36, 36, 100]),
  position: tagPlace,
});

const ground = shapeLayer('ground', [
  group(rectangle(still([WIDTH / 2, HEIGHT / 2]), still([WIDTH, HEIGHT])), fill(slotColor(paper))),
]);

/** Top first. */
const layers: readonly Layer[] = [
  arrow,
  actionText,
  button,
  detailLine('place', place, 1516, TIDE + 40),
  detailLine('time', time, 1584, TIDE + 46),
  rule,
  ...title('in ink', ink, sheetMatte),
  sheet,
  ...title('on photo', onPhoto),
  sun,
  ...sunRings,
  tagLogo,
  tag,
  scrim,
  photoLayer,
  archLine,
  openingSun,
  ground,
];

export const story: DocumentParts = {
  name: 'Story',
  width: WIDTH,
  height: HEIGHT,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: SERIF, family: 'Instrument Serif', style: 'Regular' },
    { name: ITALIC, family: 'Instrument Serif', style: 'Italic' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [paper, accent, ink, onPhoto, onAccent],
  images: [photo, logo],
  layers,
};
