import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { imageLayer, type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, dot, growingButton, hairline } from '../kit/presets.ts';
import { ellipse, fade, group, path, polyline, rectangle, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';
import { figureFonts, rolling, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1920 } as const;
const MARGIN = 88;
const LAST = 240;

const accent: ColorSlot = { key: 'c_01', example: '#D8FF5E' };
const ink: ColorSlot = { key: 'c_02', example: '#1A0B33' };
const light: ColorSlot = { key: 'c_03', example: '#FFF6EC' };

const photo: ImageSlot = { id: 'photo', file: 'background.jpg', width: 900, height: 1600 };

const lead: TextSlot = { key: 't_01', example: 'Only' };
const count: TextSlot = { key: 't_02', example: '12' };
const unit: TextSlot = { key: 't_03', example: 'days to go' };
const title: TextSlot = { key: 't_04', example: 'The night of a thousand lanterns' };
const date: TextSlot = { key: 't_05', example: 'Saturday 5 December, 18:00' };
const place: TextSlot = { key: 't_06', example: 'Old harbour, pier 4' };
const action: TextSlot = { key: 't_07', example: 'Get a free ticket' };

const BOLD = 'BricolageGrotesque-Bold';
const MEDIUM = 'BricolageGrotesque-Medium';
const FIGURES = 'BricolageFigures';

const DISC = { x: 540, y: 660, size: 700 } as const;
const WORDS = 62;

const background = imageLayer('photo', photo, {
  position: keyed([0, [540, 1010, 0], ease.out], [70, [540, 960, 0], ease.linear], [LAST, [540, 940, 0]]),
  scale: keyed([0, [150, 150, 100], ease.out], [70, [126, 126, 100], ease.linear], [LAST, [122, 122, 100]]),
});
const scrim = shapeLayer(
  'scrim',
  [
    group(
      rectangle(still([540, 1410]), still([SIZE.width, 1100])),
      fade([0.06, 0.02, 0.13], { at: [540, 860], alpha: 0 }, { at: [540, 1420], alpha: 0.9 }),
    ),
  ],
  { opacity: keyed([20, 40, ease.calm], [WORDS + 10, 100]) },
);

const disc = dot('disc', slotColor(accent), {
  position: keyed([4, [DISC.x, 1240, 0], ease.out], [46, [DISC.x, DISC.y, 0]]),
  scale: keyed(
    [4, [0, 0, 100], ease.out],
    [50, [DISC.size, DISC.size, 100], ease.calm],
    [LAST, [DISC.size + 16, DISC.size + 16, 100]],
  ),
});

/** Sixty ticks around the disc, which appear as a hand goes round. */
const TICKS = 60;
const ticks = Array.from({ length: TICKS }, (_, index) => {
  const angle = (2 * Math.PI * index) / TICKS - Math.PI / 2;
  const long = index % 5 === 0;
  const at = (radius: number): [number, number] => [radius * Math.cos(angle), radius * Math.sin(angle)];
  const line = path(still(polyline([at(386), at(long ? 430 : 410)])));
  const from = 30 + index;
  return group(
    line,
    trim(still(0), keyed([from, 0, ease.out], [from + 12, 100])),
    stroke(slotColor(light), long ? 7 : 4),
  );
});
const dial = shapeLayer('dial', ticks, {
  from: 30,
  position: still([DISC.x, DISC.y]),
  rotation: keyed([30, -30, ease.out], [110, 0, ease.linear], [LAST, 12]),
});
const orbit = shapeLayer(
  'orbit',
  [
    group(
      ellipse(still([0, 0]), still([960, 960])),
      trim(still(0), keyed([40, 0, ease.inOut], [120, 76])),
      stroke(slotColor(accent), 4),
    ),
  ],
  { from: 40, position: still([DISC.x, DISC.y]), rotation: keyed([40, -120, ease.calm], [LAST, -40]) },
);

const inDisc = (name: string, slot: TextSlot, y: number, size: number, from: number): Layer =>
  slideIn(
    name,
    slot,
    { font: BOLD, size, tracking: -8, align: 'center', color: slotColor(ink) },
    { x: DISC.x - 230, y, width: 460, height: 92 },
    from,
  );
const number = rolling(
  'count',
  count,
  { font: FIGURES, size: 430, tracking: -44, align: 'center', color: slotColor(ink) },
  { x: DISC.x - 300, y: 478, width: 600, height: 372 },
  { from: 22, over: 70 },
);

const titleText = textLayer(
  'title',
  title,
  { font: BOLD, size: 108, leading: 1.02, tracking: -22, rise: 'bottom', color: slotColor(light) },
  { x: MARGIN - 4, y: 1170, width: SIZE.width - 2 * MARGIN, height: 244 },
  { from: WORDS, effects: [arriving('word', WORDS, 46, 90)] },
);
const detail: TextStyle = { font: MEDIUM, size: 46, tracking: -4, color: slotColor(light) };
const wide = SIZE.width - 2 * MARGIN;

const BUTTON = { x: MARGIN, y: 1640, width: wide, height: 112 } as const;
const buttonFrom = WORDS + 34;
const button = growingButton(slotColor(accent), BUTTON, {
  from: buttonFrom,
  dotted: buttonFrom + 14,
  stretch: buttonFrom + 8,
  stretched: buttonFrom + 38,
});

/**
 * A countdown to an event, 1080 × 1920, eight seconds: the number of days rolls in on a disc, a hand draws a dial around it, and the
 * event follows. The upper 180 and lower 160 pixels hold nothing that has to be read.
 */
export const countdown: DocumentParts = {
  name: 'Countdown',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Bricolage Grotesque', style: 'Bold' },
    { name: MEDIUM, family: 'Bricolage Grotesque', style: 'Medium' },
    ...figureFonts(FIGURES, 'Bricolage Grotesque'),
  ],
  colors: [accent, ink, light],
  images: [photo],
  compositions: [],
  layers: [
    slideIn(
      'action',
      action,
      { font: BOLD, size: 50, tracking: -8, align: 'center', color: slotColor(ink) },
      { x: BUTTON.x + 48, y: BUTTON.y + 12, width: BUTTON.width - 96, height: BUTTON.height - 24 },
      buttonFrom + 30,
    ),
    button,
    slideIn('date', date, detail, { x: MARGIN, y: 1464, width: wide, height: 66 }, WORDS + 20),
    slideIn('place', place, detail, { x: MARGIN, y: 1534, width: wide, height: 66 }, WORDS + 26),
    hairline('rule', [MARGIN, SIZE.width - MARGIN], 1442, slotColor(light), 60, { from: WORDS + 12, over: 44 }),
    titleText,
    inDisc('lead', lead, 396, 64, 34),
    ...number,
    inDisc('unit', unit, 846, 64, 48),
    dial,
    orbit,
    disc,
    scrim,
    background,
  ],
};
