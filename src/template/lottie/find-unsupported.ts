import { isRecord } from '../../json.ts';
import type { LottieDocument } from '../scene.ts';
import { inPerspective, outOfDepth } from './depth-order.ts';
import {
  allLayers,
  LAYER_TYPE,
  type LocatedLayer,
  type LocatedNode,
  type LottieNode,
  layerLists,
  nodesOf,
  records,
} from './lottie-layers.ts';
import { isExpandable } from './mask-expansion.ts';
import { findPlayerDifferences, unmarkedMattes } from './other-players.ts';
import { isLeftOut } from './path-modifiers.ts';
import { isSet } from './property-value.ts';
import { isSeenToBeRandom } from './random-movement.ts';
import { setMatteEffects } from './set-matte.ts';
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
    unsorted: new Set(lists.flatMap(outOfDepth)),
    turned: new Set(lists.flatMap(inPerspective)),
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

/** Returns what `template init` has removed and recorded in the animation. */
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
  /** Layers that cover one nearer to the camera. */
  readonly unsorted: ReadonlySet<LottieNode>;
  /** Layers in perspective without a camera. */
  readonly turned: ReadonlySet<LottieNode>;
  /** Effects that are drawn as track mattes. */
  readonly mattes: ReadonlySet<LottieNode>;
  /** Mattes without the mark of one. */
  readonly unmarked: ReadonlySet<LottieNode>;
  /** Shorter side of the picture in pixels. */
  readonly side: number;
}

function ofLayer(place: LocatedLayer, { unsorted, turned, mattes, unmarked, side }: Whole): UnsupportedUse[] {
  const { layer, pointer, name } = place;
  const uses: UnsupportedUse[] = [];
  const use = (feature: Feature, what: string, at: string): void => {
    uses.push({ feature, what, layer: name, pointer: at });
  };
  const kind = UNDRAWN_LAYERS[Number(layer.ty)];
  if (kind !== undefined) use('layer_kind', kind, pointer);
  if (layer.mb === true || layer.mb === 1) use('motion_blur', 'motion blur', pointer);
  if (layer.ty === LAYER_TYPE.audio && typeof layer.sr === 'number' && ![0, 1].includes(layer.sr)) {
    use('stretched_sound', `time stretch of ${Math.round(layer.sr * 100)} %`, pointer);
  }
  for (const [effect, at] of records(layer.ef, `${pointer}/ef`)) {
    const title = String(effect.nm ?? effect.mn ?? 'without a name');
    if (effect.en === 0) use('effect_switched_off', title, at);
    else if (!mattes.has(effect) && !isDrawn(effect) && !isControl(effect) && !isPuppetWithoutPins(effect))
      use('effect', title, at);
    else if (isWipe(effect) && layer.ty !== LAYER_TYPE.image) use('wipe', title, at);
  }
  if (unsorted.has(layer)) use('depth_order', 'layer in three dimensions', pointer);
  if (turned.has(layer)) use('other_players', 'perspective without a camera', pointer);
  if (unmarked.has(layer)) use('other_players', 'matte without the mark of one', pointer);
  for (const [what, at] of findPlayerDifferences(layer, pointer, side)) use('other_players', what, at);
  for (const [style, at] of records(layer.sy, `${pointer}/sy`)) {
    if (!DRAWN_STYLES.has(style.ty)) use('layer_style', LAYER_STYLES[Number(style.ty)] ?? 'unknown', at);
  }
  for (const [mask, at] of records(layer.masksProperties, `${pointer}/masksProperties`)) {
    if ((mask.mode === 'l' || mask.mode === 'd') && !isOpaque(mask))
      use('mask_mode', mask.mode === 'l' ? 'Lighten' : 'Darken', at);
    if (isSet(mask.x) && !isExpandable(mask)) use('mask_expansion', 'mask expansion', at);
  }
  for (const inside of nodesOf(place)) {
    ofNode(inside, use);
    if (isSeenToBeRandom(inside.node, inside.path, side)) use('other_players', 'random movement', inside.pointer);
  }
  return uses;
}

