import { isNumberList, isRecord } from '../../../kernel/json.ts';
import type { LottieDocument } from '../../render-input.ts';
import { isSteep } from '../drawing-form/limited-values.ts';
import { isMisfaded } from '../drawing-form/repeated-shapes.ts';
import { setMatteEffects } from '../drawing-form/set-matte.ts';
import { solidColor } from '../drawing-form/solid-color.ts';
import {
  allLayers,
  LAYER_TYPE,
  type ListPlace,
  type LocatedLayer,
  type LocatedNode,
  type LottieNode,
  layerLists,
  listAround,
  nodesOf,
  records,
} from '../lottie-layers.ts';
import { isExpandable } from '../paths/mask-expansion.ts';
import { isLeftOut } from '../paths/path-modifiers.ts';
import { isSet } from '../property-value.ts';
import { layersInPerspective, layersOverNearer } from './depth-order.ts';
import { findPlayerDifferences, unmarkedMattes } from './player-differences.ts';
import {
  DRAWN_EFFECT_TYPES,
  DRAWN_EFFECTS,
  DRAWN_STYLES,
  type Feature,
  LAYER_STYLES,
  UNDRAWN_ANIMATORS,
  UNDRAWN_LAYERS,
  UNDRAWN_MODIFIERS,
  WIPES,
} from './unsupported-features.ts';

/** A use of a feature that the renderer does not support. */
export interface UnsupportedUse {
  readonly feature: Feature;
  /** The specific effect, modifier or mode, in the designer's terms. */
  readonly what: string;
  /** Name of the layer, or id of the asset. */
  readonly layer: string;
  /** JSON pointer in the animation. */
  readonly pointer: string;
}

/**
 * Finds everything that is not drawn as the designer sees it, in document order.
 *
 * @param animation accepted by `checkAnimation`
 */
export function findUnsupported(animation: LottieDocument): UnsupportedUse[] {
  const sequences = (animation.assets ?? []).flatMap((asset, index): UnsupportedUse[] => {
    if (asset.t !== 'seq') return [];
    return [{ feature: 'image_sequence', what: 'image sequence', layer: asset.id, pointer: `/assets/${index}` }];
  });
  const removed = recordedRemovals(animation);
  const lists = [...layerLists(animation)];
  const whole = {
    unsorted: new Set(lists.flatMap(layersOverNearer)),
    turned: new Set(lists.flatMap(layersInPerspective)),
    mattes: new Set(lists.flatMap(setMatteEffects)),
    unmarked: new Set(lists.flatMap(unmarkedMattes)),
    side: Math.min(animation.w, animation.h),
  };
  return [
    ...removed,
    ...sequences,
    ...allLayers(animation).flatMap((place) => (place.layer.hd === true ? [] : ofLayer(place, whole))),
  ];
}

/** Field of a property with the reason why its expression has no value. */
export const UNBAKED = 'unbaked';

/** Returns the features that `template init` has removed and recorded in the animation. */
function recordedRemovals({ removed }: LottieDocument): UnsupportedUse[] {
  return records(removed, '/removed').map(([{ what, layer }, pointer]) => {
    return { feature: 'removed', what: String(what), layer: String(layer), pointer };
  });
}

/** Returns whether a node is a property with an expression. */
export function hasExpression(node: LottieNode): node is LottieNode & { x: string } {
  return typeof node.x === 'string' && ('k' in node || 'a' in node);
}

/** Returns whether a node is a dashed stroke whose last entry is not the offset. */
export function lacksDashOffset({ ty, d }: LottieNode): boolean {
  if ((ty !== 'st' && ty !== 'gs') || !Array.isArray(d) || !d.every(isRecord)) return false;
  return d.some(({ n }) => n !== 'o') && d.at(-1)?.n !== 'o';
}

/** Facts about the whole animation. */
interface Whole {
  /** Layers that cover a layer nearer to the camera. */
  readonly unsorted: ReadonlySet<LottieNode>;
  /** Layers in perspective without a camera. */
  readonly turned: ReadonlySet<LottieNode>;
  /** Effects that are drawn as track mattes. */
  readonly mattes: ReadonlySet<LottieNode>;
  /** Layers that are used as a matte but are not marked as such. */
  readonly unmarked: ReadonlySet<LottieNode>;
  /** Shorter side of the picture in pixels. */
  readonly side: number;
}

type Found = readonly [feature: Feature, what: string, pointer: string];

