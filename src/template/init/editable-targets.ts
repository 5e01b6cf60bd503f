import type { SlotKind } from '../../contract/fields/editable-kinds.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { isRecord } from '../../kernel/json.ts';
import { namedControl } from '../expressions/example-variants.ts';
import {
  allLayers,
  isConstantVector,
  LAYER_TYPE,
  type LocatedLayer,
  type LocatedNode,
  type LottieNode,
  layerLists,
  nodesOf,
} from '../lottie/lottie-layers.ts';
import { isLive } from '../lottie/property-value.ts';
import { normalizeLineBreaks, textStyles } from '../lottie/slots/lottie-slots.ts';
import { isAnimatedProperty, propertyKind } from '../lottie/slots/slot-property.ts';
import type { LottieDocument } from '../render-input.ts';

/** A node of an animation that an editable can fill. */
export interface EditableTarget {
  readonly kind: 'text' | 'color' | 'image' | 'audio' | SlotKind;
  /** The node that stores the key: `t.d`, a colour or other property, or the asset of an image or sound. */
  readonly node: LottieNode;
  /** The designer's names of the layer, the fill or the image. */
  readonly names: readonly string[];
  /** Reason against an editable; null if there is none. */
  readonly drawback: string | null;
  /** The layers that show the target. */
  readonly layers: readonly LottieNode[];
}

/** `ty` of fills and strokes in shapes. */
const PAINTS = new Set<unknown>(['fl', 'st']);

/**
 * Finds all texts, solid colours, images and sounds of an animation, and all numbers, points and gradients with a slot. Skips
 * hidden layers and shapes.
 */
export function findEditableTargets(animation: LottieDocument): EditableTarget[] {
  const controls = controlTargets(animation);
  const controlled = new Set(controls.map(({ node }) => node));
  const lists = [...layerLists(animation)];
  const shown = allLayers(animation).filter(({ layer }) => layer.hd !== true);
  const inLayers = shown.flatMap((located) => {
    const nodes = nodesOf(located).filter(({ node, around }) => ![node, ...around].some(({ hd }) => hd === true));
    const slotted = slotTargets(located, nodes, lists).filter(({ node }) => !controlled.has(node));
    return [...textTargets(located), ...colorTargets(located, nodes), ...slotted];
  });
  return [...controls, ...inLayers, ...assetTargets(animation, shown)];
}

function textTargets({ layer, name }: LocatedLayer): EditableTarget[] {
  if (layer.ty !== LAYER_TYPE.text || !isRecord(layer.t) || !isRecord(layer.t.d)) return [];
  const node = layer.t.d;
  const drawback = isLive(node) ? 'its text follows an expression' : textDrawback(node);
  return [{ kind: 'text', node, names: [name], drawback, layers: [layer] }];
}

function colorTargets({ layer, name }: LocatedLayer, nodes: readonly LocatedNode[]): EditableTarget[] {
  // A matte shows its shape but not its colour.
  if (layer.td === 1) return [];
  return nodes.flatMap(({ node: owner }): EditableTarget[] => {
    const node = colorIn(owner);
    if (node === null) return [];
    const drawback = isLive(node)
      ? 'its colour follows an expression'
      : isConstantVector(node)
        ? null
        : 'its colour is animated';
    return [{ kind: 'color', node, names: [nameOf(owner), name], drawback, layers: [layer] }];
  });
}

/** Returns the numbers, points and gradients of a layer that have a slot. @param lists all lists of layers */
function slotTargets(
  { layer, name }: LocatedLayer,
  nodes: readonly LocatedNode[],
  lists: readonly (readonly LottieNode[])[],
): EditableTarget[] {
  const colors = new Set(nodes.map(({ node }) => colorIn(node)));
  return nodes.flatMap(({ node, around: [owner = {}] }): EditableTarget[] => {
    const kind = typeof node.sid === 'string' && !colors.has(node) ? propertyKind(node) : null;
    if (kind === null) return [];
    const siblings = lists.find((layers) => layers.includes(layer)) ?? [];
    const drawback = isAnimatedProperty(node) ? 'its value is animated' : null;
    return [{ kind, node, names: [nameOf(owner), name], drawback, layers: [layer, ...descendantsOf(layer, siblings)] }];
  });
}

