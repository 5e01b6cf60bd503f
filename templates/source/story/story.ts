import { type DocumentParts, slotColor } from '../kit/document.ts';
import { still } from '../kit/keyframes.ts';
import { shapeLayer } from '../kit/layers.ts';
import { fill, group, rectangle } from '../kit/shapes.ts';
import { archLine, compositions, openingSun, scenes } from './arch.ts';
import {
  accent,
  HEIGHT,
  ITALIC,
  ink,
  LAST,
  logo,
  onAccent,
  onPhoto,
  paper,
  photo,
  RESTED,
  SERIF,
  TEXT,
  TIDE,
  WIDTH,
} from './brief.ts';
import { tag, tagLogo } from './tag.ts';
import { sheet, sun, sunRings, tide } from './tide.ts';
import { details, title } from './words.ts';

const ground = shapeLayer('ground', [
  group(rectangle(still([WIDTH / 2, HEIGHT / 2]), still([WIDTH, HEIGHT])), fill(slotColor(paper))),
]);

/**
 * A vertical story of seven seconds, 1080 × 1920, for an opening, an event or an offer.
 * 1 An arch on paper opens until its photo fills the canvas; kicker and headline come in over it.
 * 2 A sheet of paper rises like a tide. Where its edge crosses the headline the letters change colour; a sun comes up behind it,
 *   and the details follow.
 * The upper 180 and lower 120 pixels, which apps cover, hold nothing that has to be read.
 */
export const story: DocumentParts = {
  name: 'Story',
  width: WIDTH,
  height: HEIGHT,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: SERIF, family: 'Instrument Serif', style: 'Regular' },
    { name: ITALIC, family: 'Instrument Serif', style: 'Italic' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [paper, accent, ink, onPhoto, onAccent],
  images: [photo, logo],
  compositions,
  layers: [
    ...details,
    ...title('in ink', ink, { from: TIDE, mask: tide }),
    sheet,
    ...title('on photo', onPhoto, { from: 36, to: RESTED }),
    sun,
    ...sunRings,
    tagLogo,
    tag,
    ...scenes,
    archLine,
    openingSun,
    ground,
  ],
};