function ofLayer(place: LocatedLayer, { unsorted, turned, mattes, unmarked, side }: Whole): UnsupportedUse[] {
  const { layer, pointer, name } = place;
  const kind = UNDRAWN_LAYERS[Number(layer.ty)];
  const found: (Found | false)[] = [
    kind !== undefined && ['layer_kind', kind, pointer],
    layer.ty === LAYER_TYPE.solid &&
      solidColor(layer) === null && ['solid_color', `colour ${String(layer.sc)}`, `${pointer}/sc`],
    (layer.mb === true || layer.mb === 1) && ['motion_blur', 'motion blur', pointer],
    isStretchedSound(layer) && ['stretched_sound', `time stretch of ${Math.round(layer.sr * 100)} %`, pointer],
    ...records(layer.ef, `${pointer}/ef`).map(([effect, at]) => ofEffect(effect, at, layer, mattes)),
    unsorted.has(layer) && ['depth_order', 'layer in three dimensions', pointer],
    turned.has(layer) && ['other_players', 'perspective without a camera', pointer],
    unmarked.has(layer) && ['other_players', 'matte without the mark of one', pointer],
    ...findPlayerDifferences(layer, pointer, side).map(([what, at]): Found => ['other_players', what, at]),
    ...records(layer.sy, `${pointer}/sy`).map(ofStyle),
    ...records(layer.masksProperties, `${pointer}/masksProperties`).flatMap(ofMask),
    ...nodesOf(place).flatMap((inside) => ofNode(inside, side)),
  ];
  return found.flatMap((use) =>
    use === false ? [] : [{ feature: use[0], what: use[1], layer: name, pointer: use[2] }],
  );
}

function isStretchedSound(layer: LottieNode): layer is LottieNode & { sr: number } {
  return layer.ty === LAYER_TYPE.audio && typeof layer.sr === 'number' && ![0, 1].includes(layer.sr);
}

function ofEffect(effect: LottieNode, pointer: string, layer: LottieNode, mattes: Whole['mattes']): Found | false {
  const title = String(effect.nm ?? effect.mn ?? 'without a name');
  if (effect.en === 0) return ['effect_switched_off', title, pointer];
  const hasEffect = !isControl(effect) && !isPuppetWithoutPins(effect);
  if (hasEffect && !isDrawn(effect) && !mattes.has(effect)) return ['effect', title, pointer];
  return isWipe(effect) && layer.ty !== LAYER_TYPE.image && ['wipe', title, pointer];
}

function ofStyle([{ ty }, pointer]: [LottieNode, string]): Found | false {
  return !DRAWN_STYLES.has(ty) && ['layer_style', LAYER_STYLES[Number(ty)] ?? 'unknown', pointer];
}

const UNDRAWN_MASKS: Readonly<Record<string, string>> = { l: 'Lighten', d: 'Darken' };

function ofMask([mask, pointer]: [LottieNode, string]): (Found | false)[] {
  const mode = UNDRAWN_MASKS[String(mask.mode)];
  return [
    mode !== undefined && !isOpaque(mask) && ['mask_mode', mode, pointer],
    isSet(mask.x) && !isExpandable(mask) && ['mask_expansion', 'mask expansion', pointer],
  ];
}

function ofNode(inside: LocatedNode, side: number): (Found | false)[] {
  const { node, pointer, path } = inside;
  const reason = typeof node[UNBAKED] === 'string' ? ` (${node[UNBAKED]})` : '';
  return [
    hasExpression(node) && ['expression', `expression${reason}`, pointer],
    node.hd !== true && ofShape(inside),
    isSteep(node) && ['steep_skew', 'skew', `${pointer}/sk`],
    ...ofAnimator(inside),
    isSeenToBeRandom(node, path, side) && ['other_players', 'random movement', pointer],
  ];
}

function ofShape(inside: LocatedNode): Found | false {
  const { node, pointer } = inside;
  const list = listAround(inside);
  const isUndrawn = (): boolean => list === null || isLeftOut(list.items, list.index);
  switch (node.ty) {
    case 'tw':
    case 'zz':
      return isUndrawn() && ['path_modifier', UNDRAWN_MODIFIERS[node.ty], pointer];
    case 'op':
      return isSet(node.a) && isUndrawn() && ['offset_corners', 'Offset Paths', pointer];
    case 'rp':
      if (list === null) return false;
      if (isUnpainted(list)) return ['path_modifier', 'Repeater before the fill or stroke', pointer];
      return isMisfaded(list.items, list.index) && ['repeater_opacity', 'Repeater', pointer];
    case 'tm':
      if (node.m !== 2 || list === null || !isTorn(list, node)) return false;
      return ['path_modifier', 'Trim Paths, Individually, of several groups', pointer];
    default:
      return lacksDashOffset(node) && ['dash_offset', 'dashes without an offset', `${pointer}/d`];
  }
}

