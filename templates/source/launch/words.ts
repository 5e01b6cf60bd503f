import { slotColor } from '../kit/document.ts';
import { between, sampled } from '../kit/keyframes.ts';
import type { Layer } from '../kit/layers.ts';
import { arriving, hairline, sliding } from '../kit/presets.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';
import {
  DISPLAY,
  FLOOD,
  featureOne,
  featureTwo,
  HOP,
  headline,
  ink,
  light,
  MARGIN,
  ROWS,
  SWEEP,
  subline,
  TEXT,
} from './brief.ts';

// Headline and subline of scene 1, and the features of scene 2.

/** How far the sweep has pushed scene 1's words to the left, in pixels. */
export function leavingBy(frame: number): number {
  return between(frame, SWEEP, SWEEP + 30, 0, -220, [0.5, 0, 0.8, 0.4]);
}

const LEAVING = sampled(SWEEP, SWEEP + 30, (frame) => [leavingBy(frame), 0]);

const headlineStyle: TextStyle = {
  font: DISPLAY,
  size: 152,
  leading: 0.98,
  tracking: -26,
  rise: 'bottom',
  color: slotColor(ink),
};
export const headlineText = textLayer(
  'headline',
  headline,
  headlineStyle,
  { x: MARGIN - 7, y: 300, width: 780, height: 590 },
  {
    from: 26,
    to: SWEEP + 30,
    position: LEAVING,
    effects: [arriving('character', 28, 50, 120, { rotation: 8, blur: 10 })],
  },
);

export const sublineText = textLayer(
  'subline',
  subline,
  { font: TEXT, size: 44, tracking: -6, rise: 'center', color: slotColor(ink) },
  { x: 168, y: 922, width: 680, height: 68 },
  {
    from: 46,
    to: SWEEP + 30,
    position: LEAVING,
    clip: { x: 164, y: 922, width: 690, height: 68 },
    effects: [sliding(46, 36, 72)],
  },
);

function ruleAt(row: number, top: number, from: number): Layer {
  return hairline(`rule ${row + 1}`, [978, 1800], top, slotColor(light), 40, { from, over: 34, to: FLOOD + 40 });
}

function featureRow(slot: TextSlot, row: 0 | 1, from: number): Layer[] {
  const top = ROWS[row];
  const style: TextStyle = {
    font: DISPLAY,
    size: 72,
    leading: 1.1,
    tracking: -20,
    rise: 'top',
    color: slotColor(light),
  };
  const box = { x: 1040, y: top + 34, width: 770, height: 244 };
  const text = textLayer(`feature ${row + 1}`, slot, style, box, {
    from: from + 4,
    to: FLOOD + 40,
    effects: [arriving('word', from + 4, 38, 70, { blur: 6 })],
  });
  return [ruleAt(row, top, from), text];
}

/** Each feature under its line, and a line that closes the list. */
export const features: readonly Layer[] = [
  ruleAt(2, 828, HOP + 12),
  ...featureRow(featureTwo, 1, HOP + 2),
  ...featureRow(featureOne, 0, SWEEP + 26),
];
