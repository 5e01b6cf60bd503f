import {
  type ColorSlot,
  type DocumentParts,
  type ImageSlot,
  lottieDocument,
  serialized,
  slotColor,
} from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { shapeLayer } from '../kit/layers.ts';
import { dot, ground } from '../kit/presets.ts';
import { ellipse, fill, group, rectangle, stroke, trim } from '../kit/shapes.ts';
import type { TextSlot } from '../kit/text.ts';
import { framed, slideIn } from './parts.ts';

// The scenes of the campaign, in the colours and fonts of the end card.

const SIZE = { width: 1920, height: 1080 } as const;
const BOLD = 'Cairo-Bold';
const TEXT = 'Cairo-SemiBold';
const fonts = [
  { name: BOLD, family: 'Cairo', style: 'Bold' },
  { name: TEXT, family: 'Cairo', style: 'SemiBold' },
];

const paper: ColorSlot = { key: 'c_01', example: '#F6EDDF' };
const ink: ColorSlot = { key: 'c_02', example: '#24324A' };
const accent: ColorSlot = { key: 'c_03', example: '#E2672F' };

const SUN = { x: 1480, y: 540, size: 560 } as const;
const sun = dot('sun', slotColor(accent), {
  position: keyed<readonly number[]>([0, [SUN.x, 1400, 0], ease.out], [48, [SUN.x, SUN.y, 0]]),
  scale: still([SUN.size, SUN.size, 100]),
});
const orbit = shapeLayer(
  'orbit',
  [
    group(
      ellipse(still([0, 0]), still([SUN.size + 180, SUN.size + 180])),
      trim(still(0), keyed([16, 0, ease.inOut], [64, 76])),
      stroke(slotColor(ink), 4),
    ),
  ],
  { from: 16, position: still([SUN.x, SUN.y]), rotation: keyed([16, -140, ease.out], [70, -60]) },
);

/** The beginning of a campaign, 1920 × 1080, three seconds: a sun rises beside a title. At rest from 2.4 s on. */
const title: DocumentParts = {
  name: 'Campaign title',
  ...SIZE,
  fps: 30,
  frameCount: 90,
  fonts,
  colors: [paper, ink, accent],
  images: [],
  compositions: [],
  layers: [
    slideIn(
      'title',
      { key: 't_01', example: 'Spring at Olune' },
      { font: BOLD, size: 136, leading: 1.05, color: slotColor(ink) },
      { x: 140, y: 330, width: 900, height: 300 },
      10,
    ),
    slideIn(
      'line',
      { key: 't_02', example: 'Light for longer evenings' },
      { font: TEXT, size: 56, color: slotColor(ink) },
      { x: 140, y: 650, width: 900, height: 90 },
      20,
    ),
    orbit,
    sun,
    ground(slotColor(paper), SIZE),
  ],
};

/** Darker, for the price on it. */
const tag: ColorSlot = { key: 'c_03', example: '#B84A18' };

const photo: ImageSlot = { id: 'product', file: 'product.jpg', width: 900, height: 900 };
const picture = framed('product', photo, { x: 0, y: 0, width: 960, height: 1080 }, 0, {
  from: 0,
  over: 26,
  to: 120,
  opens: 'up',
  curve: ease.out,
});
const COLUMN = { x: 1080, width: 720 } as const;
const PILL = { y: 690, width: 360, height: 120 } as const;
const pill = shapeLayer(
  'pill',
  [
    group(
      rectangle(
        keyed<readonly number[]>(
          [24, [COLUMN.x, PILL.y + PILL.height / 2], ease.out],
          [46, [COLUMN.x + PILL.width / 2, PILL.y + PILL.height / 2]],
        ),
        keyed<readonly number[]>([24, [0, PILL.height], ease.out], [46, [PILL.width, PILL.height]]),
        still(PILL.height / 2),
      ),
      fill(slotColor(tag)),
    ),
  ],
  { from: 24 },
);
const price: TextSlot = { key: 't_02', example: '€ 189' };

/** A product, 1920 × 1080, four seconds: its picture opens beside its name, a line about it and its price. */
const product: DocumentParts = {
  name: 'Campaign product',
  ...SIZE,
  fps: 30,
  frameCount: 120,
  fonts,
  colors: [paper, ink, tag],
  images: [photo],
  compositions: [picture.scene],
  layers: [
    slideIn(
      'name',
      { key: 't_01', example: 'Dune' },
      { font: BOLD, size: 148, color: slotColor(ink) },
      { ...COLUMN, y: 300, height: 190 },
      10,
    ),
    slideIn(
      'line',
      { key: 't_03', example: 'A lamp like a warm stone' },
      { font: TEXT, size: 52, leading: 1.25, color: slotColor(ink) },
      { ...COLUMN, y: 500, height: 140 },
      18,
    ),
    slideIn(
      'price',
      price,
      { font: BOLD, size: 64, align: 'center', color: slotColor(paper) },
      { x: COLUMN.x + 20, y: PILL.y + 20, width: PILL.width - 40, height: 92 },
      34,
    ),
    pill,
    picture.layer,
    ground(slotColor(paper), SIZE),
  ],
};

/** The text of `animation.json` of the scenes of the campaign, by folder in `gallery/campaign/`. */
export const campaignAnimations: Readonly<Record<string, string>> = {
  title: serialized(lottieDocument(title)),
  product: serialized(lottieDocument(product)),
};
