import { type ColorSlot, type DocumentParts, type ImageSlot, type SoundSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer, soundLayer } from '../kit/layers.ts';
import { arriving, dot, ground, hairline } from '../kit/presets.ts';
import { type Box, ellipse, fill, group, path, polyline, rectanglePath, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, textLayer } from '../kit/text.ts';
import { framed, slideIn } from './parts.ts';

const SIZE = { width: 1080, height: 1080 } as const;
const MARGIN = 76;
const LAST = 360;
const WIDE = SIZE.width - 2 * MARGIN;

const field: ColorSlot = { key: 'c_01', example: '#0F2B2E' };
const accent: ColorSlot = { key: 'c_02', example: '#FF9466' };
const text: ColorSlot = { key: 'c_03', example: '#F7F1E3' };
const quiet: ColorSlot = { key: 'c_04', example: '#4F7B7C' };

const cover: ImageSlot = { id: 'cover', file: 'cover.jpg', width: 480, height: 480 };
const episode: SoundSlot = { id: 'episode', file: 'episode.wav' };

const show: TextSlot = { key: 't_01', example: 'Slow Frequencies, 42' };
const title: TextSlot = { key: 't_02', example: 'The sound of an empty lighthouse' };
const words: TextSlot = { key: 't_03', example: '“You hear the lamp before you see it. It hums in B flat.”' };
const where: TextSlot = { key: 't_04', example: 'Wherever you listen to podcasts' };
const wave: TextSlot = { key: 't_05', example: 'wnlpjnqjrpjztlqkilgecbrrktojvmlskrumhedkhepjmzpqslqoifdc' };

const BOLD = 'Golos-SemiBold';
const TEXT = 'Golos-Medium';
const WAVE = 'Wave';

const COVER = 288;
const picture = framed('cover', cover, { x: MARGIN, y: MARGIN, width: COVER, height: COVER }, 36, {
  from: 4,
  over: 40,
  to: LAST,
  opens: 'up',
  zoom: [132, 106, 101],
  curve: ease.out,
});
const HEAD = MARGIN + COVER + 44;

/** The waveform is a text of letters; the part that was heard lies over it in the accent's colour. */
const STRIP: Box = { x: MARGIN, y: 428, width: WIDE + 8, height: 260 };
const MIDDLE = STRIP.y + STRIP.height / 2;
const strip = (height: number, width: number): Box => ({ x: STRIP.x, y: MIDDLE - height / 2, width, height });
const waveform = (name: string, color: ColorSlot, mask: Layer['mask'], from: number): Layer =>
  textLayer(name, wave, { font: WAVE, size: STRIP.height, leading: 1, rise: 'top', color: slotColor(color) }, STRIP, {
    from,
    ...(mask && { mask }),
  });
const whole = waveform(
  'waveform',
  quiet,
  keyed([12, rectanglePath(strip(0, STRIP.width)), ease.out], [52, rectanglePath(strip(STRIP.height, STRIP.width))]),
  12,
);
const heard = waveform(
  'waveform heard',
  accent,
  keyed([0, rectanglePath(strip(STRIP.height, 0)), ease.linear], [LAST, rectanglePath(strip(STRIP.height, WIDE))]),
  14,
);
const playhead = dot('playhead', slotColor(accent), {
  position: keyed(
    [0, [MARGIN, STRIP.y + STRIP.height + 26, 0], ease.linear],
    [LAST, [MARGIN + WIDE, STRIP.y + STRIP.height + 26, 0]],
  ),
  scale: keyed([10, [0, 0, 100], ease.out], [34, [22, 22, 100]]),
});

/** A disc with a triangle, which beats with the music. */
const PLAY = { x: MARGIN + 36, y: 984 } as const;
const BEAT = 18;
const beats = Array.from({ length: Math.floor((LAST - 80) / BEAT) }, (_, index) => 80 + index * BEAT);
const playDisc = dot('play disc', slotColor(accent), {
  from: 60,
  position: still([PLAY.x, PLAY.y]),
  scale: keyed<readonly number[]>(
    [60, [0, 0, 100], ease.out],
    ...beats.flatMap((beat, index): [number, readonly number[], typeof ease.out][] => [
      [beat, [72, 72, 100], ease.out],
      [beat + 4, index % 2 === 0 ? [80, 80, 100] : [75, 75, 100], ease.out],
    ]),
    [LAST, [72, 72, 100]],
  ),
});
const triangle = polyline(
  [
    [-9, -15],
    [17, 0],
    [-9, 15],
  ],
  true,
);
const playSign = shapeLayer(
  'play sign',
  [group(path(still(triangle)), fill(slotColor(field)), stroke(slotColor(field), 5))],
  {
    from: 66,
    position: still([PLAY.x, PLAY.y]),
    scale: keyed([66, [0, 0, 100], ease.out], [84, [100, 100, 100]]),
  },
);

/** Rings that widen from the upper right corner, like sound. */
const rings = [0, 1, 2].map((index) =>
  shapeLayer(
    `ring ${index + 1}`,
    [
      group(
        ellipse(still([0, 0]), still([560 + 300 * index, 560 + 300 * index])),
        trim(still(0), keyed([6 + 8 * index, 0, ease.out], [70 + 8 * index, 100])),
        stroke(slotColor(quiet), 2.5, still(64 - 18 * index)),
      ),
    ],
    {
      from: 6 + 8 * index,
      position: still([1080, 0]),
      rotation: keyed([6, 90, ease.calm], [LAST, 130]),
      scale: keyed([6, [92, 92, 100], ease.calm], [LAST, [108, 108, 100]]),
    },
  ),
);

/** A moment of a podcast, 1080 × 1080, twelve seconds: its waveform, a sentence, and the sound itself. */
export const audiogram: DocumentParts = {
  name: 'Audiogram',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Golos Text', style: 'SemiBold' },
    { name: TEXT, family: 'Golos Text', style: 'Medium' },
    { name: WAVE, family: 'Wave', style: 'Regular' },
  ],
  colors: [field, accent, text, quiet],
  images: [cover],
  sounds: [episode],
  compositions: [picture.scene],
  layers: [
    soundLayer('episode', episode),
    slideIn(
      'show',
      show,
      { font: TEXT, size: 36, color: slotColor(accent) },
      { x: HEAD, y: MARGIN + 2, width: SIZE.width - MARGIN - HEAD, height: 58 },
      14,
    ),
    textLayer(
      'title',
      title,
      { font: BOLD, size: 66, leading: 1.1, tracking: -14, rise: 'center', color: slotColor(text) },
      { x: HEAD - 2, y: MARGIN + 66, width: SIZE.width - MARGIN - HEAD, height: 224 },
      { from: 20, effects: [arriving('word', 22, 40, 44)] },
    ),
    picture.layer,
    playhead,
    heard,
    whole,
    hairline('rule', [MARGIN, SIZE.width - MARGIN], STRIP.y + STRIP.height + 26, slotColor(quiet), 100, {
      from: 20,
      over: 50,
    }),
    textLayer(
      'words',
      words,
      { font: TEXT, size: 56, leading: 1.2, tracking: -6, rise: 'center', color: slotColor(text) },
      { x: MARGIN, y: 742, width: WIDE, height: 184 },
      { from: 44, effects: [arriving('word', 46, 90, 34, { blur: 4 })] },
    ),
    playSign,
    playDisc,
    slideIn(
      'where',
      where,
      { font: TEXT, size: 36, color: slotColor(text) },
      { x: MARGIN + 96, y: 954, width: WIDE - 96, height: 60 },
      70,
    ),
    ...rings,
    ground(slotColor(field), SIZE),
  ],
};
