import { defined } from '../../../src/kernel/defined.ts';
import type { ImageSlot } from '../kit/document.ts';
import { type Ease, ease, keyed, type Property, still } from '../kit/keyframes.ts';
import {
  type Composition,
  compositionLayer,
  imageLayer,
  type Layer,
  type LayerOptions,
  shapeLayer,
} from '../kit/layers.ts';
import { sliding } from '../kit/presets.ts';
import { type Box, fill, group, rectangle, roundedPath } from '../kit/shapes.ts';
import { type TextSlot, type TextStyle, textLayer } from '../kit/text.ts';

// What several templates of the gallery are built from.

/** A text whose lines slide up out of the lower edge of its box. */
export function slideIn(
  name: string,
  slot: TextSlot,
  style: TextStyle,
  box: Box,
  from: number,
  options: LayerOptions = {},
): Layer {
  const clip = { x: box.x - 8, y: box.y, width: box.width + 16, height: box.height };
  return textLayer(name, slot, { rise: 'center', ...style }, box, {
    from,
    clip,
    effects: [sliding(from, 32, box.height)],
    ...options,
  });
}

/** Positions of a counter's digits above the final digit. */
const STEPS = 6;

/** Names of the fonts of a counter: a font for each position of a digit. */
export function figureFonts(name: string, family: string) {
  return Array.from({ length: STEPS + 1 }, (_, position) => ({
    name: `${name}${position}`,
    family: `${family} Figures ${position}`,
    style: 'ExtraBold',
  }));
}

/**
 * A number whose digits roll into place in turn. `style.font` is the name that `figureFonts` has; the fonts of the
 * other positions show the preceding digits, which roll by above.
 */
export function rolling(
  name: string,
  slot: TextSlot,
  style: TextStyle,
  box: Box,
  at: { readonly from: number; readonly over: number },
): Layer[] {
  const end = at.from + at.over;
  const release = keyed([at.from, -100, [0.3, 0.1, 0.15, 1]], [end, 100]);
  return Array.from({ length: STEPS + 1 }, (_, position) =>
    textLayer(
      position === 0 ? name : `${name} before ${position}`,
      slot,
      { rise: 'center', ...style, font: `${style.font}${position}` },
      { ...box, y: box.y - position * box.height },
      {
        from: at.from,
        ...(position > 0 && { to: end + 1 }),
        clip: { x: box.x - 8, y: box.y, width: box.width + 16, height: box.height },
        effects: [{ by: 'character', shift: [0, STEPS * box.height], release }],
      },
    ),
  );
}

/** A filled rectangle with round corners. */
export function panel(name: string, color: Property, box: Box, radius: number, options: LayerOptions = {}): Layer {
  const { x, y, width, height } = box;
  const shape = rectangle(still([x + width / 2, y + height / 2]), still([width, height]), still(radius));
  return shapeLayer(name, [group(shape, fill(color))], options);
}

/** A picture that fills a box with round corners, with the composition that it lies in. */
export interface Framed {
  readonly scene: Composition;
  readonly layer: Layer;
}

/**
 * A picture that opens inside its box from an edge, from the middle or as a whole, and comes to rest a little later than the
 * opening.
 *
 * @param zoom how much larger than the box the picture begins and ends, in per cent
 */
export function framed(
  name: string,
  image: ImageSlot,
  box: Box,
  radius: number,
  at: {
    readonly from: number;
    readonly over: number;
    readonly to: number;
    readonly opens: 'up' | 'down' | 'left' | 'right' | 'middle';
    readonly zoom?: readonly [number, number, number];
    readonly curve?: Ease;
    readonly last?: number;
  },
): Framed {
  const { width, height } = box;
  const whole: Box = { x: 0, y: 0, width, height };
  const closed: Record<typeof at.opens, Box> = {
    up: { ...whole, y: height, height: 0 },
    down: { ...whole, height: 0 },
    left: { ...whole, x: width, width: 0 },
    right: { ...whole, width: 0 },
    middle: { x: width / 2, y: height / 2, width: 0, height: 0 },
  };
  const [first, middle, last] = at.zoom ?? [124, 104, 101];
  const cover = Math.max(width / image.width, height / image.height);
  const scaled = (percent: number) => [percent * cover, percent * cover, 100];
  const scene: Composition = {
    id: `${name} scene`,
    width,
    height,
    layers: [
      imageLayer(name, image, {
        from: at.from,
        position: still([width / 2, height / 2]),
        scale: keyed(
          [at.from, scaled(first), ease.out],
          [at.from + at.over + 20, scaled(middle), ease.linear],
          [at.to, scaled(last)],
        ),
      }),
    ],
  };
  const layer = compositionLayer(name, scene, {
    from: at.from,
    ...defined({ to: at.last }),
    position: still([box.x, box.y]),
    mask: keyed(
      [at.from, roundedPath(closed[at.opens], radius), at.curve ?? ease.inOut],
      [at.from + at.over, roundedPath(whole, radius)],
    ),
  });
  return { scene, layer };
}