/** Returns the images and sounds that layers show. */
function assetTargets({ assets = [] }: LottieDocument, shown: readonly LocatedLayer[]): EditableTarget[] {
  const media = shown.filter(({ layer: { ty } }) => ty === LAYER_TYPE.image || ty === LAYER_TYPE.audio);
  const usesById = groupBy(media, ({ layer }) => layer.refId);
  return assets.flatMap((asset): EditableTarget[] => {
    const uses = usesById.get(asset.id);
    if (uses === undefined || typeof asset.p !== 'string' || asset.layers !== undefined) return [];
    const path = asset.p.startsWith('data:') ? '' : `${typeof asset.u === 'string' ? asset.u : ''}${asset.p}`;
    const kind = uses.some(({ layer }) => layer.ty === LAYER_TYPE.audio) ? 'audio' : 'image';
    const names = [path, ...uses.map(({ name }) => name)];
    const drawback = asset.t === 'seq' ? 'it is an image sequence' : null;
    return [{ kind, node: asset, names, drawback, layers: uses.map(({ layer }) => layer) }];
  });
}

/** Finds the named expression controls, which affect the layers with expressions that are evaluated for each video. */
function controlTargets(animation: LottieDocument): EditableTarget[] {
  const allLocated = allLayers(animation);
  const controls = allLocated.flatMap(({ layer, name }) =>
    nodesOf({ layer: { ef: layer.ef }, pointer: '' }).flatMap(({ node: effect }) => {
      const control = namedControl(effect);
      return control === null ? [] : [{ ...control, names: [nameOf(effect), name] }];
    }),
  );
  if (controls.length === 0) return [];
  const isShown = ({ layer }: { layer: LottieNode }): boolean => layer.hd !== true;
  const following = allLocated.filter(isShown).filter((located) => nodesOf(located).some(({ node }) => isLive(node)));
  const layers = following.map(({ layer }) => layer);
  const drawback = layers.length === 0 ? 'no expression reads it' : null;
  return controls.map((control) => ({ ...control, drawback, layers }));
}

/** Returns the colour of a shape's fill or stroke, an effect, or a text animator. */
function colorIn(node: LottieNode): LottieNode | null {
  if (PAINTS.has(node.ty) && isRecord(node.c)) return node.c;
  if (isRecord(node.a) && isRecord(node.a.fc) && isRecord(node.s)) return node.a.fc;
  // The colour is the third value of the Fill effect.
  if ((node.mn === 'ADBE Fill' || node.ty === 21) && Array.isArray(node.ef)) {
    const color: unknown = isRecord(node.ef[2]) ? node.ef[2].v : null;
    return isRecord(color) ? color : null;
  }
  return null;
}

/** Returns the direct and indirect children of a layer, which it moves. */
function descendantsOf({ ind }: LottieNode, siblings: readonly LottieNode[]): LottieNode[] {
  if (typeof ind !== 'number') return [];
  return siblings.filter(({ parent }) => parent === ind).flatMap((child) => [child, ...descendantsOf(child, siblings)]);
}

function textDrawback(node: LottieNode): string | null {
  const styles = textStyles(node);
  const words = new Set(styles.map(({ t }) => t));
  if (words.size > 1) return 'its text changes over time';
  const [text = ''] = words;
  return normalizeLineBreaks(text).trim() === '' ? 'it is empty' : null;
}

function nameOf({ nm }: LottieNode): string {
  return typeof nm === 'string' ? nm : '';
}

/** How an editable of a new package was found. */
export type Origin = 'slot' | 'name' | 'proposed';

/** A node or group of nodes that becomes an editable. */
export interface FoundEditable {
  /** As in the mapping: `t_01`, `c_01`, `(Footage)/USER/photo.jpg`. */
  readonly key: string;
  readonly kind: EditableTarget['kind'];
  /** Name shown to users. */
  readonly label: string;
  readonly origin: Origin;
  /** Id of the slot or name of the layer in the source. */
  readonly sourceName: string;
  /** The nodes that store the key: `t.d` of text layers, colours and other properties, an asset. */
  readonly nodes: readonly LottieNode[];
  /** The layers that show the nodes. */
  readonly layers: readonly LottieNode[];
}

/** Content of a design that its package lacks. */
export interface Removal {
  readonly what: string;
  readonly layer: string;
}

/** A message to the designer about a change to the animation or an unused candidate. */
export interface InitNote {
  /** `changed`: the animation was modified. `skipped`: a candidate did not become an editable. */
  readonly kind: 'changed' | 'skipped';
  readonly message: string;
  /** Content that the change removed from the animation. `template check` keeps reporting it. */
  readonly removed?: readonly Removal[];
}
