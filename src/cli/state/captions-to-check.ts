import type { SoundLengths } from '../../contract/video-measures.ts';
import { plainScene } from '../../contract/video-spec.ts';
import { type CheckedCaptions, checkedCaptions } from '../../reconciler/definition/caption-findings.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import { timelineOf } from '../../reconciler/definition/video-timeline.ts';
import type { TemplatePackage } from '../../template/template-package.ts';

/** Frames per second of a video whose template is not measured. */
const UNMEASURED_RATE = 25;

/** Returns the captions of a video with the rules that apply to them. */
export function captionsToCheck(
  video: Video,
  packageOf: (template: string) => TemplatePackage | null,
  lengths: SoundLengths,
): CheckedCaptions[] {
  const timeline = plainScene(video) === null ? timelineOf(video, { get: packageOf }, lengths)?.timeline : null;
  const rate = packageOf(video.scenes[0]!.template)?.fps ?? UNMEASURED_RATE;
  return checkedCaptions(video, timeline ?? null, rate);
}
