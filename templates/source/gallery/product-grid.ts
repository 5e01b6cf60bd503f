import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, type Layer } from '../kit/layers.ts';
import { arriving, ground, growingButton, sliding } from '../kit/presets.ts';
import { type Box, roundedPath } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { panel, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1080 } as const;
const MARGIN = 56;
const GAP = 20;
const LAST = 210;

const paper: ColorSlot = { key: 'c_01', example: '#ECE7F6' };
const ink: ColorSlot = { key: 'c_02', example: '#1E1533' };
const accent: ColorSlot = { key: 'c_03', example: '#4B2BD6' };
const card: ColorSlot = { key: 'c_04', example: '#FFFFFF' };
const onAccent: ColorSlot = { key: 'c_05', example: '#FFFFFF' };

const title: TextSlot = { key: 't_01', example: 'Four lights for the dark months' };
const action: TextSlot = { key: 't_02', example: 'See all' };
const NAMES = ['Halo', 'Dune', 'Pebble', 'Tide'] as const;
const PRICES = ['€ 159', '€ 189', '€ 89', '€ 249'] as const;

const DISPLAY = 'Unbounded-SemiBold';
const TEXT = 'Onest-Medium';

const TOP = 244;
const WIDTH = (SIZE.width - 2 * MARGIN - GAP) / 2;
const TALL = 446;
const LOW = SIZE.height - MARGIN - TOP - GAP - TALL;
const PLATE = 88;

/** Two columns; the left column begins with a tall tile, the right column with a low tile. */
const BOXES: readonly Box[] = [
  { x: MARGIN, y: TOP, width: WIDTH, height: TALL },
  { x: MARGIN + WIDTH + GAP, y: TOP, width: WIDTH, height: LOW },
  { x: MARGIN, y: TOP + TALL + GAP, width: WIDTH, height: LOW },
  { x: MARGIN + WIDTH + GAP, y: TOP + LOW + GAP, width: WIDTH, height: TALL },
];

interface Tile {
  readonly scene: Composition;
  readonly layer: Layer;
  readonly image: ImageSlot;
}

/** A tile rises out of its lower edge; its picture settles after it, and then the name and the price slide in. */
const tiles = BOXES.map((box, index): Tile => {
  const from = 10 + 9 * index;
  const { width, height } = box;
  const pictureHeight = height - PLATE;
  const image: ImageSlot = {
    id: `product ${index + 1}`,
    file: `product-${index + 1}.jpg`,
    width: 600,
    height: index === 0 || index === 3 ? 480 : 320,
  };
  const name: TextSlot = { key: `t_${String(3 + 2 * index).padStart(2, '0')}`, example: NAMES[index]! };
  const price: TextSlot = { key: `t_${String(4 + 2 * index).padStart(2, '0')}`, example: PRICES[index]! };
  const cover = 100 * Math.max(width / image.width, (pictureHeight + 4) / image.height);
  const scaled = (factor: number) => [cover * factor, cover * factor, 100];
  const scene: Composition = {
    id: `tile ${index + 1}`,
    width,
    height,
    layers: [
      slideIn(
        `name ${index + 1}`,
        name,
        { font: TEXT, size: 34, tracking: -6, color: slotColor(ink) },
        { x: 28, y: pictureHeight + 16, width: width - 56 - 196, height: PLATE - 32 },
        from + 22,
      ),
      slideIn(
        `price ${index + 1}`,
        price,
        { font: DISPLAY, size: 28, align: 'right', color: slotColor(accent) },
        { x: width - 28 - 184, y: pictureHeight + 16, width: 184, height: PLATE - 32 },
        from + 28,
      ),
      panel(`plate ${index + 1}`, slotColor(card), { x: 0, y: pictureHeight, width, height: PLATE }, 0),
      imageLayer(`picture ${index + 1}`, image, {
        position: keyed(
          [from, [width / 2, pictureHeight / 2 + 60, 0], ease.out],
          [from + 60, [width / 2, pictureHeight / 2, 0]],
        ),
        scale: keyed([from, scaled(1.4), ease.out], [from + 60, scaled(1.05), ease.linear], [LAST, scaled(1.01)]),
      }),
    ],
  };
  const whole: Box = { x: 0, y: 0, width, height };
  const layer = compositionLayer(`tile ${index + 1}`, scene, {
    from,
    position: keyed([from, [box.x, box.y + 70, 0], ease.out], [from + 44, [box.x, box.y, 0]]),
    mask: keyed(
      [from, roundedPath({ ...whole, y: height - 10, height: 10 }, 32), ease.out],
      [from + 44, roundedPath(whole, 32)],
    ),
  });
  return { scene, layer, image };
});

const BUTTON: Box = { x: SIZE.width - MARGIN - 232, y: MARGIN + 40, width: 232, height: 80 };
const button = growingButton(slotColor(accent), BUTTON, { from: 60, dotted: 76, stretch: 70, stretched: 100 });
const actionText = textLayer(
  'action',
  action,
  { font: TEXT, size: 34, align: 'center', rise: 'center', color: slotColor(onAccent) },
  { x: BUTTON.x + 24, y: BUTTON.y + 10, width: BUTTON.width - 48, height: BUTTON.height - 20 },
  {
    from: 80,
    clip: { x: BUTTON.x + 16, y: BUTTON.y + 8, width: BUTTON.width - 32, height: BUTTON.height - 16 },
    effects: [sliding(82, 30, 70)],
  },
);

const titleText = textLayer(
  'title',
  title,
  { font: DISPLAY, size: 58, leading: 1.14, tracking: -24, rise: 'center', color: slotColor(ink) },
  { x: MARGIN, y: MARGIN, width: 690, height: 160 },
  { effects: [arriving('word', 2, 44, 60)] },
);

/** Four products with names and prices, 1080 × 1080, seven seconds. */
export const productGrid: DocumentParts = {
  name: 'Product grid',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: DISPLAY, family: 'Unbounded', style: 'SemiBold' },
    { name: TEXT, family: 'Onest', style: 'Medium' },
  ],
  colors: [paper, ink, accent, card, onAccent],
  images: tiles.map(({ image }) => image),
  compositions: tiles.map(({ scene }) => scene),
  layers: [titleText, actionText, button, ...tiles.map(({ layer }) => layer).reverse(), ground(slotColor(paper), SIZE)],
};
