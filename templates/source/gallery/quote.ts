import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { between, ease, keyed, sampled, still } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, dot, ground, hairline, sliding } from '../kit/presets.ts';
import { ellipse, fill, group, path, roundedPath, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';

const SIZE = { width: 1080, height: 1080 } as const;
const MARGIN = 96;
const LAST = 240;

const paper: ColorSlot = { key: 'c_01', example: '#F2E9DA' };
const accent: ColorSlot = { key: 'c_02', example: '#D9482B' };
const ink: ColorSlot = { key: 'c_03', example: '#1D2B26' };
const shade: ColorSlot = { key: 'c_04', example: '#E5D8C2' };

const portrait: ImageSlot = { id: 'portrait', file: 'portrait.jpg', width: 320, height: 320 };

const quote: TextSlot = { key: 't_01', example: 'A garden teaches you to wait, and then to stop waiting.' };
const author: TextSlot = { key: 't_02', example: 'Inês Carvalho' };
const role: TextSlot = { key: 't_03', example: 'Head gardener, Quinta do Norte' };

const DISPLAY = 'Fraunces-Medium';
const TEXT = 'InstrumentSans-Medium';

/** A comma of a quotation mark: a disc of radius 72 around (0, 0), and the tail that rises from its left side. */
const comma = ellipse(still([0, 0]), still([144, 144]));
const tail = path(
  still({
    c: true,
    v: [
      [-72, 4],
      [58, -150],
      [66, -124],
      [-14, -40],
    ],
    i: [
      [0, 60],
      [-84, 16],
      [0, 0],
      [0, -46],
    ],
    o: [
      [0, -84],
      [0, 0],
      [-56, 18],
      [-10, 30],
    ],
  }),
);

/** The two marks drop in in turn and settle; they breathe while the words are read. */
const mark = (index: 0 | 1): Layer => {
  const from = 2 + 6 * index;
  const x = MARGIN + 72 + 176 * index;
  return shapeLayer(`mark ${index + 1}`, [group(comma, tail, fill(slotColor(accent)))], {
    from,
    position: keyed([from, [x, 90, 0], ease.out], [from + 34, [x, 262, 0], ease.calm], [LAST, [x, 256, 0]]),
    scale: keyed([from, [20, 20, 100], ease.out], [from + 30, [100, 100, 100]]),
    rotation: keyed([from, -50, ease.out], [from + 40, 0, ease.calm], [LAST, index === 0 ? -2 : 2]),
  });
};

/** A disc behind everything that grows from the lower right corner. */
const sun = dot('shade', slotColor(shade), {
  position: keyed([0, [1080, 1080, 0], ease.calm], [LAST, [1010, 1030, 0]]),
  scale: sampled(0, 60, (frame) => {
    const size = between(frame, 0, 60, 0, 1240, ease.out);
    return [size, size, 100];
  }),
});
const orbit = shapeLayer(
  'orbit',
  [
    group(
      ellipse(still([0, 0]), still([1460, 1460])),
      trim(still(0), keyed([10, 0, ease.out], [90, 100])),
      stroke(slotColor(accent), 2.5, still(40)),
    ),
  ],
  { from: 10, position: still([1020, 1036]), rotation: keyed([10, 150, ease.calm], [LAST, 200]) },
);

const words: TextStyle = {
  font: DISPLAY,
  size: 92,
  leading: 1.1,
  tracking: -14,
  rise: 'center',
  color: slotColor(ink),
};
const quoteText = textLayer(
  'quote',
  quote,
  words,
  { x: MARGIN - 4, y: 372, width: 892, height: 408 },
  { from: 22, effects: [arriving('word', 24, 62, 54, { blur: 6 })] },
);

const FOOT = 918;
const AUTHOR = 96;
const rule = hairline('rule', [MARGIN, SIZE.width - MARGIN], 824, slotColor(ink), 30, { from: AUTHOR - 18, over: 44 });

/** The portrait opens out of the accent's dot. */
const PORTRAIT = 128;
const open = (size: number) => {
  const edge = (portrait.width - size) / 2;
  return roundedPath({ x: edge, y: edge, width: size, height: size }, size / 2);
};
const portraitScene: Composition = {
  id: 'portrait scene',
  width: portrait.width,
  height: portrait.height,
  layers: [
    imageLayer('portrait', portrait, {
      position: still([160, 160]),
      scale: keyed([AUTHOR, [128, 128, 100], ease.out], [AUTHOR + 60, [101, 101, 100]]),
    }),
  ],
};
const scale = (100 * PORTRAIT) / portrait.width;
const portraitLayer = compositionLayer('portrait', portraitScene, {
  from: AUTHOR + 4,
  position: still([MARGIN, FOOT - PORTRAIT / 2]),
  scale: still([scale, scale, 100]),
  mask: keyed([AUTHOR + 4, open(0), ease.out], [AUTHOR + 38, open(320)]),
});
const portraitDot = dot('portrait dot', slotColor(accent), {
  from: AUTHOR - 6,
  position: still([MARGIN + PORTRAIT / 2, FOOT]),
  scale: keyed([AUTHOR - 6, [0, 0, 100], ease.out], [AUTHOR + 16, [PORTRAIT + 12, PORTRAIT + 12, 100]]),
});

const line = (name: string, slot: TextSlot, style: Partial<TextStyle>, y: number, height: number, from: number) => {
  const box = { x: MARGIN + PORTRAIT + 32, y, width: 724, height };
  const fullStyle: TextStyle = { font: TEXT, size: 38, rise: 'center', color: slotColor(ink), ...style };
  return textLayer(name, slot, fullStyle, box, { from, clip: box, effects: [sliding(from, 30, height)] });
};

/**
 * A quotation, 1080 × 1080, eight seconds: two marks drop in, the words arrive in turn, and the author follows
 * with a portrait below a rule.
 */
export const quoteCard: DocumentParts = {
  name: 'Quote',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: DISPLAY, family: 'Fraunces', style: 'Medium' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [paper, accent, ink, shade],
  images: [portrait],
  compositions: [portraitScene],
  layers: [
    line('author', author, { size: 42, tracking: -8 }, FOOT - 58, 60, AUTHOR + 8),
    line('role', role, { size: 32 }, FOOT + 4, 50, AUTHOR + 14),
    portraitLayer,
    portraitDot,
    rule,
    quoteText,
    mark(0),
    mark(1),
    orbit,
    sun,
    ground(slotColor(paper), SIZE),
  ],
};
