import { slotColor } from '../kit/document.ts';
import { between, ease, keyed, type PathValue, sampled, still } from '../kit/keyframes.ts';
import { type Composition, compositionLayer, imageLayer, shapeLayer } from '../kit/layers.ts';
import { ellipse, fade, fill, group, path, rectangle, stroke, trim } from '../kit/shapes.ts';
import { accent, HEIGHT, LAST, photo, RESTED, SHEET, TIDE, WIDTH } from './brief.ts';

// The arch that opens onto the photo.

const OPENED = 50;
const archSize = (frame: number): [number, number] => {
  const waiting = between(frame, 0, 22, 0, 1, ease.out);
  return [
    between(frame, 10, OPENED, 580 + 60 * waiting, 1200, ease.inOut),
    between(frame, 10, OPENED, 960 + 80 * waiting, 2700, ease.inOut),
  ];
};
const archCenter = (frame: number): [number, number] => [
  WIDTH / 2,
  between(frame, 10, OPENED, 1010 - between(frame, 0, 22, 0, 30, ease.out), 960, ease.inOut),
];

/** A rectangle with a round top: an arch that keeps its form at every size. */
function arch([centerX, centerY]: [number, number], [width, height]: [number, number]): PathValue {
  const [left, right] = [centerX - width / 2, centerX + width / 2];
  const [top, bottom] = [centerY - height / 2, centerY + height / 2];
  const radius = width / 2;
  const reach = radius * 0.5523;
  return {
    c: true,
    v: [
      [left, bottom],
      [left, top + radius],
      [centerX, top],
      [right, top + radius],
      [right, bottom],
    ],
    i: [
      [0, 0],
      [0, 0],
      [-reach, 0],
      [0, -reach],
      [0, 0],
    ],
    o: [
      [0, 0],
      [0, -reach],
      [reach, 0],
      [0, 0],
      [0, 0],
    ],
  };
}

export const archLine = shapeLayer(
  'arch line',
  [
    group(
      path(
        sampled(0, OPENED, (frame) => {
          const [width, height] = archSize(frame);
          const apart = between(frame, 0, OPENED, 64, 160, ease.calm);
          return arch(archCenter(frame), [width + apart, height + apart]);
        }),
      ),
      trim(still(0), keyed([0, 58, ease.out], [36, 100])),
      stroke(slotColor(accent), 4),
    ),
  ],
  { to: OPENED },
);
export const openingSun = shapeLayer(
  'opening sun',
  [group(ellipse(still([0, 0]), still([300, 300])), fill(slotColor(accent)))],
  {
    to: OPENED,
    position: keyed([0, [800, 590, 0], ease.out], [40, [850, 400, 0]]),
  },
);

const photoLayer = imageLayer('photo', photo, {
  scale: keyed([0, [124, 124, 100], ease.out], [60, [109, 109, 100], ease.linear], [LAST, [101, 101, 100]]),
  position: keyed(
    [0, [540, 1040, 0], ease.out],
    [54, [540, 960, 0], ease.linear],
    [TIDE, [540, 952, 0], ease.inOut],
    [TIDE + 44, [540, 850, 0], ease.linear],
    [LAST, [540, 828, 0]],
  ),
});
/** Keeps the headline readable over any photo; goes once the tide has passed it. */
const scrim = (name: string, to: number) =>
  shapeLayer(
    name,
    [
      group(
        rectangle(still([540, 1260]), still([WIDTH, 1320])),
        fade([0, 0, 0], { at: [540, 606], alpha: 0 }, { at: [540, 1360], alpha: 0.64 }),
      ),
    ],
    { to, opacity: keyed([26, 0, ease.calm], [58, 100], [TIDE + 36, 100, ease.calm], [TIDE + 64, 25]) },
  );

const photoScene: Composition = { id: 'photo scene', width: WIDTH, height: HEIGHT, layers: [photoLayer] };
/** The photo below its scrim, as far as the sheet leaves them in sight. */
const upperScene: Composition = {
  id: 'upper scene',
  width: WIDTH,
  height: SHEET + 10,
  layers: [scrim('upper scrim', LAST), photoLayer],
};
export const compositions = [photoScene, upperScene];

/** In turn: through the arch, over the whole canvas, and above the sheet. */
export const scenes = [
  scrim('scrim', RESTED),
  compositionLayer('photo in the arch', photoScene, {
    to: OPENED,
    mask: sampled(0, OPENED, (frame) => arch(archCenter(frame), archSize(frame))),
  }),
  compositionLayer('photo', photoScene, { from: OPENED, to: RESTED }),
  compositionLayer('scene above the sheet', upperScene, { from: RESTED }),
];
