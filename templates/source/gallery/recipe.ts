import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, dot, ground } from '../kit/presets.ts';
import { ellipse, fill, group, rectangle, roundedPath, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1920 } as const;
const MARGIN = 88;
const WIDE = SIZE.width - 2 * MARGIN;
const MIDDLE = 540;
const LAST = 420;
/** When the dish and then each step comes; the last step stays. */
const SCENES = [0, 96, 204, 312] as const;

const linen: ColorSlot = { key: 'c_01', example: '#F5EBDC' };
const ink: ColorSlot = { key: 'c_02', example: '#33201A' };
const accent: ColorSlot = { key: 'c_03', example: '#C23B22' };
const shade: ColorSlot = { key: 'c_04', example: '#EBDAC2' };
const light: ColorSlot = { key: 'c_05', example: '#FFFAF2' };

const images: readonly ImageSlot[] = ['dish', 'step-1', 'step-2', 'step-3'].map((name) => {
  return { id: name, file: `${name}.jpg`, width: 760, height: 760 };
});

const title: TextSlot = { key: 't_01', example: 'Tomato soup with basil' };
const time: TextSlot = { key: 't_02', example: '35 minutes' };
const serves: TextSlot = { key: 't_03', example: 'for four' };
const STEPS = [
  'Halve a kilo of tomatoes and slice two onions.',
  'Let them simmer with a litre of stock for 25 minutes.',
  'Blend, season, and finish with basil and oil.',
] as const;

const SERIF = 'Fraunces-SemiBold';
const TEXT = 'InstrumentSans-Medium';

/** The plate: pictures take turns on it, each turning a little as it opens out of the middle. */
const PLATE = { x: MIDDLE, y: 906, size: 800 } as const;
const whole = (size: number) => {
  const edge = (PLATE.size - size) / 2;
  return roundedPath({ x: edge, y: edge, width: size, height: size }, size / 2);
};
const pictures = images.map((image, index) => {
  const from = SCENES[index]! + (index === 0 ? 8 : 0);
  const end = SCENES[index + 1];
  const cover = (100 * PLATE.size) / image.width;
  const scaled = (factor: number) => [cover * factor, cover * factor, 100];
  const scene: Composition = {
    id: `${image.id} scene`,
    width: PLATE.size,
    height: PLATE.size,
    layers: [
      imageLayer(image.id, image, {
        from,
        position: still([PLATE.size / 2, PLATE.size / 2]),
        rotation: keyed([from, -28, ease.out], [from + 60, -4, ease.linear], [(end ?? LAST) + 36, 5]),
        scale: keyed<readonly number[]>(
          [from, scaled(1.4), ease.out],
          [from + 60, scaled(1.08), ease.linear],
          [(end ?? LAST) + 36, scaled(1.06)],
        ),
      }),
    ],
  };
  const layer = compositionLayer(image.id, scene, {
    from,
    ...(end !== undefined && { to: end + 36 }),
    anchor: still([PLATE.size / 2, PLATE.size / 2]),
    position: still([PLATE.x, PLATE.y]),
    mask: keyed([from, whole(0), index === 0 ? ease.out : ease.inOut], [from + 34, whole(PLATE.size)]),
  });
  return { scene, layer };
});
const rim = dot('rim', slotColor(light), {
  position: still([PLATE.x, PLATE.y]),
  scale: keyed<readonly number[]>([2, [0, 0, 100], ease.out], [34, [PLATE.size + 52, PLATE.size + 52, 100]]),
});
const shadow = dot('shade', slotColor(shade), {
  position: keyed<readonly number[]>([0, [PLATE.x, PLATE.y + 60, 0], ease.out], [50, [PLATE.x + 60, PLATE.y + 96, 0]]),
  scale: keyed<readonly number[]>([0, [0, 0, 100], ease.out], [44, [PLATE.size + 60, PLATE.size + 60, 100]]),
});
/** A ring around the plate that fills with the steps. */
const progress = shapeLayer(
  'progress',
  [
    group(
      ellipse(still([0, 0]), still([PLATE.size + 108, PLATE.size + 108])),
      trim(
        still(0),
        keyed(
          [SCENES[1], 0, ease.inOut],
          [SCENES[1] + 40, 33.3, ease.linear],
          [SCENES[2], 33.3, ease.inOut],
          [SCENES[2] + 40, 66.6, ease.linear],
          [SCENES[3], 66.6, ease.inOut],
          [SCENES[3] + 50, 100],
        ),
      ),
      stroke(slotColor(accent), 10),
    ),
  ],
  { from: SCENES[1], position: still([PLATE.x, PLATE.y]) },
);

