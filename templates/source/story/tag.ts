import { slotColor } from '../kit/document.ts';
import { keyed, still } from '../kit/keyframes.ts';
import { imageLayer, shapeLayer } from '../kit/layers.ts';
import { fill, group, rectangle } from '../kit/shapes.ts';
import { logo, paper } from './brief.ts';

// The logo on a tag of paper that hangs from the upper edge.

const tagPlace = keyed([44, [540, -260, 0], [0.3, 0, 0.1, 1]], [80, [540, 0, 0]]);
export const tag = shapeLayer(
  'tag',
  [group(rectangle(still([0, 60]), still([330, 400]), still(165)), fill(slotColor(paper)))],
  { from: 44, position: tagPlace },
);
export const tagLogo = imageLayer('logo', logo, {
  from: 44,
  anchor: still([300, -146 / 0.36]),
  scale: still([36, 36, 100]),
  position: tagPlace,
});
