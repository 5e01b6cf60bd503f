import { plainScene } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import type { LockEntry, LockScene } from '../lock/lock.ts';
import type { DesiredVideo, SceneTimes } from './desired-video.ts';
import type { FieldChange, InputChange } from './plan.ts';

/** How a scene differs from the last rendering. */
export type SceneDifference = 'added' | 'removed' | 'moved' | 'changed';

/** A scene of a video that is more than a template with values. Times are in seconds, rounded to milliseconds. */
export interface ComparedScene {
  readonly id: string;
  readonly template: string;
  /** Null for an unchanged scene, and if the video was not rendered before. */
  readonly difference: SceneDifference | null;
  /** Null if it is not known, and for a removed scene. */
  readonly start: number | null;
  readonly length: number | null;
  /** Length in the last rendering; null if there is none, or it is not known. */
  readonly before: number | null;
  /** Why it is as long as it is; absent if the length is not known. */
  readonly why?: SceneTimes['why'];
}

/** Returns a length in seconds. @param rate frames per second */
export function roundedSeconds(frames: number, rate: number): number {
  return Math.round((frames / rate) * 1000) / 1000;
}

type ScenesOf = Pick<DesiredVideo, 'scenes' | 'styleVersions' | 'times' | 'measures' | 'size' | 'rate' | 'duration'>;

/**
 * Compares the scenes of a video with those of its last rendering by their ids: those of the video in its order, then removed
 * scenes.
 *
 * @param inputs differences of the video
 * @returns null for a template with values, which was one before
 */
export function compareScenes(
  before: Pick<LockEntry, 'fingerprint' | 'scenes' | 'template' | 'style_version'> | null,
  desired: ScenesOf & Pick<DesiredVideo, 'fingerprint'>,
  inputs: readonly InputChange[],
): ComparedScene[] | null {
  const was = before === null ? [] : recordedScenes(before, desired);
  // Ids can change without a rendering.
  const isRendered = before?.fingerprint === desired.fingerprint;
  const isPlain = plainScene(desired) !== null;
  if (isPlain && before?.scenes === undefined) return null;
  const { measures, times, styleVersions } = desired;
  const moved = movedIds(
    was.map(({ id }) => id),
    desired.scenes.map(({ id }) => id),
  );
  const changedIds = new Set(
    inputs.map(({ scene }) => scene ?? (desired.scenes.length === 1 ? desired.scenes[0]!.id : '')),
  );
  const scenes = desired.scenes.map(({ id, template }, index): ComparedScene => {
    const time = times?.[index];
    const seconds = (frames: number | undefined): number | null =>
      frames === undefined || measures === null ? null : roundedSeconds(frames, measures.rate);
    const old = isRendered ? was[index] : was.find((scene) => scene.id === id);
    const length = isPlain && measures !== null ? seconds(measures.frames) : seconds(time?.length);
    const isSame =
      old !== undefined &&
      old.template === template &&
      old.style_version === styleVersions[template] &&
      (old.length === undefined || length === null || old.length === length) &&
      !changedIds.has(id);
    const difference = old === undefined ? 'added' : moved.has(id) ? 'moved' : isSame ? null : 'changed';
    return {
      id,
      template,
      difference: before === null || isRendered ? null : difference,
      start: isPlain ? 0 : seconds(time?.start),
      length,
      before: old?.length ?? null,
      ...defined({ why: time?.why }),
    };
  });
  const gone = isRendered ? [] : was.filter(({ id }) => !desired.scenes.some((scene) => scene.id === id));
  const removed = gone.map(({ id, template, length = null }): ComparedScene => {
    return { id, template, difference: 'removed', start: null, length: null, before: length };
  });
  return [...scenes, ...removed];
}

type RecordedScene = Pick<LockScene, 'id' | 'template' | 'style_version' | 'length'>;

/** An entry of a template with values has one scene: that of the same template, if the video has any. */
function recordedScenes(
  { scenes, template, style_version }: Pick<LockEntry, 'scenes' | 'template' | 'style_version'>,
  desired: Pick<DesiredVideo, 'scenes'>,
): readonly RecordedScene[] {
  const successor = desired.scenes.find((scene) => scene.template === template)?.id ?? template;
  return scenes ?? [{ id: successor, template, style_version }];
}

/** Returns the ids that prefix the names of inputs in a lock entry: those of several scenes, and of a scene that has several neighbours now. */
export function recordedSceneIds(before: LockEntry, desired: Pick<DesiredVideo, 'scenes'>): string[] {
  const was = recordedScenes(before, desired);
  return was.length === 1 && desired.scenes.length === 1 ? [] : was.map(({ id }) => id);
}

/** Returns fields that differ: the list of ids, and the templates of scenes that both have. */
export function sceneFields(before: LockEntry, desired: DesiredVideo): FieldChange[] {
  const isPlain = plainScene(desired) !== null;
  if (isPlain && before.scenes === undefined) return [];
  const was = recordedScenes(before, desired);
  const fields: FieldChange[] = [];
  const { scenes, styleVersions } = desired;
  const isSameList = was.length === scenes.length && was.every(({ id }, at) => id === scenes[at]!.id);
  if (!isSameList) fields.push({ field: 'scenes', before: idsOf(was), after: idsOf(scenes) });
  if (scenes.length === 1) return fields;
  scenes.forEach(({ id, template }, at) => {
    const old = isSameList ? was[at]! : was.find((scene) => scene.id === id);
    const version = styleVersions[template]!;
    if (old !== undefined && old.template !== template) {
      fields.push({ field: `scenes.${id}.template`, before: old.template, after: template });
    }
    if (old !== undefined && old.style_version !== version) {
      fields.push({ field: `scenes.${id}.style_version`, before: old.style_version, after: version });
    }
  });
  return fields;
}

function idsOf(scenes: readonly { readonly id: string }[]): string {
  return scenes.map(({ id }) => id).join(', ');
}

/** Returns the fewest ids that have to move for the order to change from one to the other. */
export function movedIds(before: readonly string[], after: readonly string[]): Set<string> {
  const common = after.filter((id) => before.includes(id));
  const places = common.map((id) => before.indexOf(id));
  // Length of the longest ascending run of places that ends at each id, and the id before it.
  const runs: { readonly length: number; readonly previous: number }[] = [];
  for (const [at, place] of places.entries()) {
    let [length, previous] = [1, -1];
    for (let earlier = 0; earlier < at; earlier++) {
      const run = runs[earlier]!.length + 1;
      if (places[earlier]! < place && run > length) [length, previous] = [run, earlier];
    }
    runs.push({ length, previous });
  }
  const longest = Math.max(0, ...runs.map(({ length }) => length));
  let at = runs.findIndex(({ length }) => length === longest);
  const moved = new Set(common);
  for (; at >= 0; at = runs[at]!.previous) moved.delete(common[at]!);
  return moved;
}