const titleText = textLayer(
  'title',
  title,
  { font: SERIF, size: 108, leading: 1.04, tracking: -24, align: 'center', rise: 'center', color: slotColor(ink) },
  { x: MARGIN, y: 164, width: WIDE, height: 236 },
  { from: 10, effects: [arriving('word', 12, 40, 70)] },
);

const fact = (name: string, slot: TextSlot, index: 0 | 1): Layer[] => {
  const box = { x: MARGIN + index * (WIDE / 2 + 14), y: 1470, width: WIDE / 2 - 14, height: 120 };
  const from = 36 + 8 * index;
  const until = SCENES[1] - 6;
  const center: [number, number] = [box.x + box.width / 2, box.y + box.height / 2];
  const leaving = { to: until + 16, opacity: keyed([until, 100, ease.calm], [until + 14, 0]) };
  return [
    slideIn(
      name,
      slot,
      { font: TEXT, size: 58, align: 'center', color: slotColor(light) },
      { x: box.x + 40, y: box.y + 10, width: box.width - 80, height: box.height - 20 },
      from + 12,
      leaving,
    ),
    shapeLayer(
      `${name} plate`,
      [
        group(
          rectangle(
            still(center),
            keyed([from, [0, 0], ease.out], [from + 14, [120, 120], ease.inOut], [from + 36, [box.width, box.height]]),
            still(60),
          ),
          fill(slotColor(accent)),
        ),
      ],
      { from, ...leaving },
    ),
  ];
};

const steps = STEPS.flatMap((example, index): Layer[] => {
  const from = SCENES[index + 1]! + 10;
  const end = SCENES[index + 2];
  const leaving = end === undefined ? {} : { to: end + 12, opacity: keyed([end - 4, 100, ease.calm], [end + 10, 0]) };
  const number = String(index + 1);
  const disc = dot(`number plate ${number}`, slotColor(accent), {
    from,
    ...leaving,
    position: keyed<readonly number[]>([from, [MARGIN + 62, 1560, 0], ease.out], [from + 26, [MARGIN + 62, 1484, 0]]),
    scale: keyed<readonly number[]>([from, [0, 0, 100], ease.out], [from + 24, [124, 124, 100]]),
  });
  const figure: TextSlot = { key: `n_0${number}`, example: number };
  const words: TextSlot = { key: `t_0${4 + index}`, example };
  return [
    fixedText(
      textLayer(
        `number ${number}`,
        figure,
        { font: SERIF, size: 74, align: 'center', rise: 'center', color: slotColor(light) },
        { x: MARGIN + 12, y: 1434, width: 100, height: 96 },
        { from: from + 8, ...leaving, effects: [arriving('character', from + 8, 20, 40, { blur: 0 })] },
      ),
    ),
    disc,
    textLayer(
      `step ${number}`,
      words,
      { font: TEXT, size: 68, leading: 1.18, tracking: -14, rise: 'top', color: slotColor(ink) },
      { x: MARGIN + 160, y: 1442, width: WIDE - 160, height: 300 },
      { from: from + 6, ...leaving, effects: [arriving('word', from + 8, 40, 40, { blur: 4 })] },
    ),
  ];
});

/** A text that nobody fills. */
function fixedText(layer: Layer): Layer {
  const { t, ...content } = layer.content as { t: { d: { k: unknown } } };
  return { ...layer, content: { ...content, t: { ...t, d: { k: t.d.k } } } };
}

/**
 * A recipe in three steps, 1080 × 1920, fourteen seconds: the dish on a plate, and then a picture and a sentence for each
 * step. The upper 160 and lower 200 pixels hold nothing that has to be read.
 */
export const recipe: DocumentParts = {
  name: 'Recipe',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: SERIF, family: 'Fraunces', style: 'SemiBold' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [linen, ink, accent, shade, light],
  images,
  compositions: pictures.map(({ scene }) => scene),
  layers: [
    titleText,
    ...fact('time', time, 0),
    ...fact('serves', serves, 1),
    ...steps,
    ...pictures.map(({ layer }) => layer).reverse(),
    progress,
    rim,
    shadow,
    ground(slotColor(linen), SIZE),
  ],
};
