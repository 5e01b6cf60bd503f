import { isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { allLayers, type LottieNode } from '../lottie-layers.ts';
import { withAnimatedFlags } from './animated-flag.ts';
import { withLimitedShape, withLimitedSkew } from './limited-values.ts';
import { isMisfaded, isSplit } from './repeated-shapes.ts';
import { withSolidColor } from './solid-color.ts';

/** Corrections that came after documents had been rendered, by the name that enters the digest of a template. */
const REPAIRS = {
  animated_flags: (layer) => withAnimatedFlags(layer) !== layer,
  solid_colors: (layer) => withSolidColor(layer) !== layer,
  limited_values: ({ ks, shapes }) => isTransformLimited(ks) || someShape(shapes, isLimited),
  repeater_opacity: ({ shapes }) => someShape(shapes, isRepaired),
} as const satisfies Readonly<Record<string, (layer: LottieNode) => boolean>>;

type PictureRepair = keyof typeof REPAIRS;

/**
 * Returns the corrections that change the picture of a document, in a fixed order. Templates without any keep their digest, so only
 * videos that were drawn wrong are rendered again.
 */
export function pictureRepairs(animation: LottieDocument): PictureRepair[] {
  const layers = allLayers(animation).map(({ layer }) => layer);
  return (Object.keys(REPAIRS) as PictureRepair[]).filter((name) => layers.some(REPAIRS[name]));
}

type ShapeTest = (shape: LottieNode, list: readonly unknown[], index: number) => boolean;

function someShape(shapes: unknown, test: ShapeTest): boolean {
  if (!Array.isArray(shapes)) return false;
  return shapes.some(
    (shape: unknown, index) => isRecord(shape) && (test(shape, shapes, index) || someShape(shape.it, test)),
  );
}

function isTransformLimited(transform: unknown): boolean {
  return isRecord(transform) && withLimitedSkew(transform) !== transform;
}

function isLimited(shape: LottieNode): boolean {
  return withLimitedShape(shape) !== shape || (shape.ty === 'tr' && isTransformLimited(shape));
}

function isRepaired(shape: LottieNode, list: readonly unknown[], index: number): boolean {
  return shape.ty === 'rp' && shape.hd !== true && isSplit(shape) && !isMisfaded(list, index);
}
