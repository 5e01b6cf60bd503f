import { isRecord } from '../../kernel/json.ts';
import { allLayers, LAYER_TYPE, type LottieNode, layerLists, nodesOf } from '../lottie/lottie-layers.ts';
import { lacksDashOffset } from '../lottie/unsupported/find-unsupported.ts';
import type { LottieDocument } from '../render-input.ts';
import type { InitNote, Removal } from './editable-targets.ts';

/** Versions of Bodymovin that introduced the current forms. */
const COLORS_TO_ONE = [4, 1, 9];
const CLOSED_IN_PATH = [4, 4, 18];
const TEXT_IN_KEYFRAMES = [4, 4, 14];

/**
 * Converts documents of old versions of Bodymovin to the current form, as lottie-web does on loading, because the renderer
 * supports only that form.
 *
 * @param animation modified
 * @returns the changes, as sentences
 */
export function upgradeDocument(animation: LottieDocument): string[] {
  const version = String(animation.v ?? '')
    .split('.')
    .map(Number);
  const changes: string[] = [];
  if (isOlder(version, TEXT_IN_KEYFRAMES) && upgradeTexts(animation) > 0) changes.push('Added keyframes to texts');
  if (isOlder(version, COLORS_TO_ONE) && upgradeColors(animation) > 0)
    changes.push('Converted colours from 0–255 to 0–1');
  if (isOlder(version, CLOSED_IN_PATH) && upgradePaths(animation) > 0) changes.push('Marked closed paths as closed');
  if (opaqueColors(animation) > 0) changes.push('Made colours of fills and strokes opaque, as players show them');
  if (repairKeyframes(animation) > 0)
    changes.push('Repaired keyframes whose values are no lists, or whose easing is null');
  if (upgradeDashes(animation) > 0) changes.push('Added an offset of 0 to dashes without one');
  return changes;
}

/** Returns whether a version is older than another version. A document without a version counts as current. */
function isOlder(version: readonly number[], than: readonly number[]): boolean {
  if (version.length < 2 || version.some(Number.isNaN)) return false;
  for (const [index, part] of than.entries()) {
    const number = version[index] ?? 0;
    if (number !== part) return number < part;
  }
  return false;
}

function upgradeTexts(animation: LottieDocument): number {
  const texts = allLayers(animation).flatMap(({ layer: { ty, t } }) => {
    return ty === LAYER_TYPE.text && isRecord(t) && isRecord(t.d) && !('k' in t.d) ? [t] : [];
  });
  for (const text of texts) text.d = { k: [{ s: text.d, t: 0 }] };
  return texts.length;
}

function upgradeColors(animation: LottieDocument): number {
  const colors = nodes(animation).flatMap(({ ty, c }) => ((ty === 'fl' || ty === 'st') && isRecord(c) ? [c] : []));
  for (const color of colors) {
    if (!Array.isArray(color.k)) continue;
    if (typeof color.k[0] === 'number') color.k = withUnitChannels(color.k);
    else {
      for (const frame of color.k as unknown[]) {
        if (!isRecord(frame)) continue;
        for (const end of ['s', 'e']) if (Array.isArray(frame[end])) frame[end] = withUnitChannels(frame[end]);
      }
    }
  }
  return colors.length;
}

/** Fields of a keyframe that some programs write as null instead of omitting them. */
const NULLABLE = ['i', 'o', 'ti', 'to', 's', 'e'];

/** Marks properties with keyframes as animated, writes their numbers as lists, and removes empty fields, because the renderer ignores other forms. */
function repairKeyframes(animation: LottieDocument): number {
  let count = 0;
  for (const node of nodes(animation)) {
    const frames: readonly unknown[] = Array.isArray(node.k) ? node.k : [];
    for (const frame of frames) {
      if (!isRecord(frame) || typeof frame.t !== 'number') continue;
      if (node.a === 0) node.a = 1;
      const empty = NULLABLE.filter((field) => frame[field] === null);
      const bare = ['s', 'e'].filter((field) => typeof frame[field] === 'number');
      for (const field of empty) delete frame[field];
      for (const field of bare) frame[field] = [frame[field]];
      if (empty.length + bare.length > 0) count++;
    }
  }
  return count;
}

/** Sets the alpha of solid colours to 1, because players ignore it and use the opacity of the fill or stroke. */
function opaqueColors(animation: LottieDocument): number {
  let count = 0;
  const opaque = (color: unknown): void => {
    if (!Array.isArray(color) || color.length !== 4 || typeof color[3] !== 'number' || color[3] === 1) return;
    color[3] = 1;
    count++;
  };
  for (const { ty, c } of nodes(animation)) {
    if ((ty !== 'fl' && ty !== 'st') || !isRecord(c) || !Array.isArray(c.k)) continue;
    opaque(c.k);
    for (const frame of c.k as unknown[]) if (isRecord(frame)) for (const end of ['s', 'e']) opaque(frame[end]);
  }
  return count;
}

