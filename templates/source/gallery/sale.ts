import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, dot, ground } from '../kit/presets.ts';
import { fill, group, path, polyline, rectangle, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { figureFonts, framed, rolling, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1350 } as const;
const MIDDLE = 540;
const LAST = 210;

const field: ColorSlot = { key: 'c_01', example: '#FF6A3D' };
const rays: ColorSlot = { key: 'c_02', example: '#FF7F4F' };
const ink: ColorSlot = { key: 'c_03', example: '#2B0F2E' };
const badge: ColorSlot = { key: 'c_04', example: '#FFE45C' };
const light: ColorSlot = { key: 'c_05', example: '#FFF6EA' };

const photo: ImageSlot = { id: 'product', file: 'product.jpg', width: 720, height: 720 };

const title: TextSlot = { key: 't_01', example: 'End of summer sale' };
const percent: TextSlot = { key: 't_02', example: '−40%' };
const before: TextSlot = { key: 't_03', example: '€ 189' };
const price: TextSlot = { key: 't_04', example: '€ 113' };
const product: TextSlot = { key: 't_05', example: 'Dune, the table lamp' };
const deadline: TextSlot = { key: 't_06', example: 'Until Sunday, 31 August' };

const BOLD = 'Rubik-Bold';
const MEDIUM = 'Rubik-Medium';
const FIGURES = 'RubikFigures';

/** Rays from the picture's centre that turn slowly. */
const CENTER = { x: MIDDLE, y: 800 } as const;
const COUNT = 14;
const wedge = (index: number) => {
  const angle = (turn: number) => (2 * Math.PI * turn) / (2 * COUNT);
  const at = (turn: number): [number, number] => [1300 * Math.cos(angle(turn)), 1300 * Math.sin(angle(turn))];
  return path(still(polyline([[0, 0], at(2 * index), at(2 * index + 1)], true)));
};
const burst = shapeLayer(
  'rays',
  [group(...Array.from({ length: COUNT }, (_, index) => wedge(index)), fill(slotColor(rays)))],
  {
    position: still([CENTER.x, CENTER.y]),
    scale: keyed([0, [0, 0, 100], ease.out], [40, [100, 100, 100]]),
    rotation: keyed([0, -24, ease.out], [60, 0, ease.linear], [LAST, 14]),
  },
);

const DISC = 620;
const disc = dot('disc', slotColor(light), {
  position: keyed([4, [CENTER.x, CENTER.y, 0]], [5, [CENTER.x, CENTER.y, 0]]),
  scale: keyed([4, [0, 0, 100], ease.out], [32, [DISC + 28, DISC + 28, 100]]),
});
const picture = framed(
  'product',
  photo,
  { x: CENTER.x - DISC / 2, y: CENTER.y - DISC / 2, width: DISC, height: DISC },
  DISC / 2,
  { from: 12, over: 34, to: LAST, opens: 'middle', zoom: [134, 106, 101], curve: ease.out },
);

const percentText = rolling(
  'percent',
  percent,
  { font: FIGURES, size: 376, tracking: -16, align: 'center', color: slotColor(ink) },
  { x: 50, y: 178, width: 980, height: 372 },
  { from: 16, over: 54 },
);

/** The old price on a tag that a stroke goes through. */
const TAG = { x: 254, y: 1062 } as const;
const tagMove = {
  position: keyed<readonly number[]>([52, [TAG.x - 70, TAG.y, 0], ease.out], [84, [TAG.x, TAG.y, 0]]),
  rotation: keyed([52, -16, ease.out], [90, -6]),
};
const tag = shapeLayer('tag', [group(rectangle(still([0, 0]), still([292, 100]), still(50)), fill(slotColor(ink)))], {
  from: 52,
  ...tagMove,
  scale: keyed([52, [0, 0, 100], ease.out], [76, [100, 100, 100]]),
});
const tagText = textLayer(
  'old price',
  before,
  { font: MEDIUM, size: 56, align: 'center', rise: 'center', color: slotColor(light) },
  { x: -124, y: -40, width: 248, height: 80 },
  { from: 60, ...tagMove, effects: [arriving('character', 60, 24, 30, { blur: 0 })] },
);
const strike = shapeLayer(
  'strike',
  [
    group(
      path(
        still(
          polyline([
            [-128, 18],
            [128, -18],
          ]),
        ),
      ),
      trim(still(0), keyed([92, 0, ease.inOut], [108, 100])),
      stroke(slotColor(field), 9),
    ),
  ],
  { from: 92, ...tagMove },
);

/** The new price on a round badge that swings in. */
const BADGE = { x: 806, y: 1006, size: 300 } as const;
const badgeMove = {
  position: keyed<readonly number[]>([72, [BADGE.x + 60, BADGE.y + 60, 0], ease.out], [104, [BADGE.x, BADGE.y, 0]]),
  rotation: keyed<number>(
    [72, 60, [0.2, 0.9, 0.3, 1]],
    [100, 4, ease.calm],
    [118, 9, ease.calm],
    [160, 7, ease.calm],
    [LAST, 10],
  ),
};
const POINTS = 18;
const scallop = polyline(
  Array.from({ length: 2 * POINTS }, (_, index): [number, number] => {
    const angle = (Math.PI * index) / POINTS;
    const radius = (BADGE.size / 2) * (index % 2 === 0 ? 1 : 0.9);
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }),
  true,
);
const badgeShape = shapeLayer(
  'badge',
  [group(path(still(scallop)), fill(slotColor(badge)), stroke(slotColor(badge), 14))],
  {
    from: 72,
    ...badgeMove,
    scale: keyed<readonly number[]>(
      [72, [0, 0, 100], [0.2, 1.1, 0.4, 1]],
      [98, [106, 106, 100], ease.calm],
      [114, [100, 100, 100]],
    ),
  },
);
const priceText = textLayer(
  'price',
  price,
  { font: BOLD, size: 96, leading: 1, tracking: -12, align: 'center', rise: 'center', color: slotColor(ink) },
  // As high as a single line, so that a long price shrinks and does not wrap.
  { x: -132, y: -48, width: 264, height: 96 },
  { from: 84, ...badgeMove, effects: [arriving('character', 84, 28, 40, { blur: 0 })] },
);

const line = (
  name: string,
  slot: TextSlot,
  font: string,
  size: number,
  y: number,
  height: number,
  from: number,
): Layer =>
  slideIn(name, slot, { font, size, align: 'center', color: slotColor(ink) }, { x: 80, y, width: 920, height }, from);

/**
 * An offer, 1080 × 1350, seven seconds: the discount rolls in, the product opens on turning rays, and the old price makes room
 * for the new price.
 */
export const sale: DocumentParts = {
  name: 'Sale',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Rubik', style: 'Bold' },
    { name: MEDIUM, family: 'Rubik', style: 'Medium' },
    ...figureFonts(FIGURES, 'Rubik'),
  ],
  colors: [field, rays, ink, badge, light],
  images: [photo],
  compositions: [picture.scene],
  layers: [
    line('title', title, BOLD, 58, 92, 86, 10),
    strike,
    tagText,
    tag,
    priceText,
    badgeShape,
    ...percentText,
    picture.layer,
    disc,
    line('product name', product, BOLD, 52, 1160, 76, 62),
    line('deadline', deadline, MEDIUM, 38, 1238, 60, 70),
    burst,
    ground(slotColor(field), SIZE),
  ],
};
