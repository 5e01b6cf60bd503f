import { slotColor } from '../kit/document.ts';
import { between, ease, keyed, type PathValue, sampled, still } from '../kit/keyframes.ts';
import { shapeLayer } from '../kit/layers.ts';
import { ellipse, fill, group, path, stroke, trim } from '../kit/shapes.ts';
import { accent, HEIGHT, LAST, paper, RESTED, SHEET, TIDE, WIDTH } from './brief.ts';

// The sheet of paper that rises like a tide, and the sun behind it.

/** The sheet's upper edge: a swell that runs from left to right and comes to rest. */
function sheetAt(frame: number): PathValue {
  const swell = (late: number) => between(frame, TIDE + late, TIDE + 46 + late, HEIGHT + 40, SHEET, [0.6, 0, 0.15, 1]);
  const [left, middle, right] = [swell(0), swell(2), swell(6)];
  const lean = (right - left) / 6;
  return {
    c: true,
    v: [
      [-20, HEIGHT + 60],
      [-20, left],
      [540, middle],
      [WIDTH + 20, right],
      [WIDTH + 20, HEIGHT + 60],
    ],
    i: [
      [0, 0],
      [0, 0],
      [-280, -lean],
      [-280, 0],
      [0, 0],
    ],
    o: [
      [0, 0],
      [280, 0],
      [280, lean],
      [0, 0],
      [0, 0],
    ],
  };
}
export const tide = sampled(TIDE, RESTED, sheetAt);
export const sheet = shapeLayer('sheet', [group(path(tide), fill(slotColor(paper)))], { from: TIDE });

const sunPlace = keyed(
  [TIDE + 26, [812, 1540, 0], [0.4, 0, 0.1, 1]],
  [TIDE + 76, [812, 1006, 0], ease.linear],
  [LAST, [812, 972, 0]],
);
export const sun = shapeLayer('sun', [group(ellipse(still([0, 0]), still([300, 300])), fill(slotColor(accent)))], {
  from: TIDE + 26,
  position: sunPlace,
});
export const sunRings = [410, 540].map((size, index) =>
  shapeLayer(
    `sun ring ${index + 1}`,
    [
      group(
        ellipse(still([0, 0]), still([size, size])),
        trim(still(0), keyed([TIDE + 38 + 6 * index, 0, ease.out], [TIDE + 90 + 6 * index, 100])),
        stroke(slotColor(accent), 3, still(70 - 30 * index)),
      ),
    ],
    { from: TIDE + 38, position: sunPlace, rotation: still(180) },
  ),
);
