import { type ColorSlot, type DocumentParts, slotColor } from '../kit/document.ts';
import { between, ease, keyed, sampled, still } from '../kit/keyframes.ts';
import { type Layer, shapeLayer } from '../kit/layers.ts';
import { sliding } from '../kit/presets.ts';
import { type Box, ellipse, fill, group, rectangle, rectanglePath, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';

const SIZE = { width: 1920, height: 1080 } as const;
const LAST = 180;
/** From here on everything leaves the way it came. */
const LEAVE = 150;

const plate: ColorSlot = { key: 'c_01', example: '#14213D' };
const accent: ColorSlot = { key: 'c_02', example: '#FCA311' };
const light: ColorSlot = { key: 'c_03', example: '#FFFFFF' };
const onAccent: ColorSlot = { key: 'c_04', example: '#14213D' };

const name: TextSlot = { key: 't_01', example: 'Dr. Amara Okafor' };
const role: TextSlot = { key: 't_02', example: 'Marine biologist, Lagos Institute' };
const topic: TextSlot = { key: 't_03', example: 'Live from the reef' };

const BOLD = 'NotoSansThai-Bold';
const MEDIUM = 'NotoSansThai-Medium';

const PLATE: Box = { x: 112, y: 778, width: 960, height: 190 };
const EDGE = 14;
const TAG: Box = { x: PLATE.x, y: PLATE.y - 76, width: 440, height: 64 };

/** A bar whose right edge runs out from the left and back again. */
const running = (layer: string, color: ColorSlot, box: Box, from: number, until: number): Layer => {
  const width = (frame: number) =>
    frame < LEAVE - 20
      ? between(frame, from, from + 26, 0, box.width, ease.inOut)
      : between(frame, until, until + 20, box.width, 0, ease.inOut);
  const shape = rectangle(
    sampled(from, until + 20, (frame) => [box.x + width(frame) / 2, box.y + box.height / 2]),
    sampled(from, until + 20, (frame) => [width(frame), box.height]),
  );
  return shapeLayer(layer, [group(shape, fill(slotColor(color)))], { from, to: until + 20 });
};

/** A line of text that slides up, and down again at the end; nothing of it is seen outside of its box. */
const line = (layer: string, slot: TextSlot, style: TextStyle, box: Box, from: number, until: number): Layer =>
  textLayer(layer, slot, { rise: 'center', ...style }, box, {
    from,
    to: until + 16,
    position: keyed<readonly number[]>([until, [0, 0, 0], ease.in], [until + 14, [0, box.height, 0]]),
    mask: sampled(until, until + 14, (frame) =>
      rectanglePath({ ...box, y: box.y - between(frame, until, until + 14, 0, box.height, ease.in) }),
    ),
    effects: [sliding(from, 28, box.height)],
  });

/** A ring with a dot, like a signal, at the right end of the plate. */
const SIGN = { x: PLATE.x + PLATE.width - 84, y: PLATE.y + PLATE.height / 2 } as const;
const sign = [0, 1].map((index) =>
  shapeLayer(
    `sign ring ${index + 1}`,
    [
      group(
        ellipse(still([0, 0]), still([52 + 44 * index, 52 + 44 * index])),
        trim(
          still(0),
          keyed([30 + 8 * index, 0, ease.out], [66 + 8 * index, 76], [LEAVE - 12, 76, ease.in], [LEAVE, 0]),
        ),
        stroke(slotColor(accent), 5),
      ),
    ],
    {
      from: 30,
      to: LEAVE + 1,
      position: still([SIGN.x, SIGN.y]),
      rotation: keyed([30, -90 + 120 * index, ease.calm], [LAST, 190 - 300 * index]),
    },
  ),
);
const signDot = shapeLayer('sign dot', [group(ellipse(still([0, 0]), still([100, 100])), fill(slotColor(accent)))], {
  from: 26,
  to: LEAVE + 1,
  position: still([SIGN.x, SIGN.y]),
  scale: keyed<readonly number[]>(
    [26, [0, 0, 100], ease.out],
    [44, [20, 20, 100], ease.calm],
    [LEAVE - 14, [20, 20, 100], ease.in],
    [LEAVE - 2, [0, 0, 100]],
  ),
});

const TEXT_X = PLATE.x + EDGE + 40;
const TEXT_WIDTH = PLATE.width - EDGE - 40 - 172;

/**
 * A name over any picture, 1920 × 1080, six seconds, without a background: a tag and a plate run out, and leave again. MOV with
 * ProRes 4444, WebM and PNG sequences keep it transparent.
 */
export const lowerThird: DocumentParts = {
  name: 'Lower third',
  ...SIZE,
  fps: 30,
  frameCount: LAST,
  fonts: [
    { name: BOLD, family: 'Noto Sans Thai', style: 'Bold' },
    { name: MEDIUM, family: 'Noto Sans Thai', style: 'Medium' },
  ],
  colors: [plate, accent, light, onAccent],
  images: [],
  compositions: [],
  layers: [
    line(
      'topic',
      topic,
      { font: BOLD, size: 34, color: slotColor(onAccent) },
      { x: TAG.x + 28, y: TAG.y + 4, width: TAG.width - 56, height: TAG.height - 8 },
      30,
      LEAVE - 18,
    ),
    running('tag', accent, TAG, 14, LEAVE - 8),
    line(
      'name',
      name,
      { font: BOLD, size: 70, tracking: -8, color: slotColor(light) },
      { x: TEXT_X, y: PLATE.y + 14, width: TEXT_WIDTH, height: 96 },
      18,
      LEAVE - 12,
    ),
    line(
      'role',
      role,
      { font: MEDIUM, size: 38, color: slotColor(light) },
      { x: TEXT_X, y: PLATE.y + 108, width: TEXT_WIDTH, height: 66 },
      24,
      LEAVE - 16,
    ),
    signDot,
    ...sign,
    running('edge', accent, { ...PLATE, width: EDGE }, 0, LEAVE + 8),
    running('plate', plate, PLATE, 4, LEAVE),
  ],
};
