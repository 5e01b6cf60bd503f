import { type ColorSlot, type DocumentParts, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { ground, hairline } from '../kit/presets.ts';
import { type Box, fill, group, rectangle } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';
import { figureFonts, rolling, slideIn } from './parts.ts';

const SIZE = { width: 1920, height: 1080 } as const;
const MARGIN = 112;
const LAST = 240;

const field: ColorSlot = { key: 'c_01', example: '#12183A' };
const bars: ColorSlot = { key: 'c_02', example: '#5468E8' };
const accent: ColorSlot = { key: 'c_03', example: '#FFC94A' };
const text: ColorSlot = { key: 'c_04', example: '#F4F2EA' };

const kicker: TextSlot = { key: 't_01', example: 'Week 47' };
const title: TextSlot = { key: 't_02', example: 'Orders, day by day' };
const total: TextSlot = { key: 't_03', example: '12,480' };
const change: TextSlot = { key: 't_04', example: '+18 % on the week before' };
const second: TextSlot = { key: 't_05', example: '€ 64.20' };
const secondLabel: TextSlot = { key: 't_06', example: 'average order' };
const third: TextSlot = { key: 't_07', example: '4.8' };
const thirdLabel: TextSlot = { key: 't_08', example: 'customer rating' };
const values: TextSlot = { key: 't_09', example: '46 58 51 72 64 100 83' };
const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

const BOLD = 'Archivo-Bold';
const MEDIUM = 'Archivo-Medium';
const FIGURES = 'ArchivoFigures';
const BARS = 'WeekBars';
const BARS_TOP = 'WeekBarsTop';

/** The bars are a text in a font whose numbers are bars: their height is the font's size. */
const HEIGHT = 580;
const BAR = 0.19 * HEIGHT;
const STEP = 0.252 * HEIGHT;
const CHART: Box = { x: SIZE.width - MARGIN - 7 * STEP + (STEP - BAR), y: 244, width: 7 * STEP + 40, height: HEIGHT };
const BASE = CHART.y + HEIGHT;
const BARS_FROM = 22;

const chart = (name: string, font: string, color: ColorSlot): Layer =>
  textLayer(name, values, { font, size: HEIGHT, leading: 1, rise: 'top', color: slotColor(color) }, CHART, {
    from: BARS_FROM,
    clip: { ...CHART, width: CHART.width + 20 },
    effects: [
      {
        by: 'character',
        shift: [0, HEIGHT + 20],
        release: keyed([BARS_FROM, -100, [0.25, 0.3, 0.2, 1]], [BARS_FROM + 76, 100]),
      },
    ],
  });

const days = DAYS.map((day, index) => {
  const slot: TextSlot = { key: `t_${10 + index}`, example: day };
  const box = { x: CHART.x + index * STEP - (STEP - BAR) / 2 + 6, y: BASE + 24, width: STEP - 12, height: 66 };
  const style: TextStyle = { font: MEDIUM, size: 42, align: 'center', color: slotColor(text) };
  return slideIn(`day ${index + 1}`, slot, style, box, BARS_FROM + 12 + 5 * index);
});

const grid = [0, 0.25, 0.5, 0.75, 1].map((share, index) =>
  hairline(
    `grid ${index}`,
    [CHART.x - 24, CHART.x + 6 * STEP + BAR + 24],
    BASE - share * HEIGHT,
    slotColor(text),
    index === 0 ? 60 : 16,
    { from: 12 + 4 * index, over: 50 },
  ),
);

const LEFT = 636;
const totalText = rolling(
  'total',
  total,
  { font: FIGURES, size: 198, tracking: -14, color: slotColor(text) },
  { x: MARGIN - 8, y: 318, width: LEFT, height: 226 },
  { from: 8, over: 72 },
);

/** The change on a plate with an edge in the accent colour. */
const CHANGE: Box = { x: MARGIN, y: 566, width: 600, height: 84 };
const changeBar = shapeLayer(
  'change mark',
  [
    group(
      rectangle(
        still([CHANGE.x + 5, CHANGE.y + CHANGE.height / 2]),
        keyed([58, [10, 0], ease.out], [88, [10, CHANGE.height]]),
        still(5),
      ),
      fill(slotColor(accent)),
    ),
  ],
  { from: 58 },
);

/** The two smaller figures have columns with a line between them. */
const GAP = 44;
const COLUMN = (LEFT - GAP) / 2;
const divider = shapeLayer(
  'divider',
  [
    group(
      rectangle(
        keyed([84, [MARGIN + LEFT / 2, 764], ease.out], [116, [MARGIN + LEFT / 2, 830]]),
        keyed([84, [3, 0], ease.out], [116, [3, 132]]),
        still(1.5),
      ),
      fill(slotColor(text), still(30)),
    ),
  ],
  { from: 84 },
);

const small = (name: string, figure: TextSlot, label: TextSlot, x: number, from: number): Layer[] => [
  ...rolling(
    name,
    figure,
    { font: FIGURES, size: 80, tracking: -10, color: slotColor(accent) },
    { x, y: 752, width: COLUMN, height: 92 },
    { from, over: 56 },
  ),
  slideIn(
    `${name} label`,
    label,
    { font: MEDIUM, size: 37, leading: 1.1, rise: 'top', color: slotColor(text) },
    { x, y: 858, width: COLUMN, height: 96 },
    from + 12,
  ),
];

/**
 * The figures of a week, 1920 × 1080, eight seconds: counters that roll, and seven bars that rise, all of them from texts. The
 * bar of 100 is marked.
 */
export const weeklyNumbers: DocumentParts = {
  name: 'Weekly numbers',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Archivo', style: 'Bold' },
    { name: MEDIUM, family: 'Archivo', style: 'Medium' },
    { name: BARS, family: 'Week Bars', style: 'Regular' },
    { name: BARS_TOP, family: 'Week Bars Top', style: 'Regular' },
    ...figureFonts(FIGURES, 'Archivo'),
  ],
  colors: [field, bars, accent, text],
  images: [],
  compositions: [],
  layers: [
    slideIn(
      'kicker',
      kicker,
      { font: BOLD, size: 44, color: slotColor(accent) },
      { x: MARGIN, y: 142, width: LEFT, height: 64 },
      4,
    ),
    slideIn(
      'title',
      title,
      { font: BOLD, size: 68, tracking: -14, color: slotColor(text) },
      { x: MARGIN, y: 206, width: LEFT, height: 96 },
      10,
    ),
    ...totalText,
    changeBar,
    slideIn(
      'change',
      change,
      { font: BOLD, size: 44, color: slotColor(text) },
      { x: CHANGE.x + 34, y: CHANGE.y, width: LEFT - 34, height: CHANGE.height },
      64,
    ),
    ...small('second', second, secondLabel, MARGIN, 80),
    ...small('third', third, thirdLabel, MARGIN + COLUMN + GAP, 90),
    divider,
    chart('largest', BARS_TOP, accent),
    chart('bars', BARS, bars),
    ...days,
    ...grid,
    ground(slotColor(field), SIZE),
  ],
};
