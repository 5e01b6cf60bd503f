import { isRecord } from '../../../kernel/json.ts';
import {
  LAYER_TYPE,
  type LocatedNode,
  type LottieNode,
  listAround,
  nodesOf,
  records,
  transformOf,
} from '../lottie-layers.ts';
import { type KeyframePath, signedArea } from '../paths/path-points.ts';
import { isSet, keyTimes, propertyValue } from '../property-value.ts';
import { DRAWN_EFFECT_TYPES, DRAWN_EFFECTS, OTHER_PLAYERS_EFFECTS, WIPES } from './unsupported-features.ts';

type Found = readonly [what: string, pointer: string];

/**
 * Finds features that lottie-web, and players like it, draw differently from After Effects and Reelform.
 *
 * @param pointer of the layer
 * @param side shorter side of the picture in pixels
 */
export function findPlayerDifferences(layer: LottieNode, pointer: string, side: number): Found[] {
  const effects = records(layer.ef, `${pointer}/ef`).filter(([{ en }]) => en !== 0);
  const masks = records(layer.masksProperties, `${pointer}/masksProperties`).filter(([{ mode }]) => mode !== 'n');
  const found: (Found | false)[] = [
    Number(layer.ip) > Number(layer.op) && ['layer in reverse', pointer],
    isMisplaced(layer) && ['transform outside a group', `${pointer}/shapes`],
    hasOnlyRotationZ(layer) && ['rotation around z without the other axes', `${pointer}/ks/rz`],
    ...effects.flatMap(([effect, at]) => ofEffect(effect, at, layer, side)),
    ...masks.map((mask) => ofMask(mask, masks.length > 1)),
    layer.tt === 4 && ['inverted luma matte', pointer],
    ...(layer.ty === LAYER_TYPE.text && isRecord(layer.t) ? ofText(layer.t, `${pointer}/t`) : []),
    ...nodesOf({ layer, pointer }).flatMap((inside) => ofNode(inside, side)),
  ];
  return found.filter((difference) => difference !== false);
}

function ofNode(inside: LocatedNode, side: number): (Found | false)[] {
  const { node, pointer } = inside;
  return [
    node.bm === ADD && node.hd !== true && ['blend mode Add', pointer],
    swingsBack(node) && ['motion path that swings back', pointer],
    isFarOffset(node, side) && ['corners of Offset Paths', pointer],
    isUneven(node) && ['Repeater that turns and stretches', pointer],
    isCutting(inside) && [MERGES[Number(node.mm)]!, pointer],
  ];
}

/** Finds layers that are used as a matte but are not marked as such. Some players also draw them, others hide them. */
export function unmarkedMattes(layers: readonly LottieNode[]): LottieNode[] {
  return layers.filter((layer, index) => {
    const below = layers[index + 1];
    return below !== undefined && Number(below.tt) > 0 && below.tp === undefined && layer.td === undefined;
  });
}

/**
 * Returns whether shapes of a layer have a transform although they are in no group. lottie-web applies it to the layer until the
 * transform of the layer itself is animated.
 */
function isMisplaced(layer: LottieNode): boolean {
  if (layer.ty !== LAYER_TYPE.shape || !Array.isArray(layer.shapes)) return false;
  if (!layer.shapes.some((shape) => isRecord(shape) && shape.ty === 'tr' && shape.hd !== true)) return false;
  const { o, ...transform } = transformOf(layer);
  return !Object.values(transform).some((property) => (keyTimes(property)[0] ?? Infinity) <= Number(layer.ip));
}

function hasOnlyRotationZ(layer: LottieNode): boolean {
  const { rx, or, rz } = transformOf(layer);
  return layer.ddd !== 1 && (rx === undefined || or === undefined) && isSet(rz);
}

/** `bm` of the mode that lottie-web lacks. */
const ADD = 16;

/** Finds the feature of a mask that lottie-web ignores: feather, Difference, or inversion of clockwise paths or beside other masks. */
function ofMask([{ mode, inv, f, pt }, pointer]: [LottieNode, string], isAmongMasks: boolean): Found | false {
  if (isRecord(f) && [f.k].flat().some((value) => isRecord(value) || (typeof value === 'number' && value !== 0)))
    return ['feathered mask', pointer];
  if (isAmongMasks && mode === 'f') return ['mask with the mode Difference among others', pointer];
  return inv === true && (isAmongMasks || isClockwise(pt)) && ['inverted mask', pointer];
}

/** Returns whether a path runs clockwise, by its first keyframe. */
function isClockwise(property: unknown): boolean {
  const frames: readonly unknown[] = isRecord(property) ? [property.k].flat() : [];
  const first = frames.find(isRecord);
  const path: unknown = Array.isArray(first?.s) ? first.s[0] : first;
  return isRecord(path) && Array.isArray(path.v) && signedArea(path as unknown as KeyframePath) > 0;
}

/** Effects whose lengths lottie-web scales and turns with a layer of vectors, with the indices of their lengths and, in a shadow, its direction. */
const MEASURED: Readonly<Record<string, { readonly name: string; readonly lengths: readonly number[] }>> = {
  25: { name: 'Drop Shadow', lengths: [3, 4] },
  29: { name: 'Gaussian Blur', lengths: [0] },
};
/** Minimum visible difference of shadows, blurs and corners, as a share of the picture's shorter side. */
const VISIBLE_SHARE = 0.04;

