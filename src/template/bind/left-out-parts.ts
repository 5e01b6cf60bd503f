import { rationalRate } from '../../contract/timeline/rational.ts';
import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import type { Timeline } from '../../contract/timeline/timeline.ts';
import { findSlotUses } from '../lottie/slots/lottie-slots.ts';
import type { TemplatePackage } from '../template-package.ts';
import { soundTimes } from './bind-media.ts';
import { inputFile } from './resolve-output.ts';
import { heardTimes } from './scene-sounds.ts';
import { MAX_STILLS, sceneStills } from './scene-stills.ts';

/** Stills that a video does not have. */
export interface LeftOutStills {
  /** Stillcuts that their scene does not show: index of the scene, and name. */
  readonly unshown: readonly { readonly scene: number; readonly name: string }[];
  /** Names of the stills after the most that a video can have. */
  readonly beyond: readonly string[];
}

/**
 * Returns the stills that a video of several scenes does not have.
 *
 * @param templates those of the scenes, in their order
 */
export function leftOutStills(
  timeline: Timeline,
  templates: readonly Pick<TemplatePackage, 'stills'>[],
): LeftOutStills {
  const file = inputFile({ ...timelineMeasures(timeline), stills: [] }, undefined, null);
  const found = templates.map(({ stills }, index) =>
    sceneStills(timeline, index, stills, file).map(({ name }) => name),
  );
  const unshown = templates.flatMap(({ stills }, scene) => {
    const { id } = timeline.scenes[scene]!;
    return stills.flatMap(({ name }) => (found[scene]!.includes(`${id}.${name}`) ? [] : [{ scene, name }]));
  });
  return { unshown, beyond: found.flat().slice(MAX_STILLS) };
}

/** A template whose sounds are known. */
type SoundTemplate = Pick<TemplatePackage, 'animation' | 'sounds' | 'fps'>;

/**
 * Returns the sounds of a template that a scene never plays, because it does not show their layers: paths of the package, and keys
 * of editables.
 *
 * @param index of the scene
 * @param filled keys of editables that have a value
 */
export function unheardSounds(
  timeline: Timeline,
  index: number,
  { animation, sounds, fps }: SoundTemplate,
  filled: ReadonlySet<string>,
): string[] {
  const rate = rationalRate(timeline.rate);
  const names = new Map([...sounds].map(([assetId, { path }]) => [assetId, path]));
  for (const [key, uses] of findSlotUses(animation)) {
    if (filled.has(key)) for (const use of uses) if (use.kind === 'sound') names.set(use.assetId, key);
  }
  return [...soundTimes(animation)].flatMap(([assetId, times]) => {
    const name = names.get(assetId);
    const isHeard = times.some((sound) => heardTimes(timeline.scenes[index]!, sound, fps, rate) !== null);
    return name === undefined || isHeard ? [] : [name];
  });
}
