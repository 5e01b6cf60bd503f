import type { Timeline } from '../../contract/timeline/timeline.ts';
import { type Diagnostic, warningAt } from '../../kernel/diagnostic.ts';
import { leftOutStills, unheardSounds } from '../../template/bind/left-out-parts.ts';
import { MAX_STILLS } from '../../template/bind/scene-stills.ts';
import type { LocateScene } from './timeline-diagnostics.ts';
import type { TimelineTemplate, TimelineTemplates, TimelineVideo } from './video-timeline.ts';

/** Stills that a message names. */
const NAMED = 3;

/**
 * Reports the stills that a video of several scenes does not have, and the sounds of its templates that are never heard, each where
 * the length or the list of scenes decides it.
 *
 * @param timeline of the video
 * @param templates with those of all scenes
 */
export function leftOutParts(
  { scenes }: Pick<TimelineVideo, 'scenes'>,
  timeline: Timeline,
  templates: TimelineTemplates,
  locate: LocateScene,
): Diagnostic[] {
  const found = scenes.map(({ template }) => templates.get(template)!);
  const count = found.reduce((sum, { stills }) => sum + stills.length, 0);
  // Every other length shows the whole template.
  const isCut = scenes.map(({ shorten }) => shorten === 'cut');
  if (count <= MAX_STILLS && !isCut.includes(true)) return [];
  const { unshown, beyond } = leftOutStills(timeline, found);
  const ofScenes = scenes.flatMap(({ id, template, resources }, index): Diagnostic[] => {
    const stills = unshown.filter(({ scene }) => scene === index).map(({ name }) => name);
    const sounds = isCut[index] ? soundsOf(found[index]!, timeline, index, new Set(resources.keys())) : [];
    const inScene = `The scene ${id} is too short for`;
    const hint = 'Write a longer duration, or remove it from the template';
    return [
      ...stills.map((name) => {
        const message = `${inScene} the stillcut ${name} of the template ${template}, so the video has no such still`;
        return warningAt('still_left_out', locate(id, 'duration'), message, hint);
      }),
      ...sounds.map((name) => {
        const message = `${inScene} the sound ${name} of the template ${template}, which is never heard`;
        return warningAt('sound_unused', locate(id, 'duration'), message, hint);
      }),
    ];
  });
  if (beyond.length === 0) return ofScenes;
  const more = beyond.length > NAMED ? ` and ${beyond.length - NAMED} more` : '';
  const names = `${beyond.slice(0, NAMED).join(', ')}${more}`;
  const message = `The video has ${MAX_STILLS} stills at most; these are left out: ${names}`;
  const hint = 'Remove stillcuts from templates that many scenes have, or write several videos';
  return [...ofScenes, warningAt('still_left_out', locate(null, 'scenes'), message, hint)];
}

function soundsOf(
  { animation, sounds, fps }: TimelineTemplate,
  timeline: Timeline,
  index: number,
  filled: ReadonlySet<string>,
): string[] {
  return animation === undefined || sounds === undefined
    ? []
    : unheardSounds(timeline, index, { animation, sounds, fps }, filled);
}
