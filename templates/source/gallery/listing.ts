import { type ColorSlot, type DocumentParts, type ImageSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { arriving, ground, hairline } from '../kit/presets.ts';
import { fill, group, rectangle } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';
import { framed, panel, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1350 } as const;
const MARGIN = 72;
const LAST = 300;

const paper: ColorSlot = { key: 'c_01', example: '#FAF6EF' };
const ink: ColorSlot = { key: 'c_02', example: '#1C2A33' };
const accent: ColorSlot = { key: 'c_03', example: '#B5532A' };
const light: ColorSlot = { key: 'c_04', example: '#FFFFFF' };

const kicker: TextSlot = { key: 't_01', example: 'For sale' };
const title: TextSlot = { key: 't_02', example: 'A house above the bay' };
const place: TextSlot = { key: 't_03', example: 'Kardamyli, Messinia' };
const price: TextSlot = { key: 't_04', example: '€ 685,000' };
const FACTS = [
  ['3', 'bedrooms'],
  ['2', 'bathrooms'],
  ['164 m²', 'living area'],
] as const;
const contact: TextSlot = { key: 't_11', example: 'Viewings: +30 27210 55 000' };

const SERIF = 'Literata-Medium';
const TEXT = 'Commissioner-Medium';

/** The pictures follow each other in the upper part; the sheet lies over their lower edge. */
const VIEW = { x: 0, y: 0, width: 1080, height: 760 } as const;
const SHEET = 720;
const CUTS = [0, 104, 200] as const;
const images: readonly ImageSlot[] = CUTS.map((_, index) => {
  return { id: `photo ${index + 1}`, file: `photo-${index + 1}.jpg`, width: 1080, height: 760 };
});
const views = images.map((image, index) =>
  framed(`photo ${index + 1}`, image, VIEW, 0, {
    from: CUTS[index]!,
    over: index === 0 ? 44 : 30,
    to: LAST,
    opens: index === 0 ? 'up' : index === 1 ? 'left' : 'right',
    zoom: [122, 108, 100.5],
    ...(index === 0 && { curve: ease.out }),
    ...(index < 2 && { last: CUTS[index + 1]! + 31 }),
  }),
);

/** A mark for each picture, which fills while the picture is shown. */
const marks = CUTS.flatMap((cut, index): Layer[] => {
  const width = 88;
  const x = SIZE.width - MARGIN - (3 - index) * (width + 12) + 12;
  const bar = (name: string, percent: number, grows: boolean) =>
    shapeLayer(
      name,
      [
        group(
          rectangle(
            grows
              ? keyed([cut + 10, [x, 664], ease.linear], [(CUTS[index + 1] ?? LAST - 20) + 10, [x + width / 2, 664]])
              : still([x + width / 2, 664]),
            grows
              ? keyed([cut + 10, [0, 8], ease.linear], [(CUTS[index + 1] ?? LAST - 20) + 10, [width, 8]])
              : still([width, 8]),
            still(4),
          ),
          fill(slotColor(light), still(percent)),
        ),
      ],
      { from: grows ? cut + 10 : 40 },
    );
  return [bar(`mark ${index + 1}`, 100, true), bar(`mark ground ${index + 1}`, 40, false)];
});

const sheet = shapeLayer(
  'sheet',
  [group(rectangle(still([540, SHEET + 360]), still([1080, 720]), still(48)), fill(slotColor(paper)))],
  { position: keyed([6, [0, 640, 0], ease.out], [48, [0, 0, 0]]) },
);

const wide = SIZE.width - 2 * MARGIN;
const tagMove = keyed<readonly number[]>([30, [-360, 0, 0], ease.out], [62, [0, 0, 0]]);
const tag = panel('tag', slotColor(accent), { x: -40, y: 92, width: 400, height: 84 }, 42, {
  from: 30,
  position: tagMove,
});
const tagText = textLayer(
  'kicker',
  kicker,
  { font: TEXT, size: 44, rise: 'center', color: slotColor(light) },
  { x: MARGIN, y: 100, width: 250, height: 68 },
  { from: 30, position: tagMove },
);

const titleText = textLayer(
  'title',
  title,
  { font: SERIF, size: 76, leading: 1.06, tracking: -18, rise: 'center', color: slotColor(ink) },
  { x: MARGIN - 2, y: 758, width: wide, height: 178 },
  { from: 30, effects: [arriving('word', 32, 40, 54, { blur: 4 })] },
);
const style = (font: string, size: number, color: ColorSlot): TextStyle => ({ font, size, color: slotColor(color) });

const COLUMN = (wide - 48) / 3;
const facts = FACTS.flatMap(([figure, label], index): Layer[] => {
  const x = MARGIN + index * (COLUMN + 24);
  const from = 50 + 5 * index;
  const number = (offset: number) => `t_${String(5 + 2 * index + offset).padStart(2, '0')}`;
  return [
    slideIn(
      `figure ${index + 1}`,
      { key: number(0), example: figure },
      { ...style(SERIF, 66, ink), tracking: -12 },
      { x, y: 1086, width: COLUMN, height: 84 },
      from,
    ),
    slideIn(
      `label ${index + 1}`,
      { key: number(1), example: label },
      style(TEXT, 40, ink),
      { x, y: 1164, width: COLUMN, height: 58 },
      from + 5,
    ),
  ];
});

/** A home for sale or to let, 1080 × 1350, ten seconds: three pictures above a sheet with the facts. */
export const listing: DocumentParts = {
  name: 'Listing',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: SERIF, family: 'Literata', style: 'Medium' },
    { name: TEXT, family: 'Commissioner', style: 'Medium' },
  ],
  colors: [paper, ink, accent, light],
  images,
  compositions: views.map(({ scene }) => scene),
  layers: [
    tagText,
    tag,
    titleText,
    slideIn('place', place, style(TEXT, 44, ink), { x: MARGIN, y: 948, width: wide * 0.5, height: 92 }, 44),
    slideIn(
      'price',
      price,
      { ...style(SERIF, 68, accent), align: 'right', tracking: -14 },
      { x: MARGIN + wide * 0.52, y: 948, width: wide * 0.48, height: 92 },
      52,
    ),
    hairline('rule', [MARGIN, SIZE.width - MARGIN], 1062, slotColor(ink), 30, { from: 54, over: 44 }),
    ...facts,
    slideIn('contact', contact, style(TEXT, 44, accent), { x: MARGIN, y: 1254, width: wide, height: 66 }, 66),
    sheet,
    ...marks,
    ...views.map(({ layer }) => layer).reverse(),
    ground(slotColor(paper), SIZE),
  ],
};
