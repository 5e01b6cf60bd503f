import { frameRateOf } from '../../src/contract/timeline/frame-rate.ts';
import { outputLengthOf, resolveTimeline } from '../../src/contract/timeline/resolve-timeline.ts';
import { timeMapJson } from '../../src/contract/timeline/time-map.ts';
import type { SceneInput, TimelineInput, TransitionInput } from '../../src/contract/timeline/timeline.ts';
import type { InputScene, RenderInput, ScenesInput, TransitionStyle } from '../../src/template/render-input.ts';

/** A scene of a test: what the timeline receives, and what is drawn. */
export interface TestScene
  extends Omit<SceneInput, 'template' | 'transition'>,
    Partial<Pick<InputScene, 'background'>> {
  /** The template: an input of its own, whose frames are those of its animation. */
  readonly of: RenderInput;
  readonly timing?: TimelineInput['templates'][string]['timing'];
  readonly transition?: TransitionInput & Partial<Omit<TransitionStyle, 'type'>>;
}

export interface TestVideo extends Partial<Pick<TimelineInput, 'rate' | 'size'>> {
  /** Frames per second of the output; those of the timeline by default. */
  readonly fps?: number;
  readonly output?: RenderInput['output'];
  readonly stills?: RenderInput['stills'];
}

/** Returns a video of several scenes, without sounds. Throws an error for a timeline with one. */
export function sceneVideo(
  scenes: readonly TestScene[],
  { fps, output, stills = [], ...video }: TestVideo = {},
): ScenesInput {
  const templates = scenes.map(({ of, id, timing }) => {
    const { w: width, h: height, fr: rate, ip, op } = of.animation;
    return [id, { width, height, rate, frames: op - ip, stillcuts: {}, ...(timing === undefined ? {} : { timing }) }];
  });
  const listed = scenes.map(({ of: _, timing: __, background: ___, transition, ...scene }): SceneInput => {
    const { type = 'cut', duration, at } = transition ?? {};
    const fields = { type, ...(duration === undefined ? {} : { duration }), ...(at === undefined ? {} : { at }) };
    return { ...scene, template: scene.id, ...(transition === undefined ? {} : { transition: fields }) };
  });
  const { timeline, findings } = resolveTimeline({
    templates: Object.fromEntries(templates),
    scenes: listed,
    ...video,
  });
  if (timeline === null) throw new Error(JSON.stringify(findings));
  const { rate, frames, width, height } = timeline;
  const outputFps = fps ?? rate.numerator / rate.denominator;
  return {
    output: output ?? { format: 'mp4', quality: 'high', fingerprint: null },
    ...{ width, height, fps: outputFps, stills, sounds: [] },
    frameCount: outputLengthOf(frames, rate, frameRateOf(outputFps)),
    timeline: {
      ...{ rate, frames, width, height },
      scenes: timeline.scenes.map(({ id, start, length, transition }) => {
        return { id, start, length, transition: transition && { from: transition.from, frames: transition.frames } };
      }),
    },
    scenes: timeline.scenes.map(({ id, map, transition }): InputScene => {
      const { of, fit = 'cover', background = '#000000', transition: style } = scenes.find((scene) => scene.id === id)!;
      const { easing = 'linear', direction = 'left', color = '#ffffff' } = style ?? {};
      const type = transition?.type as TransitionStyle['type'];
      const { animation, fonts, images, clips } = of;
      return {
        ...{ animation, fonts, images, clips, fit, background },
        map: timeMapJson(map),
        transition: transition === null ? null : { type, easing, direction, color },
      };
    }),
  };
}
