import { ease, keyed, still } from '../kit/keyframes.ts';
import { imageLayer, type Layer } from '../kit/layers.ts';
import { logo, MARGIN } from './brief.ts';

/** The logo in the upper left corner, on scene 1 and on the end card. */
export const logoPlace = (name: string, from: number, to: number): Layer =>
  imageLayer(name, logo, {
    from,
    to,
    anchor: still([0, logo.height / 2]),
    scale: still([48, 48, 100]),
    position: keyed([from, [MARGIN - 40, 132, 0], ease.out], [from + 32, [MARGIN, 132, 0]]),
    opacity: keyed([from, 0, ease.calm], [from + 20, 100]),
  });