function ofEffect(effect: LottieNode, at: string, layer: LottieNode, side: number): Found[] {
  const { ty, mn } = effect;
  const title = String(effect.nm ?? mn ?? 'without a name');
  const isDrawn = DRAWN_EFFECTS.has(String(mn)) || DRAWN_EFFECT_TYPES.has(ty);
  const isWiped = layer.ty === LAYER_TYPE.image || (!WIPES.has(mn) && ty !== 26);
  if (isDrawn && isWiped && !OTHER_PLAYERS_EFFECTS.has(ty)) return [[title, at]];
  if (ty === 20 || ty === 23) return [[`${ty === 20 ? 'Tint' : 'Tritone'} of luminance`, at]];
  const measured = MEASURED[String(ty)];
  if (measured === undefined || (layer.ty !== LAYER_TYPE.shape && layer.ty !== LAYER_TYPE.text)) return [];
  const values = Array.isArray(effect.ef) ? (effect.ef as unknown[]) : [];
  const lengthAt = (index: number): number => {
    const value = values[index];
    return isRecord(value) ? (propertyValue(value.v, Number(layer.ip))?.[0] ?? 0) : 0;
  };
  const length = measured.lengths.reduce((sum, index) => sum + Math.abs(lengthAt(index)), 0);
  const scale = propertyValue(transformOf(layer).s, Number(layer.ip))?.[0] ?? 100;
  const turned = ty === 25 ? 2 * Math.sin(halfOfLargestAngle(layer)) * Math.abs(lengthAt(measured.lengths[0]!)) : 0;
  const change = Math.max(Math.abs(scale / 100 - 1) * length, turned);
  return change < side * VISIBLE_SHARE ? [] : [[`${measured.name} of a layer that is scaled or turned`, at]];
}

/** Returns half of the largest angle by which a layer is turned, in radians, at most a quarter turn. */
function halfOfLargestAngle(layer: LottieNode): number {
  const { r, rz } = transformOf(layer);
  const property = r ?? rz;
  const times = keyTimes(property);
  const angles = (times.length === 0 ? [0] : times).map((time) => propertyValue(property, time)?.[0] ?? 0);
  return (Math.min(180, Math.max(...angles.map(Math.abs))) * Math.PI) / 360;
}

/** Devanagari and other scripts whose letters change with their neighbours. */
const JOINED =
  /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Maximum width of a stroke, as a share of the text size, that looks the same above and below the fill. */
const THIN_STROKE = 0.04;

function ofText(text: LottieNode, pointer: string): Found[] {
  const found: Found[] = [];
  const animators = records(text.a, `${pointer}/a`);
  const data = isRecord(text.d) && Array.isArray(text.d.k) ? (text.d.k as unknown[]) : [];
  const documents = data.flatMap((frame) => (isRecord(frame) && isRecord(frame.s) ? [frame.s] : []));
  const some = (test: (document: LottieNode) => boolean): boolean => documents.some(test);
  if (some(({ j, sz }) => Number(j) >= 4 || (j === 3 && sz !== undefined)))
    found.push(['justified text', `${pointer}/d`]);
  if (some(({ of, sc, sw, s }) => of === false && sc !== undefined && Number(sw) > Number(s) * THIN_STROKE)) {
    found.push(['fill over the stroke of a text', `${pointer}/d`]);
  }
  const spaced = animators.find(([{ a }]) => isRecord(a) && isSet(a.t));
  if (spaced !== undefined && some(({ j }) => j === 1 || j === 2)) {
    found.push(['tracking of a text that is not on the left', `${spaced[1]}/a/t`]);
  }
  if (animators.length > 0 && some(({ t }) => JOINED.test(String(t)))) {
    found.push(['joined letters that are animated', `${pointer}/d`]);
  }
  return found;
}

/** Returns whether an easing on a curved motion path leads before its start. lottie-web then shows the end of the path. */
function swingsBack({ k }: LottieNode): boolean {
  if (!Array.isArray(k)) return false;
  return k.some((frame: unknown) => {
    if (!isRecord(frame) || frame.h === 1 || ![frame.to, frame.ti].some(isCurved)) return false;
    const y = isRecord(frame.o) ? frame.o.y : 0;
    return Number(Array.isArray(y) ? y[0] : y) < 0;
  });
}

function isCurved(tangent: unknown): boolean {
  return Array.isArray(tangent) && tangent.some((part) => part !== 0);
}

/** Returns whether an offset is large enough to show its corners. lottie-web bevels long corners and rounds with other curves. */
function isFarOffset({ ty, hd, a }: LottieNode, side: number): boolean {
  return ty === 'op' && hd !== true && Math.abs(propertyValue(a, 0)?.[0] ?? 0) >= side * VISIBLE_SHARE;
}

/** Returns whether the copies of a repeater are turned, and scaled differently along both axes. The order of the two differs between players. */
function isUneven({ ty, hd, tr }: LottieNode): boolean {
  if (ty !== 'rp' || hd === true || !isRecord(tr)) return false;
  const [x = 100, y = x] = propertyValue(tr.s, 0) ?? [];
  return isSet(tr.r) && x !== y;
}

const MERGES: Readonly<Record<number, string>> = {
  3: 'Merge Paths, Subtract',
  4: 'Merge Paths, Intersect',
  5: 'Merge Paths, Exclude Intersections',
};
/** Parametric shapes. Free paths come from drawing programs, which merge paths that do not overlap. */
const MEASURES = new Set<unknown>(['rc', 'el', 'sr']);

/** Returns whether a node merges several shapes and removes parts of them. lottie-web draws them completely. */
function isCutting(inside: LocatedNode): boolean {
  const { ty, hd, mm } = inside.node;
  if (ty !== 'mm' || hd === true || MERGES[Number(mm)] === undefined) return false;
  const list = listAround(inside);
  if (list === null) return false;
  const before = list.items.slice(0, list.index);
  return before.filter((shape) => isRecord(shape) && shape.hd !== true && MEASURES.has(shape.ty)).length > 1;
}
