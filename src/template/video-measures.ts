import type { TemplateFacts } from '../contract/timeline/timeline.ts';
import type { VideoMeasures } from '../contract/video-measures.ts';
import { defined } from '../kernel/defined.ts';
import { remembered } from '../kernel/memory.ts';
import type { Still } from './render-input.ts';
import type { TemplatePackage } from './template-package.ts';

/** The properties of a template that decide the size, length and stills of a video. */
export type MeasuredTemplate = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount' | 'stills'>;

/**
 * Returns the size and length of a video. Everything that depends on how long a *video* is takes it from here; the fields
 * of a package describe the template.
 */
export function videoMeasures({ width, height, fps, frameCount }: Omit<MeasuredTemplate, 'stills'>): VideoMeasures {
  return { width, height, rate: fps, frames: frameCount };
}

/** The frames that the outputs of a video sample, and its stills. */
export interface OutputBasis extends VideoMeasures {
  /** Their frames are counted at the video's rate. */
  readonly stills: readonly Still[];
}

/** Returns the measures and stills of a video, before its outputs. */
export function outputBasis(template: MeasuredTemplate): OutputBasis {
  return { stills: template.stills, ...videoMeasures(template) };
}

type FactualTemplate = MeasuredTemplate & Pick<TemplatePackage, 'spec'>;

/** Returns the facts about a template that decide its place in a video of scenes: the same object each time. */
export const templateFacts = remembered((template: FactualTemplate): TemplateFacts => {
  const { width, height, fps, frameCount, stills, spec } = template;
  const stillcuts = Object.fromEntries(stills.map(({ name, frame }) => [name, frame]));
  return { width, height, rate: fps, frames: frameCount, stillcuts, ...defined({ timing: spec.timing }) };
});
