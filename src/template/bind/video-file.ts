import type { Timeline } from '../../contract/timeline/timeline.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import type { InputFile } from '../render-input.ts';
import type { TemplatePackage } from '../template-package.ts';
import { outputBasis } from '../video-measures.ts';
import { scenesFile } from './bind-scenes.ts';
import { inputFile } from './resolve-output.ts';

/**
 * Returns the size, length and stills of a file of a video, without a fingerprint.
 *
 * @param templates those of its scenes, in their order
 * @param timeline null for a template with values
 */
export function videoFile(
  templates: readonly TemplatePackage[],
  timeline: Timeline | null,
  output: OutputRequest,
): InputFile {
  if (timeline === null) return inputFile(outputBasis(templates[0]!), output, null);
  return scenesFile({ timeline, scenes: templates.map((template) => ({ template })) }, output, null);
}