/** Finds the properties of a text animator, which lie in `t.a[n].a` of its layer. */
function ofAnimator({ node, pointer, path }: LocatedNode): Found[] {
  const [text, list, , values] = path;
  if (path.length !== 4 || text !== 't' || list !== 'a' || values !== 'a') return [];
  return Object.keys(node).flatMap((key): Found[] => {
    const property = UNDRAWN_ANIMATORS[key];
    return property === undefined ? [] : [['text_animator', property, `${pointer}/${key}`]];
  });
}

const PAINTS: ReadonlySet<unknown> = new Set(['fl', 'st', 'gf', 'gs']);

/** Returns whether shapes are painted only after a repeater. The renderer repeats only what is painted before it. */
function isUnpainted({ items, index }: ListPlace): boolean {
  const isPaint = (shape: unknown): boolean => isRecord(shape) && PAINTS.has(shape.ty);
  const isPaintOrGroup = (shape: unknown): boolean => isPaint(shape) || (isRecord(shape) && shape.ty === 'gr');
  return !items.slice(0, index).some(isPaintOrGroup) && items.slice(index).some(isPaint);
}

/** Returns whether a trim continues through several groups with separate paints. The renderer trims each of them. */
function isTorn({ items, index }: ListPlace, { s, e }: LottieNode): boolean {
  if (isRecord(s) && s.k === 0 && isRecord(e) && e.k === 100) return false;
  const groups = items
    .slice(0, index)
    .filter((shape) => isRecord(shape) && shape.ty === 'gr' && shape.hd !== true && paints(shape));
  return groups.length > 1;
}

function paints({ it }: LottieNode): boolean {
  return Array.isArray(it) && it.some((shape) => isRecord(shape) && (PAINTS.has(shape.ty) || paints(shape)));
}

/** Returns whether a mask has full opacity. */
function isOpaque({ o }: LottieNode): boolean {
  return !isRecord(o) || o.k === 100;
}

/** Returns whether an effect is a puppet without pins, which moves nothing. */
function isPuppetWithoutPins({ mn, ef }: LottieNode): boolean {
  return mn === 'ADBE FreePin3' && !JSON.stringify(ef ?? []).includes('ADBE FreePin3 PosPin');
}

function isDrawn({ mn, ty }: LottieNode): boolean {
  return DRAWN_EFFECTS.has(String(mn)) || DRAWN_EFFECT_TYPES.has(ty);
}

function isWipe({ mn, ty }: LottieNode): boolean {
  return WIPES.has(mn) || ty === 26;
}

/** Match names of effects that draw nothing. The last is a preset in use that lacks the prefix. */
const CONTROLS = /(?: Control$|^pseudo\/|^seamless wiggle loop)/i;

/** Returns whether an effect is an expression control (slider, colour, point), which draws nothing. */
function isControl({ mn, ty }: LottieNode): boolean {
  if (typeof mn === 'string') return CONTROLS.test(mn);
  return typeof ty === 'number' && ty < 20;
}

const RANDOM = /(?<![\w$.])(?:random|gaussRandom|noise|wiggle|temporalWiggle)\s*\(/;
/** Smallest visible change of an angle or percentage, and of a colour. */
const SEEN_UNITS = 5;
const SEEN_COLOR = 0.05;
/** Smallest visible movement or growth, as a share of the picture's shorter side. */
const SEEN_SHARE = 0.025;
/** Keys of properties in degrees and percent. */
const UNITS = new Set<string | undefined>(['r', 'rx', 'ry', 'rz', 'o', 'sk', 'sa', 'or', 'so', 'eo']);

/**
 * Returns whether an expression with random numbers visibly moves a property. Programs draw different random numbers.
 *
 * @param property baked by `bakeExpressions`
 * @param path from the layer to the property
 * @param side shorter side of the picture in pixels
 */
function isSeenToBeRandom({ baked, k }: LottieNode, path: readonly string[], side: number): boolean {
  if (!isRecord(baked) || typeof baked.expression !== 'string' || !RANDOM.test(baked.expression)) return false;
  if (!Array.isArray(k)) return false;
  const starts = (k as unknown[]).flatMap((frame) => (isRecord(frame) ? [frame.s] : []));
  if (!starts.every(isNumberList)) return new Set(starts.map((start) => JSON.stringify(start))).size > 1;
  const key = path.at(-1);
  const isInUnits = UNITS.has(key) || (key === 's' && path.at(-2) === 'ks');
  const least = key === 'c' ? SEEN_COLOR : isInUnits ? SEEN_UNITS : side * SEEN_SHARE;
  const first = starts[0] ?? [];
  return first.some((_, axis) => {
    const values = starts.map((start) => start[axis] ?? 0);
    return Math.max(...values) - Math.min(...values) >= least;
  });
}
