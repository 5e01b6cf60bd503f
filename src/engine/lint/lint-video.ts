import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { add, divide, multiply, type Rational, rational, rationalRate } from '../../contract/timeline/rational.ts';
import { framesShowing, timeMapFrom } from '../../contract/timeline/time-map.ts';
import type { SafeAreaName } from '../../template/lint-severities.ts';
import type { InputScene, RenderInput, ScenesInput, VideoInput } from '../../template/render-input.ts';
import { type LintFinding, momentAt } from '../lint-finding.ts';
import { sceneStarts, timelineStep } from '../scenes/scene-spans.ts';
import { lintInput } from './lint-input.ts';

/** Finds the defects of a video that its viewers would notice. @see lintInput */
export function lintVideo(video: VideoInput, safeArea: SafeAreaName | null = null): Promise<LintFinding[]> {
  return 'scenes' in video ? lintScenes(video, safeArea) : lintInput(video, safeArea);
}

/**
 * Finds the defects of each scene, as `lintInput` does, at the frames of the video that show them. What a scene does not show is
 * not reported. Transitions are not checked.
 *
 * @throws RenderError for an input that cannot be drawn
 */
async function lintScenes(video: ScenesInput, safeArea: SafeAreaName | null = null): Promise<LintFinding[]> {
  const starts = sceneStarts(video);
  const step = timelineStep(video);
  const found: LintFinding[] = [];
  // In sequence, because each scene holds its pictures in memory.
  for (const [index, scene] of video.scenes.entries()) {
    const { id } = video.timeline.scenes[index]!;
    const alone = sceneAlone(video, scene);
    const templateStep = divide(rationalRate(frameRateOf(scene.animation.fr)), rationalRate(frameRateOf(video.fps)));
    const map = timeMapFrom(scene.map);
    for (const finding of await lintInput(alone, safeArea)) {
      const [span] = framesShowing(map, ...timesOf(finding.frame, templateStep), step);
      const frame = span && starts[index]! + span.from;
      if (frame === undefined || frame >= starts[index + 1]!) continue;
      const editable = finding.editable === null ? null : nameIn(id, finding.editable);
      found.push({ ...finding, ...momentAt(video, frame), editable } as LintFinding);
    }
  }
  return found;
}

/** Returns the times of the template that a frame stands for. */
function timesOf(frame: number, templateStep: Rational): [from: Rational, to: Rational] {
  const from = multiply(rational(frame), templateStep);
  return [from, add(from, templateStep)];
}

/** Images, clips and sounds have the name of their scene already. */
function nameIn(id: string, editable: string): string {
  return editable.startsWith(`${id}.`) ? editable : `${id}.${editable}`;
}

/** Returns a scene as a video of its own, at the times of its template. */
function sceneAlone(video: ScenesInput, { animation, fonts, images, clips }: InputScene): RenderInput {
  const { output, width, height, fps } = video;
  const frameCount = Math.max(1, Math.round(((animation.op - animation.ip) * fps) / animation.fr));
  return { output, width, height, fps, frameCount, animation, fonts, images, clips, sounds: [], stills: [] };
}
