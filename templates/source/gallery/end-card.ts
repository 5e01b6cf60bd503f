import { type ColorSlot, type DocumentParts, type ImageSlot, type SoundSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, type Layer, shapeLayer, soundLayer } from '../kit/layers.ts';
import { arriving, dot, ground } from '../kit/presets.ts';
import { ellipse, fill, group, rectangle, rectanglePath, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { slideIn } from './parts.ts';

const SIZE = { width: 1920, height: 1080 } as const;
const LAST = 150;
const CENTER = { x: 960, y: 540 } as const;

const dark: ColorSlot = { key: 'c_01', example: '#24324A' };
const accent: ColorSlot = { key: 'c_02', example: '#E2672F' };
const paper: ColorSlot = { key: 'c_03', example: '#F6EDDF' };
const ink: ColorSlot = { key: 'c_04', example: '#24324A' };
const light: ColorSlot = { key: 'c_05', example: '#FFF8EE' };

const logo: ImageSlot = { id: 'logo', file: 'logo.png', width: 720, height: 240 };
const sting: SoundSlot = { id: 'sting', file: 'sting.wav' };

const claim: TextSlot = { key: 't_01', example: 'Light to carry home' };
const address: TextSlot = { key: 't_02', example: 'olune.example' };

const BOLD = 'Cairo-Bold';
const TEXT = 'Cairo-SemiBold';

/** The dot falls, is squashed where it lands, and its splash becomes the card. */
const LANDS = 16;
const LOGO_Y = 448;
const fallen = dot('dot', slotColor(accent), {
  to: LANDS + 22,
  position: keyed(
    [0, [CENTER.x, -80, 0], [0.6, 0, 0.9, 0.6]],
    [LANDS, [CENTER.x, CENTER.y + 40, 0], ease.out],
    [LANDS + 10, [CENTER.x, CENTER.y, 0]],
  ),
  scale: keyed<readonly number[]>(
    [0, [80, 110, 100], ease.in],
    [LANDS - 1, [74, 128, 100], ease.linear],
    [LANDS + 2, [150, 70, 100], ease.out],
    [LANDS + 8, [112, 112, 100], ease.in],
    [LANDS + 20, [700, 700, 100]],
  ),
});
const flood = (name: string, color: ColorSlot, from: number, size: number): Layer =>
  dot(name, slotColor(color), {
    from,
    position: still([CENTER.x, CENTER.y]),
    scale: keyed([from, [10, 10, 100], [0.5, 0, 0.2, 1]], [from + 26, [size, size, 100]]),
  });

/** Small dots that are thrown out and come to rest on two circles. */
const SPRAY = 14;
const spray = Array.from({ length: SPRAY }, (_, index): Layer => {
  const angle = (2 * Math.PI * index) / SPRAY + 0.2;
  const far = index % 2 === 0 ? 520 : 700;
  const at = (radius: number, turn = 0) => [
    CENTER.x + radius * 1.18 * Math.cos(angle + turn),
    CENTER.y + radius * 0.72 * Math.sin(angle + turn),
    0,
  ];
  const size = 14 + 10 * ((index * 5) % 4);
  return dot(`spray ${index + 1}`, slotColor(index % 3 === 0 ? ink : accent), {
    from: LANDS + 14,
    position: keyed<readonly number[]>(
      [LANDS + 14, at(120), ease.out],
      [LANDS + 54, at(far), ease.calm],
      [LAST, at(far + 20, 0.1)],
    ),
    scale: keyed<readonly number[]>(
      [LANDS + 14, [0, 0, 100], ease.out],
      [LANDS + 32 + (index % 5) * 3, [size, size, 100]],
    ),
  });
});
const rings = [0, 1, 2].map((index): Layer => {
  const from = LANDS + 8 + 6 * index;
  const size = 940 + 330 * index;
  return shapeLayer(
    `ring ${index + 1}`,
    [
      group(
        ellipse(
          still([0, 0]),
          keyed([from, [100, 100], ease.out], [from + 50, [size, size]], [LAST, [size + 40, size + 40]]),
        ),
        trim(still(0), keyed([from, 20, ease.out], [from + 60, 84 - 12 * index])),
        stroke(slotColor(accent), 3, still(70 - 20 * index)),
      ),
    ],
    {
      from,
      position: still([CENTER.x, CENTER.y]),
      rotation: keyed(
        [from, -100 + 70 * index, ease.out],
        [from + 70, 30 + 80 * index, ease.linear],
        [LAST, 40 + 80 * index],
      ),
    },
  );
});

/** The logo rises out of a line. */
const LOGO_FROM = LANDS + 22;
const logoScene: Composition = {
  id: 'logo scene',
  width: logo.width,
  height: logo.height,
  layers: [
    imageLayer('logo', logo, {
      position: keyed<readonly number[]>([LOGO_FROM, [360, 380, 0], ease.out], [LOGO_FROM + 34, [360, 120, 0]]),
      rotation: keyed([LOGO_FROM, 6, ease.out], [LOGO_FROM + 36, 0]),
    }),
  ],
};
const logoLayer = compositionLayer('logo', logoScene, {
  from: LOGO_FROM,
  anchor: still([360, 120]),
  position: still([CENTER.x, LOGO_Y]),
  scale: keyed<readonly number[]>([LOGO_FROM, [112, 112, 100], ease.out], [LAST, [116, 116, 100]]),
  mask: still(rectanglePath({ x: 0, y: 0, width: 720, height: 240 })),
});

const PILL = { x: CENTER.x - 330, y: 742, width: 660, height: 112 } as const;
const PILL_FROM = LANDS + 52;
const pill = shapeLayer(
  'pill',
  [
    group(
      rectangle(
        still([CENTER.x, PILL.y + PILL.height / 2]),
        keyed(
          [PILL_FROM, [0, 0], ease.out],
          [PILL_FROM + 14, [PILL.height, PILL.height], ease.inOut],
          [PILL_FROM + 40, [PILL.width, PILL.height]],
        ),
        still(PILL.height / 2),
      ),
      fill(slotColor(ink)),
    ),
  ],
  { from: PILL_FROM },
);

/** The end of a film, 1920 × 1080, five seconds: a dot falls, splashes into a card, and the logo rises with a chord. */
export const endCard: DocumentParts = {
  name: 'End card',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Cairo', style: 'Bold' },
    { name: TEXT, family: 'Cairo', style: 'SemiBold' },
  ],
  colors: [dark, accent, paper, ink, light],
  images: [logo],
  sounds: [sting],
  compositions: [logoScene],
  layers: [
    soundLayer('sting', sting),
    slideIn(
      'address',
      address,
      { font: BOLD, size: 52, align: 'center', color: slotColor(light) },
      { x: PILL.x + 48, y: PILL.y + 12, width: PILL.width - 96, height: PILL.height - 24 },
      PILL_FROM + 30,
    ),
    pill,
    textLayer(
      'claim',
      claim,
      { font: TEXT, size: 72, align: 'center', rise: 'center', color: slotColor(ink) },
      { x: CENTER.x - 560, y: 592, width: 1120, height: 112 },
      { from: LANDS + 38, effects: [arriving('word', LANDS + 38, 34, 50, { blur: 4 })] },
    ),
    logoLayer,
    ...spray,
    ...rings,
    flood('card', paper, LANDS + 14, 2400),
    fallen,
    flood('splash', accent, LANDS + 6, 2300),
    ground(slotColor(dark), SIZE),
  ],
};
