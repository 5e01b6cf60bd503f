import { type ColorSlot, slotColor } from '../kit/document.ts';
import { ease, keyed, still } from '../kit/keyframes.ts';
import { type Layer, type LayerOptions, shapeLayer } from '../kit/layers.ts';
import { arriving, growingButton, hairline, sliding } from '../kit/presets.ts';
import { group, path, polyline, stroke, trim } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';
import {
  accent,
  action,
  headline,
  ITALIC,
  ink,
  kicker,
  LAST,
  MARGIN,
  onAccent,
  place,
  SERIF,
  TEXT,
  TIDE,
  time,
  WIDTH,
} from './brief.ts';

// The title over photo and sheet, and the details on the sheet.

/** Kicker and headline: once over the photo, until the sheet hides them, and once, cut to the sheet, in ink. */
export function title(name: string, color: ColorSlot, shared: LayerOptions): Layer[] {
  const head: TextStyle = {
    font: SERIF,
    size: 244,
    leading: 0.9,
    tracking: -18,
    rise: 'center',
    color: slotColor(color),
  };
  return [
    textLayer(
      `headline ${name}`,
      headline,
      head,
      { x: MARGIN - 8, y: 1168, width: 900, height: 290 },
      {
        ...shared,
        effects: [arriving('character', 38, 46, 130)],
      },
    ),
    textLayer(
      `kicker ${name}`,
      kicker,
      { font: ITALIC, size: 76, tracking: -4, rise: 'center', color: slotColor(color) },
      { x: MARGIN, y: 1092, width: 888, height: 84 },
      { ...shared, effects: [arriving('word', 50, 32, 60)] },
    ),
  ];
}

function detailLine(name: string, slot: TextSlot, top: number, from: number): Layer {
  const box = { x: MARGIN, y: top, width: 888, height: 66 };
  return textLayer(name, slot, { font: TEXT, size: 46, tracking: -6, rise: 'center', color: slotColor(ink) }, box, {
    from,
    clip: { ...box, x: box.x - 6, width: box.width + 12 },
    effects: [sliding(from, 34, 74)],
  });
}
const rule = hairline('rule', [MARGIN, WIDTH - MARGIN], 1486, slotColor(ink), 32, { from: TIDE + 34, over: 40 });

const BUTTON = { x: MARGIN, y: 1690, width: 888, height: 108 } as const;
const buttonFrom = TIDE + 48;
const button = growingButton(slotColor(accent), BUTTON, {
  from: buttonFrom,
  dotted: buttonFrom + 14,
  stretch: buttonFrom + 8,
  stretched: buttonFrom + 38,
});
const actionText = textLayer(
  'action',
  action,
  { font: TEXT, size: 48, tracking: -6, align: 'left', rise: 'center', color: slotColor(onAccent) },
  { x: BUTTON.x + 52, y: BUTTON.y + 10, width: BUTTON.width - 200, height: BUTTON.height - 20 },
  {
    from: buttonFrom + 18,
    clip: { x: BUTTON.x + 48, y: BUTTON.y + 12, width: BUTTON.width - 190, height: BUTTON.height - 24 },
    effects: [sliding(buttonFrom + 20, 32, 96)],
  },
);
const arrowFrom = buttonFrom + 32;
const arrow = shapeLayer(
  'arrow',
  [
    group(
      path(
        still(
          polyline([
            [-30, 0],
            [30, 0],
          ]),
        ),
      ),
      trim(still(0), keyed([arrowFrom, 0, ease.out], [arrowFrom + 20, 100])),
      stroke(slotColor(onAccent), 5),
    ),
    group(
      path(
        still(
          polyline([
            [10, -20],
            [30, 0],
            [10, 20],
          ]),
        ),
      ),
      trim(
        keyed([arrowFrom + 6, 50, ease.out], [arrowFrom + 22, 0]),
        keyed([arrowFrom + 6, 50, ease.out], [arrowFrom + 22, 100]),
      ),
      stroke(slotColor(onAccent), 5),
    ),
  ],
  {
    from: arrowFrom,
    position: keyed(
      [arrowFrom, [BUTTON.x + BUTTON.width - 104, BUTTON.y + BUTTON.height / 2, 0], ease.out],
      [arrowFrom + 24, [BUTTON.x + BUTTON.width - 78, BUTTON.y + BUTTON.height / 2, 0], ease.calm],
      [LAST - 14, [BUTTON.x + BUTTON.width - 78, BUTTON.y + BUTTON.height / 2, 0], ease.calm],
      [LAST, [BUTTON.x + BUTTON.width - 66, BUTTON.y + BUTTON.height / 2, 0]],
    ),
  },
);

/** What the sheet carries, top first. */
export const details: readonly Layer[] = [
  arrow,
  actionText,
  button,
  detailLine('place', place, 1512, TIDE + 40),
  detailLine('time', time, 1580, TIDE + 46),
  rule,
];
