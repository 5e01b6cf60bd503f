import { type ColorSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, type Layer } from '../kit/layers.ts';
import { arriving, dot, growingButton, sliding } from '../kit/presets.ts';
import { roundedPath } from '../kit/shapes.ts';
import { textLayer } from '../kit/text.ts';
import {
  accent,
  action,
  background,
  CARD,
  DISPLAY,
  FLOOD,
  featureDot,
  hero,
  ink,
  LAST,
  light,
  MARGIN,
  offer,
  TEXT,
} from './brief.ts';
import { logoPlace } from './logo.ts';
import { ring } from './marks.ts';

// The end card, which floods the canvas from the dot.

const MOON = { x: 1415, y: 540, size: 700 } as const;

const flood = (name: string, color: ColorSlot, from: number): Layer => {
  const [x, y] = featureDot(1);
  return dot(name, slotColor(color), {
    from,
    position: still([x, y]),
    scale: keyed([from, [6, 6, 100], [0.6, 0, 0.3, 1]], [from + 24, [2500, 2500, 100]]),
  });
};

/** The moon as large as it ever is, with room for its soft edge. */
export const moonScene: Composition = {
  id: 'moon',
  width: MOON.size + 4,
  height: MOON.size + 4,
  layers: [
    imageLayer('hero moon', hero, {
      from: CARD,
      position: still([MOON.size / 2 + 2, MOON.size / 2 + 2]),
      scale: keyed([CARD, [86, 86, 100], ease.out], [LAST, [60, 60, 100]]),
    }),
  ],
};
const moonWindow = (size: number) => {
  const edge = (MOON.size - size) / 2 + 2;
  return roundedPath({ x: edge, y: edge, width: size, height: size }, size / 2);
};
const moon = compositionLayer('moon', moonScene, {
  from: CARD,
  position: still([MOON.x - MOON.size / 2 - 2, MOON.y - MOON.size / 2 - 2]),
  mask: keyed(
    [CARD + 2, moonWindow(0), ease.out],
    [CARD + 34, moonWindow(690), ease.calm],
    [LAST, moonWindow(MOON.size)],
  ),
});
const halo = dot('halo', slotColor(accent), {
  from: CARD,
  position: keyed(
    [CARD + 2, [MOON.x, MOON.y, 0], ease.out],
    [CARD + 44, [MOON.x + 92, MOON.y - 64, 0], ease.calm],
    [LAST, [MOON.x + 108, MOON.y - 78, 0]],
  ),
  scale: keyed([CARD, [0, 0, 100], ease.out], [CARD + 36, [700, 700, 100]]),
});
const cardRings = [
  ring('ring card inner', still([MOON.x, MOON.y]), 860, CARD + 8, LAST, ink, 150),
  ring('ring card outer', still([MOON.x, MOON.y]), 1040, CARD + 12, LAST, ink, 330),
];

const offerText = textLayer(
  'offer',
  offer,
  { font: DISPLAY, size: 88, leading: 1.1, tracking: -20, rise: 'bottom', color: slotColor(ink) },
  { x: MARGIN - 5, y: 330, width: 810, height: 420 },
  {
    from: CARD + 4,
    effects: [arriving('word', CARD + 6, 40, 110)],
  },
);

const BUTTON = { x: MARGIN, y: 820, width: 600, height: 112 } as const;
const button = growingButton(slotColor(accent), BUTTON, {
  from: CARD + 8,
  dotted: CARD + 24,
  stretch: CARD + 16,
  stretched: CARD + 42,
});
const actionText = textLayer(
  'action',
  action,
  { font: TEXT, size: 46, tracking: -6, align: 'center', rise: 'center', color: slotColor(light) },
  { x: BUTTON.x + 44, y: BUTTON.y + 8, width: BUTTON.width - 88, height: BUTTON.height - 16 },
  {
    from: CARD + 22,
    clip: { x: BUTTON.x + 40, y: BUTTON.y + 12, width: BUTTON.width - 80, height: BUTTON.height - 24 },
    effects: [sliding(CARD + 24, 34, 100)],
  },
);

/** Top first. */
export const card: readonly Layer[] = [
  actionText,
  button,
  offerText,
  logoPlace('logo card', CARD + 10, LAST),
  moon,
  halo,
  ...cardRings,
  flood('flood ground', background, FLOOD + 10),
  flood('flood accent', accent, FLOOD),
];
