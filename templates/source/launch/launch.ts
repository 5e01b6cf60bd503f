import { type DocumentParts, slotColor } from '../kit/document.ts';
import { still } from '../kit/keyframes.ts';
import { shapeLayer } from '../kit/layers.ts';
import { fill, group, rectangle } from '../kit/shapes.ts';
import {
  accent,
  background,
  DISPLAY,
  detail,
  HEIGHT,
  hero,
  ink,
  LAST,
  light,
  logo,
  SWEEP,
  second,
  TEXT,
  WIDTH,
} from './brief.ts';
import { card, moonScene } from './card.ts';
import { logoPlace } from './logo.ts';
import { disc, featureMark, featureRings, openingRings } from './marks.ts';
import { detailImage, detailScene, front, heroImages, heroScene, seam, secondGround } from './window.ts';
import { features, headlineText, sublineText } from './words.ts';

const ground = shapeLayer('ground', [
  group(rectangle(still([WIDTH / 2, HEIGHT / 2]), still([WIDTH, HEIGHT])), fill(slotColor(background))),
]);

/**
 * A product launch in three scenes of about three seconds, 1920 × 1080.
 * 1 The accent disc opens into the hero image, which grows into a panel; headline and subline come in on the left.
 * 2 The panel sweeps across, hands over to the detail image and leaves room for two features.
 * 3 The accent dot floods the canvas; the end card has the offer, the call to action and the hero again, as a moon.
 * A single dot travels through all of them: it drops off the hero, marks the subline, then each feature, and becomes the button.
 */
export const launch: DocumentParts = {
  name: 'Product launch',
  width: WIDTH,
  height: HEIGHT,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: DISPLAY, family: 'Bricolage Grotesque', style: 'SemiBold' },
    { name: TEXT, family: 'Instrument Sans', style: 'Medium' },
  ],
  colors: [background, second, accent, ink, light],
  images: [hero, detail, logo],
  compositions: [heroScene, detailScene, moonScene],
  layers: [
    ...card,
    featureMark,
    ...features,
    ...featureRings,
    seam,
    detailImage,
    front,
    ...heroImages,
    disc,
    secondGround,
    ...openingRings,
    logoPlace('logo', 0, SWEEP + 30),
    headlineText,
    sublineText,
    ground,
  ],
};
