import { formatColor } from '../color.ts';
import { solidColor, solidShape } from '../lottie/drawing-form/solid-color.ts';
import { allLayers, isConstantVector, LAYER_TYPE, type LottieNode } from '../lottie/lottie-layers.ts';
import type { LottieDocument } from '../render-input.ts';
import { type EditableTarget, type FoundEditable, findEditableTargets } from './editable-targets.ts';
import { assignKey } from './find-editables.ts';
import { type KeyGenerator, labelOf } from './key-generator.ts';

/** A solid colour that several layers use. */
export interface SharedColor {
  /** Six hexadecimal digits; eight for a translucent colour. */
  readonly color: string;
  readonly layerCount: number;
}

/** Returns the solid colours that are not editables, sorted by number of layers, descending. */
export function sharedColors(animation: LottieDocument): SharedColor[] {
  return [...groups(animation)].map(([color, targets]) => ({ color, layerCount: layersOf(targets).size }));
}

/**
 * Creates an editable for each solid colour that at least `minLayers` layers use, which changes all of them.
 *
 * @param animation modified: targets get their key
 */
export function suggestColors(animation: LottieDocument, keys: KeyGenerator, minLayers: number): FoundEditable[] {
  return [...groups(animation)].flatMap(([color, targets]) => {
    const layers = layersOf(targets);
    if (layers.size < minLayers) return [];
    const names = [...new Set(targets.map((target) => target.names.at(-1)!))];
    const more = names.length > 2 ? ` and ${names.length - 2} more` : '';
    const label = labelOf(`Colour #${color} (${names.slice(0, 2).join(', ')}${more})`, color);
    return [assignKey(keys.numbered('color'), targets, { label, sourceName: `#${color}`, origin: 'proposed' })];
  });
}

/**
 * Replaces solid layers with equivalent shape layers, because the colour of a solid cannot be an editable.
 *
 * @param animation modified
 * @returns the number of replaced layers
 */
export function solidsToShapes(animation: LottieDocument): number {
  const solids = allLayers(animation).filter(
    ({ layer }) => layer.ty === LAYER_TYPE.solid && solidColor(layer) !== null,
  );
  for (const { layer } of solids) {
    const shape = solidShape(layer, solidColor(layer)!);
    for (const field of ['sw', 'sh', 'sc']) delete layer[field];
    Object.assign(layer, shape);
  }
  return solids.length;
}

function groups(animation: LottieDocument): Map<string, EditableTarget[]> {
  const byColor = new Map<string, EditableTarget[]>();
  for (const target of findEditableTargets(animation)) {
    if (
      target.kind !== 'color' ||
      target.drawback !== null ||
      target.node.sid !== undefined ||
      !isConstantVector(target.node)
    )
      continue;
    // Targets that differ in alpha are different colours. Transparent ones are not visible and skipped.
    const color = formatColor(target.node.k);
    if (color.length === 8 && color.endsWith('00')) continue;
    byColor.set(color, [...(byColor.get(color) ?? []), target]);
  }
  return new Map([...byColor].sort(([, a], [, b]) => layersOf(b).size - layersOf(a).size));
}

function layersOf(targets: readonly EditableTarget[]): Set<LottieNode> {
  return new Set(targets.flatMap(({ layers }) => layers));
}