function withUnitChannels(color: readonly unknown[]): number[] {
  return color.map((value, index) => (index < 3 ? Number(value) / 255 : Number(value)));
}

function upgradePaths(animation: LottieDocument): number {
  const paths = nodes(animation).flatMap((node) => {
    if (node.ty === 'sh' && isRecord(node.ks)) return [{ path: node.ks, isClosed: node.closed === true }];
    return isRecord(node.pt) && 'mode' in node ? [{ path: node.pt, isClosed: node.cl !== false }] : [];
  });
  for (const { path, isClosed } of paths) {
    const frames = Array.isArray(path.k) ? path.k.filter(isRecord) : [];
    const shapes = frames.flatMap(({ s, e }) => [s, e].flatMap((value) => (Array.isArray(value) ? [value[0]] : [])));
    for (const shape of [path.k, ...shapes]) if (isRecord(shape)) shape.c = isClosed;
  }
  return paths.length;
}

/** Adds missing dash offsets, because the renderer would use the last dash as the offset. */
function upgradeDashes(animation: LottieDocument): number {
  const lists = nodes(animation).flatMap((node) => (lacksDashOffset(node) ? [node] : []));
  for (const node of lists) {
    const dashes = node.d as LottieNode[];
    const offset = dashes.find(({ n }) => n === 'o') ?? { n: 'o', nm: 'offset', v: { a: 0, k: 0 } };
    node.d = [...dashes.filter(({ n }) => n !== 'o'), offset];
  }
  return lists.length;
}

function nodes(animation: LottieDocument): LottieNode[] {
  return allLayers(animation).flatMap((located) => nodesOf(located).map(({ node }) => node));
}

/**
 * Removes disabled effects, which would be drawn, and assets that no layer shows.
 *
 * @param animation modified
 */
export function dropUnused(animation: LottieDocument): InitNote[] {
  const notes: InitNote[] = [];
  const removed = dropDisabledEffects(animation);
  if (removed.length > 0) {
    const effects = removed.length === 1 ? 'effect that is' : 'effects that are';
    notes.push({ kind: 'changed', message: `Removed ${removed.length} ${effects} switched off`, removed });
  }
  const assets = dropUnusedAssets(animation);
  if (assets.length > 0) {
    const message = `Omitted unused ${assets.length === 1 ? 'asset' : 'assets'} ${assets.join(', ')}`;
    notes.push({ kind: 'changed', message });
  }
  return notes;
}

function dropDisabledEffects(animation: LottieDocument): Removal[] {
  const removed: Removal[] = [];
  for (const { layer, name } of allLayers(animation)) {
    if (!Array.isArray(layer.ef)) continue;
    const isOff = (effect: unknown): effect is LottieNode => isRecord(effect) && effect.en === 0;
    const titles = layer.ef.filter(isOff).map(({ nm, mn }) => String(nm ?? mn ?? 'without a name'));
    removed.push(...titles.map((title) => ({ what: `effect ${title}, switched off`, layer: name })));
    layer.ef = layer.ef.filter((effect: unknown) => !isOff(effect));
  }
  return removed;
}

/** @returns the ids of the removed assets */
function dropUnusedAssets(animation: LottieDocument): string[] {
  const { assets = [] } = animation;
  const lists = new Map(assets.map(({ id, layers }) => [id, layers]));
  const used = new Set<string>();
  const pending: unknown[] = [animation.layers];
  for (let layers = pending.pop(); layers !== undefined; layers = pending.pop()) {
    if (!Array.isArray(layers)) continue;
    for (const layer of layers as unknown[]) {
      if (!isRecord(layer) || typeof layer.refId !== 'string' || used.has(layer.refId)) continue;
      used.add(layer.refId);
      pending.push(lists.get(layer.refId) ?? []);
    }
  }
  animation.assets = assets.filter(({ id }) => used.has(id));
  return assets.filter(({ id }) => !used.has(id)).map(({ id }) => id);
}

/**
 * Assigns new numbers to layers that have the number of an earlier layer. References still refer to the earlier layer.
 *
 * @param animation modified
 * @returns the number of renumbered layers
 */
export function renumberLayers(animation: LottieDocument): number {
  return [...layerLists(animation)].reduce((sum, layers) => sum + renumber(layers), 0);
}

function renumber(layers: readonly LottieNode[]): number {
  const used = new Set<number>();
  let next = Math.max(0, ...layers.map(({ ind }) => (typeof ind === 'number' ? ind : 0)));
  let count = 0;
  for (const layer of layers) {
    const { ind } = layer;
    if (typeof ind !== 'number') continue;
    if (!used.has(ind)) {
      used.add(ind);
      continue;
    }
    layer.ind = ++next;
    count++;
  }
  return count;
}
