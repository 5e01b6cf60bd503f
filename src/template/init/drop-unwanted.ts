import { isRecord } from '../../json.ts';
import { allLayers } from '../lottie/walk-lottie.ts';
import type { LottieDocument } from '../scene.ts';
import type { InitNote } from './found-editable.ts';

/**
 * Removes from an animation effects that would be drawn although they are switched off, and assets that no layer shows.
 * Expressions stay: they are never run, and `template check` can report them only while they are there.
 *
 * @param animation written to
 */
export function dropUnwanted(animation: LottieDocument): InitNote[] {
  const notes: InitNote[] = [];
  const note = (count: number, message: string): void => {
    if (count > 0) notes.push({ kind: 'changed', message });
  };
  const effects = dropSwitchedOff(animation);
  note(effects, `${effects} ${effects === 1 ? 'effect that is' : 'effects that are'} switched off went`);
  const assets = dropUnusedAssets(animation);
  note(
    assets.length,
    `Nothing shows ${assets.length === 1 ? 'the asset' : 'the assets'} ${assets.join(', ')}: left out`,
  );
  return notes;
}

function dropSwitchedOff(animation: LottieDocument): number {
  let count = 0;
  for (const { layer } of allLayers(animation)) {
    if (!Array.isArray(layer.ef)) continue;
    const kept = layer.ef.filter((effect: unknown) => !(isRecord(effect) && effect.en === 0));
    count += layer.ef.length - kept.length;
    layer.ef = kept;
  }
  return count;
}

/** @returns the ids of those that went */
function dropUnusedAssets(animation: LottieDocument): string[] {
  const { assets = [] } = animation;
  const lists = new Map(assets.map(({ id, layers }) => [id, layers]));
  const used = new Set<string>();
  const open: unknown[] = [animation.layers];
  for (let layers = open.pop(); layers !== undefined; layers = open.pop()) {
    if (!Array.isArray(layers)) continue;
    for (const layer of layers as unknown[]) {
      if (!isRecord(layer) || typeof layer.refId !== 'string' || used.has(layer.refId)) continue;
      used.add(layer.refId);
      open.push(lists.get(layer.refId) ?? []);
    }
  }
  animation.assets = assets.filter(({ id }) => used.has(id));
  return assets.filter(({ id }) => !used.has(id)).map(({ id }) => id);
}
