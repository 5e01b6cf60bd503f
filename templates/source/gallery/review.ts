import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, dot, ground, hairline } from '../kit/presets.ts';
import { ellipse, fill, group, path, polyline, rectangle, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { framed, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1920 } as const;
const MIDDLE = 540;
const LAST = 240;

const field: ColorSlot = { key: 'c_01', example: '#F6B8A6' };
const card: ColorSlot = { key: 'c_02', example: '#FFF9F2' };
const ink: ColorSlot = { key: 'c_03', example: '#2A1B3D' };
const accent: ColorSlot = { key: 'c_04', example: '#C8452F' };
const shade: ColorSlot = { key: 'c_05', example: '#F2A48E' };

const portrait: ImageSlot = { id: 'portrait', file: 'portrait.jpg', width: 480, height: 480 };

const heading: TextSlot = { key: 't_01', example: 'What our guests say' };
const stars: TextSlot = { key: 't_02', example: '*****' };
const words: TextSlot = {
  key: 't_03',
  example: 'We came for one night and stayed for four. The bread alone is worth the ferry.',
};
const guest: TextSlot = { key: 't_04', example: 'Nora Lindqvist' };
const origin: TextSlot = { key: 't_05', example: 'Stayed in September' };
const brand: TextSlot = { key: 't_06', example: 'Hotel Fyr, Svaneke' };

const BOLD = 'Rubik-SemiBold';
const TEXT = 'Rubik-Regular';
const STARS = 'ReviewStars';

const CARD = { x: 84, y: 560, width: 912, height: 940 } as const;
const CARD_FROM = 10;
const FACE = 280;

const cardShape = shapeLayer(
  'card',
  [
    group(
      rectangle(
        still([MIDDLE, CARD.y + CARD.height / 2]),
        keyed([CARD_FROM, [200, 200], ease.inOut], [CARD_FROM + 40, [CARD.width, CARD.height]]),
        keyed([CARD_FROM, 100, ease.inOut], [CARD_FROM + 40, 64]),
      ),
      fill(slotColor(card)),
    ),
  ],
  {
    from: CARD_FROM,
    position: keyed([CARD_FROM, [0, 500, 0], ease.out], [CARD_FROM + 36, [0, 0, 0], ease.calm], [LAST, [0, -8, 0]]),
  },
);

const face = framed(
  'portrait',
  portrait,
  { x: MIDDLE - FACE / 2, y: CARD.y - FACE / 2, width: FACE, height: FACE },
  FACE / 2,
  { from: 34, over: 28, to: LAST, opens: 'middle', curve: ease.out, zoom: [136, 106, 101] },
);
const faceRing = dot('portrait ring', slotColor(card), {
  from: 30,
  position: still([MIDDLE, CARD.y]),
  scale: keyed([30, [0, 0, 100], ease.out], [56, [FACE + 32, FACE + 32, 100]]),
});

/** Stars are a text: each sign pops up with a turn, over five pale ones. */
const STAR = 108;
const ROW = { x: MIDDLE - 2.5 * STAR, y: CARD.y + 186, width: 5 * STAR + 20, height: STAR } as const;
const starText = textLayer(
  'stars',
  stars,
  { font: STARS, size: STAR, leading: 1, rise: 'top', color: slotColor(accent) },
  ROW,
  {
    from: 54,
    effects: [
      {
        by: 'character',
        scale: 0,
        rotation: -90,
        release: keyed([54, -100, [0.3, 0.2, 0.3, 1]], [96, 100]),
      },
    ],
  },
);
const starShape = (index: number) => {
  const [x, y] = [ROW.x + (index + 0.5) * STAR, ROW.y + STAR / 2];
  const points = Array.from({ length: 10 }, (_, at): [number, number] => {
    const angle = (Math.PI * at) / 5 - Math.PI / 2;
    const radius = STAR * (at % 2 === 0 ? 0.44 : 0.2);
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)];
  });
  return path(still(polyline(points, true)));
};
const paleStars = shapeLayer(
  'pale stars',
  [group(...[0, 1, 2, 3, 4].map(starShape), fill(slotColor(ink), still(12)))],
  { from: 46, opacity: keyed([46, 0, ease.calm], [60, 100]) },
);

const wordsText = textLayer(
  'review',
  words,
  { font: TEXT, size: 62, leading: 1.28, tracking: -6, align: 'center', rise: 'center', color: slotColor(ink) },
  { x: CARD.x + 72, y: CARD.y + 318, width: CARD.width - 144, height: 372 },
  { from: 76, effects: [arriving('word', 78, 64, 36, { blur: 4 })] },
);

const line = (name: string, slot: TextSlot, font: string, size: number, y: number, from: number, color = ink): Layer =>
  slideIn(
    name,
    slot,
    { font, size, align: 'center', color: slotColor(color) },
    { x: CARD.x + 72, y, width: CARD.width - 144, height: size * 1.5 },
    from,
  );

const sun = dot('sun', slotColor(shade), {
  position: keyed([0, [900, 300, 0], ease.out], [60, [860, 360, 0], ease.linear], [LAST, [850, 400, 0]]),
  scale: keyed([0, [0, 0, 100], ease.out], [50, [760, 760, 100]]),
});
const hill = dot('hill', slotColor(shade), {
  position: keyed([6, [160, 1980, 0], ease.out], [66, [200, 1880, 0], ease.linear], [LAST, [220, 1860, 0]]),
  scale: keyed([6, [400, 400, 100], ease.out], [66, [1100, 1100, 100]]),
});
const orbit = shapeLayer(
  'orbit',
  [
    group(
      ellipse(still([0, 0]), still([900, 900])),
      trim(still(0), keyed([20, 0, ease.out], [90, 64])),
      stroke(slotColor(card), 4),
    ),
  ],
  { from: 20, position: still([860, 380]), rotation: keyed([20, 60, ease.calm], [LAST, 120]) },
);

/** A customer's review, 1080 × 1920, eight seconds: stars that pop up in turn, the words, and a face. */
export const review: DocumentParts = {
  name: 'Review',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Rubik', style: 'SemiBold' },
    { name: TEXT, family: 'Rubik', style: 'Regular' },
    { name: STARS, family: 'Review Stars', style: 'Regular' },
  ],
  colors: [field, card, ink, accent, shade],
  images: [portrait],
  compositions: [face.scene],
  layers: [
    slideIn(
      'heading',
      heading,
      { font: BOLD, size: 76, tracking: -14, align: 'center', color: slotColor(ink) },
      { x: 84, y: 208, width: 912, height: 150 },
      4,
    ),
    face.layer,
    faceRing,
    starText,
    paleStars,
    wordsText,
    hairline('rule', [MIDDLE - 60, MIDDLE + 60], CARD.y + 722, slotColor(accent), 100, { from: 112, over: 30 }),
    line('guest', guest, BOLD, 50, CARD.y + 750, 116),
    line('origin', origin, TEXT, 40, CARD.y + 826, 124),
    cardShape,
    line('brand', brand, BOLD, 52, 1580, 130),
    orbit,
    sun,
    hill,
    ground(slotColor(field), SIZE),
  ],
};