function ofNode(
  { node, pointer, path, around }: LocatedNode,
  use: (feature: Feature, what: string, at: string) => void,
): void {
  if (hasExpression(node)) {
    const reason = typeof node[UNBAKED] === 'string' ? ` (${node[UNBAKED]})` : '';
    use('expression', `expression${reason}`, pointer);
  }
  const modifier = typeof node.ty === 'string' && node.hd !== true ? UNDRAWN_MODIFIERS[node.ty] : undefined;
  const list = around[0]?.[path.at(-2)!];
  if (modifier !== undefined && (!Array.isArray(list) || isLeftOut(list, Number(path.at(-1))))) {
    use('path_modifier', modifier, pointer);
  }
  if (node.ty === 'rp' && node.hd !== true && Array.isArray(list) && isUnpainted(list, Number(path.at(-1)))) {
    use('path_modifier', 'Repeater before the fill or stroke', pointer);
  }
  if (node.ty === 'tm' && node.m === 2 && node.hd !== true && Array.isArray(list) && isTorn(list, node, path)) {
    use('path_modifier', 'Trim Paths, Individually, of several groups', pointer);
  }
  if (node.ty === 'op' && node.hd !== true && isSet(node.a)) {
    if (!Array.isArray(list) || isLeftOut(list, Number(path.at(-1)))) use('offset_corners', 'Offset Paths', pointer);
  }
  if (node.hd !== true && lacksDashOffset(node)) use('dash_offset', 'dashes without an offset', `${pointer}/d`);
  // t.a[n].a of a text layer: properties of an animator.
  if (path.length === 4 && path[0] === 't' && path[1] === 'a' && path[3] === 'a') {
    for (const key of Object.keys(node)) {
      const property = UNDRAWN_ANIMATORS[key];
      if (property !== undefined) use('text_animator', property, `${pointer}/${key}`);
    }
  }
}

const PAINTS: ReadonlySet<unknown> = new Set(['fl', 'st', 'gf', 'gs']);

/** Returns whether shapes are painted only after one of them: the renderer repeats what is painted before. */
function isUnpainted(shapes: readonly unknown[], index: number): boolean {
  const isPaint = (shape: unknown): boolean => isRecord(shape) && PAINTS.has(shape.ty);
  const isPaintOrGroup = (shape: unknown): boolean => isPaint(shape) || (isRecord(shape) && shape.ty === 'gr');
  return !shapes.slice(0, index).some(isPaintOrGroup) && shapes.slice(index).some(isPaint);
}

/** Returns whether a trim goes through several groups that are painted on their own: the renderer trims each of them. */
function isTorn(shapes: readonly unknown[], { s, e }: LottieNode, path: readonly string[]): boolean {
  if (isRecord(s) && s.k === 0 && isRecord(e) && e.k === 100) return false;
  return (
    shapes
      .slice(0, Number(path.at(-1)))
      .filter((one) => isRecord(one) && one.ty === 'gr' && one.hd !== true && paints(one)).length > 1
  );
}

function paints({ it }: LottieNode): boolean {
  return Array.isArray(it) && it.some((one) => isRecord(one) && (PAINTS.has(one.ty) || paints(one)));
}

/** Returns whether a mask hides all or nothing of each point. */
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

/** Match names of effects that draw nothing. The last one is a preset in use that lacks the prefix. */
const CONTROLS = /(?: Control$|^pseudo\/|^seamless wiggle loop)/i;

/** Returns whether an effect is an expression control (slider, colour, point), which draws nothing. */
function isControl({ mn, ty }: LottieNode): boolean {
  if (typeof mn === 'string') return CONTROLS.test(mn);
  return typeof ty === 'number' && ty < 20;
}
