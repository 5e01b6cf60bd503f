import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, ground, growingButton } from '../kit/presets.ts';
import { type Box, fill, group, path, polyline, rectangle, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { framed, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1350 } as const;
const MARGIN = 72;
const WIDE = SIZE.width - 2 * MARGIN;
const LAST = 240;

const field: ColorSlot = { key: 'c_01', example: '#0C4A3A' };
const band: ColorSlot = { key: 'c_02', example: '#FFB3CF' };
const onBand: ColorSlot = { key: 'c_03', example: '#0C2F26' };
const text: ColorSlot = { key: 'c_04', example: '#FFF7EC' };
const accent: ColorSlot = { key: 'c_05', example: '#FFD34E' };

const photo: ImageSlot = { id: 'photo', file: 'photo.jpg', width: 1080, height: 640 };

const call: TextSlot = { key: 't_01', example: 'We are hiring' };
const role: TextSlot = { key: 't_02', example: 'Lighting designer' };
const FACTS = ['Copenhagen', 'Full time', 'from € 58,000'] as const;
const about: TextSlot = { key: 't_06', example: 'Draw lamps that people keep for life, in a team of nine.' };
const action: TextSlot = { key: 't_07', example: 'Apply by 31 January' };

const BOLD = 'Mukta-ExtraBold';
const MEDIUM = 'Mukta-Medium';

const VIEW: Box = { x: 0, y: 0, width: 1080, height: 560 };
const view = framed('photo', photo, VIEW, 0, {
  from: 0,
  over: 36,
  to: LAST,
  opens: 'down',
  zoom: [130, 108, 101],
  curve: ease.out,
});

/** A slanted band that runs in across the photo's edge, with the call between two turning diamonds. */
const BAND = { x: 540, y: 560, height: 136, turn: -3.5 } as const;
const BAND_FROM = 14;
const bandTurn = keyed([BAND_FROM, 6, ease.out], [BAND_FROM + 40, BAND.turn, ease.linear], [LAST, BAND.turn + 0.8]);
const bandMove = (late: number) =>
  keyed<readonly number[]>(
    [BAND_FROM + late, [-780 + 20 * late, BAND.y, 0], ease.out],
    [BAND_FROM + late + 38, [BAND.x, BAND.y, 0]],
  );
const bandShape = shapeLayer(
  'band',
  [group(rectangle(still([0, 0]), still([1340, BAND.height])), fill(slotColor(band)))],
  { from: BAND_FROM, position: bandMove(0), rotation: bandTurn },
);
const callText = textLayer(
  'call',
  call,
  { font: BOLD, size: 84, tracking: -8, align: 'center', rise: 'center', color: slotColor(onBand) },
  { x: -370, y: -60, width: 740, height: 120 },
  { from: BAND_FROM + 6, position: bandMove(6), rotation: bandTurn },
);
const diamond = path(
  still(
    polyline(
      [
        [0, -26],
        [26, 0],
        [0, 26],
        [-26, 0],
      ],
      true,
    ),
  ),
);
const gems = [-1, 1].map((side): Layer => {
  const slope = Math.tan((BAND.turn * Math.PI) / 180);
  const from = BAND_FROM + 26;
  return shapeLayer(`gem ${side}`, [group(diamond, fill(slotColor(onBand)))], {
    from,
    position: still([BAND.x + side * 436, BAND.y + side * 436 * slope]),
    rotation: keyed([from, -180 * side, ease.out], [from + 50, 0, ease.calm], [LAST, 180 * side]),
    scale: keyed<readonly number[]>([from, [0, 0, 100], ease.out], [from + 30, [100, 100, 100]]),
  });
});

const roleText = textLayer(
  'role',
  role,
  { font: BOLD, size: 124, leading: 1, tracking: -24, rise: 'center', color: slotColor(text) },
  { x: MARGIN - 4, y: 664, width: WIDE, height: 236 },
  { from: 34, effects: [arriving('character', 34, 50, 110, { blur: 4 })] },
);

const GAP = 20;
const CHIP_WIDTH = (WIDE - 2 * GAP) / 3;
const chips = FACTS.flatMap((fact, index): Layer[] => {
  const box: Box = { x: MARGIN + index * (CHIP_WIDTH + GAP), y: 922, width: CHIP_WIDTH, height: 84 };
  const from = 58 + 6 * index;
  const outline = shapeLayer(
    `chip ${index + 1}`,
    [
      group(
        rectangle(
          still([box.x + box.width / 2, box.y + box.height / 2]),
          still([box.width - 4, box.height - 4]),
          still(42),
        ),
        trim(still(0), keyed([from, 0, ease.inOut], [from + 36, 100])),
        stroke(slotColor(accent), 4),
      ),
    ],
    { from },
  );
  const words = slideIn(
    `fact ${index + 1}`,
    { key: `t_0${3 + index}`, example: fact },
    { font: MEDIUM, size: 40, align: 'center', color: slotColor(accent) },
    { x: box.x + 24, y: box.y + 14, width: box.width - 48, height: box.height - 20 },
    from + 14,
  );
  return [words, outline];
});

const BUTTON: Box = { x: MARGIN, y: 1190, width: WIDE, height: 104 };
const button = growingButton(slotColor(accent), BUTTON, { from: 84, dotted: 98, stretch: 92, stretched: 122 });
const ARROW = { x: BUTTON.x + BUTTON.width - 74, y: BUTTON.y + BUTTON.height / 2 } as const;
const arrow = shapeLayer(
  'arrow',
  [
    group(
      path(
        still(
          polyline([
            [-26, 0],
            [24, 0],
          ]),
        ),
      ),
      path(
        still(
          polyline([
            [6, -18],
            [24, 0],
            [6, 18],
          ]),
        ),
      ),
      stroke(slotColor(onBand), 6),
    ),
  ],
  {
    from: 114,
    opacity: keyed([114, 0, ease.calm], [126, 100]),
    position: keyed<readonly number[]>(
      [114, [ARROW.x - 60, ARROW.y, 0], ease.out],
      [140, [ARROW.x, ARROW.y, 0], ease.calm],
      [170, [ARROW.x + 12, ARROW.y, 0], ease.calm],
      [200, [ARROW.x, ARROW.y, 0], ease.calm],
      [LAST, [ARROW.x + 12, ARROW.y, 0]],
    ),
  },
);

/** An open position, 1080 × 1350, eight seconds: a photo, a slanted band, the position with three facts, and a button. */
export const jobOffer: DocumentParts = {
  name: 'Job offer',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Mukta', style: 'ExtraBold' },
    { name: MEDIUM, family: 'Mukta', style: 'Medium' },
  ],
  colors: [field, band, onBand, text, accent],
  images: [photo],
  compositions: [view.scene],
  layers: [
    arrow,
    slideIn(
      'action',
      action,
      { font: BOLD, size: 50, color: slotColor(onBand) },
      { x: BUTTON.x + 52, y: BUTTON.y + 15, width: BUTTON.width - 200, height: BUTTON.height - 20 },
      104,
    ),
    button,
    slideIn(
      'about',
      about,
      { font: MEDIUM, size: 42, leading: 1.25, color: slotColor(text) },
      { x: MARGIN, y: 1030, width: WIDE, height: 138 },
      74,
    ),
    ...chips,
    roleText,
    ...gems,
    callText,
    bandShape,
    view.layer,
    ground(slotColor(field), SIZE),
  ],
};
