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
  transformOf,
} from './lottie-layers.ts';
import { isExpandable } from './mask-expansion.ts';
import { isLeftOut } from './path-modifiers.ts';
import { keyTimes } from './property-value.ts';
import {
  DRAWN_EFFECT_TYPES,
  DRAWN_EFFECTS,
  DRAWN_STYLES,
  type Feature,
  LAYER_STYLES,
  OTHER_PLAYERS_EFFECTS,
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
  const inSpace = { unsorted: new Set(lists.flatMap(outOfDepth)), turned: new Set(lists.flatMap(inPerspective)) };
  return [
    ...removed,
    ...sequences,
    ...allLayers(animation).flatMap((place) => (place.layer.hd === true ? [] : ofLayer(place, inSpace))),
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

function ofLayer(
  place: LocatedLayer,
  { unsorted, turned }: Readonly<Record<'unsorted' | 'turned', ReadonlySet<LottieNode>>>,
): UnsupportedUse[] {
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
    else if (!isDrawn(effect) && !isControl(effect)) use('effect', title, at);
    else if (isWipe(effect) && layer.ty !== LAYER_TYPE.image) use('wipe', title, at);
    else if (isDrawn(effect) && !OTHER_PLAYERS_EFFECTS.has(effect.ty)) use('other_players', title, at);
  }
  if (unsorted.has(layer)) use('depth_order', 'layer in three dimensions', pointer);
  if (turned.has(layer)) use('other_players', 'perspective without a camera', pointer);
  if (Number(layer.ip) > Number(layer.op)) use('other_players', 'layer in reverse', pointer);
  if (isMisplaced(layer)) use('other_players', 'transform outside a group', `${pointer}/shapes`);
  for (const [style, at] of records(layer.sy, `${pointer}/sy`)) {
    if (!DRAWN_STYLES.has(style.ty)) use('layer_style', LAYER_STYLES[Number(style.ty)] ?? 'unknown', at);
  }
  for (const [mask, at] of records(layer.masksProperties, `${pointer}/masksProperties`)) {
    if ((mask.mode === 'l' || mask.mode === 'd') && !isOpaque(mask))
      use('mask_mode', mask.mode === 'l' ? 'Lighten' : 'Darken', at);
    if (isSet(mask.x) && !isExpandable(mask)) use('mask_expansion', 'mask expansion', at);
  }
  for (const inside of nodesOf(place)) ofNode(inside, use);
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
  if (node.ty === 'op' && node.hd !== true && isSet(node.a)) use('offset_corners', 'Offset Paths', pointer);
  if (node.hd !== true && lacksDashOffset(node)) use('dash_offset', 'dashes without an offset', `${pointer}/d`);
  // t.a[n].a of a text layer: properties of an animator.
  if (path.length === 4 && path[0] === 't' && path[1] === 'a' && path[3] === 'a') {
    for (const key of Object.keys(node)) {
      const property = UNDRAWN_ANIMATORS[key];
      if (property !== undefined) use('text_animator', property, `${pointer}/${key}`);
    }
  }
}

/**
 * Returns whether shapes of a layer have a transform although they are in no group. lottie-web gives it to the layer, until the
 * transform of the layer itself moves.
 */
function isMisplaced(layer: LottieNode): boolean {
  if (layer.ty !== LAYER_TYPE.shape || !Array.isArray(layer.shapes)) return false;
  if (!layer.shapes.some((shape) => isRecord(shape) && shape.ty === 'tr' && shape.hd !== true)) return false;
  const { o, ...transform } = transformOf(layer);
  return !Object.values(transform).some((property) => (keyTimes(property)[0] ?? Infinity) <= Number(layer.ip));
}

const PAINTS: ReadonlySet<unknown> = new Set(['fl', 'st', 'gf', 'gs']);

/** Returns whether shapes are painted only after one of them: the renderer repeats what is painted before. */
function isUnpainted(shapes: readonly unknown[], index: number): boolean {
  const isPaint = (shape: unknown): boolean => isRecord(shape) && PAINTS.has(shape.ty);
  const isPaintOrGroup = (shape: unknown): boolean => isPaint(shape) || (isRecord(shape) && shape.ty === 'gr');
  return !shapes.slice(0, index).some(isPaintOrGroup) && shapes.slice(index).some(isPaint);
}

/** Returns whether a property is present and not constantly 0. */
function isSet(property: unknown): boolean {
  return isRecord(property) && property.k !== 0 && property.k !== undefined;
}

/** Returns whether a mask hides all or nothing of each point. */
function isOpaque({ o }: LottieNode): boolean {
  return !isRecord(o) || o.k === 100;
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

function records(list: unknown, pointer: string): [LottieNode, string][] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one: unknown, index): [LottieNode, string][] =>
    isRecord(one) ? [[one, `${pointer}/${index}`]] : [],
  );
}
