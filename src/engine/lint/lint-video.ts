import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import {
  add,
  ceiling,
  divide,
  floor,
  multiply,
  type Rational,
  rational,
  rationalRate,
  toNumber,
} from '../../contract/timeline/rational.ts';
import { framesShowing, templateTimeAt, timeMapFrom } from '../../contract/timeline/time-map.ts';
import { defined } from '../../kernel/defined.ts';
import type { SafeAreaName } from '../../template/lint-severities.ts';
import type { InputScene, RenderInput, ScenesInput, VideoInput } from '../../template/render-input.ts';
import { layerTexts, withLayerText } from '../captions/layer-text.ts';
import { checkInput } from '../check-input.ts';
import { mediaFindings } from '../input-media.ts';
import { type LintFinding, MEDIA_CODES, type MediaFinding, momentAt } from '../lint-finding.ts';
import { sceneAt, sceneStarts, timelineStep } from '../scenes/scene-spans.ts';
import { findFlashes } from './flashes.ts';
import { HeardSounds } from './heard-sounds.ts';
import { type LintPart, lintable, lintDocument, lintInput } from './lint-input.ts';
import { MeasuredFrames } from './measured-frames.ts';
import { findMovingHolds } from './moving-holds.ts';

/**
 * Finds the defects of a video that its viewers would notice.
 *
 * @param safeAreas those of the scenes in order; one for a video of one template
 * @param part of a video of one template
 * @param heardSounds receives the sounds that were measured
 * @see lintInput
 */
export async function lintVideo(
  video: VideoInput,
  safeAreas: readonly (SafeAreaName | null)[] = [],
  part: LintPart = 'all',
  measuredFrames = new MeasuredFrames(),
  heardSounds = new HeardSounds(),
): Promise<LintFinding[]> {
  const found =
    'scenes' in video
      ? await lintScenes(video, safeAreas, measuredFrames)
      : await lintInput(video, safeAreas[0] ?? null, part, measuredFrames);
  if (part === 'flashes') return found;
  if (video.captions !== undefined) {
    const { lintCaptions } = await import('./lint-captions.ts');
    found.push(...(await lintCaptions(video, safeAreas)));
  }
  if (video.sounds.length === 0) return found;
  const { lintSound } = await import('./lint-sound.ts');
  const heard = await lintSound(video, heardSounds);
  return [...found, ...heard.map((finding) => ('scenes' in video ? inScene(finding, video) : finding))];
}

/** Adds the scene whose track a finding concerns. */
function inScene(finding: LintFinding, video: ScenesInput): LintFinding {
  const { editable } = finding;
  const scene = editable === null ? undefined : video.timeline.scenes.find(({ id }) => editable.startsWith(`${id}.`));
  return scene === undefined
    ? finding
    : ({ ...finding, editable: nameInVideo(video, scene.id, editable!), scene: scene.id } as LintFinding);
}

/**
 * Finds the defects of each scene, as `lintInput` does, at the frames of the video that show them. What a scene does not show is
 * not reported. Texts and images are checked as the template was designed; clips, sounds and flashes as the video shows them, with its
 * transitions.
 *
 * @throws RenderError for an input that cannot be drawn
 */
async function lintScenes(
  source: ScenesInput,
  safeAreas: readonly (SafeAreaName | null)[],
  measuredFrames: MeasuredFrames,
): Promise<LintFinding[]> {
  checkInput(source);
  const scenes: InputScene[] = [];
  for (const scene of source.scenes) scenes.push(await lintable(scene));
  const video = { ...source, scenes };
  const media = await mediaFindings(video);
  const found: LintFinding[] = [];
  // In sequence, because each scene holds its pictures in memory.
  for (const [index, { id }] of video.timeline.scenes.entries()) {
    const own = media.filter(({ editable }) => editable.startsWith(`${id}.`));
    found.push(...(await lintScene(video, index, own, safeAreas[index] ?? null, measuredFrames)));
  }
  const isOfScene = ({ editable }: MediaFinding): boolean =>
    video.timeline.scenes.some(({ id }) => editable.startsWith(`${id}.`));
  const ofVideo = media.filter((finding) => !isOfScene(finding)).map((finding) => ({ ...finding, box: null }));
  return [...found, ...ofVideo, ...(await lintPictures(video, measuredFrames.isLast))];
}

/** @param media defects of the clips and sounds of the scene, at frames of the video */
async function lintScene(
  video: ScenesInput,
  index: number,
  media: readonly MediaFinding[],
  safeArea: SafeAreaName | null,
  measuredFrames: MeasuredFrames,
): Promise<LintFinding[]> {
  const { timeline, fps } = video;
  const scene = video.scenes[index]!;
  const { id } = timeline.scenes[index]!;
  const starts = sceneStarts(video);
  const step = timelineStep(video);
  const alone = sceneAlone(video, index);
  const templateStep = divide(rationalRate(frameRateOf(scene.animation.fr)), rationalRate(frameRateOf(fps)));
  const map = timeMapFrom(scene.map);
  // Their moments are in the video, their places in the picture of the template.
  const moments = new Map(media.map(({ editable, frame, seconds, still }) => [editable, { frame, seconds, still }]));
  const placed = media.map((finding) => {
    const time = multiply(rational(Math.max(0, finding.frame - starts[index]!)), step);
    return { ...finding, frame: floor(divide(templateTimeAt(map, time), templateStep)) };
  });
  const found: LintFinding[] = [];
  for (const finding of await lintDocument(alone, placed, safeArea, measuredFrames)) {
    const editable = nameInVideo(video, id, finding.editable!);
    const known = isMedia(finding) ? moments.get(finding.editable) : undefined;
    const [span] = framesShowing(map, ...timesOf(finding.frame, templateStep), step);
    const frame = span && starts[index]! + span.from;
    const isShown = frame !== undefined && frame < starts[index + 1]!;
    const moment = known ?? (isShown ? momentAt(video, frame) : undefined);
    if (moment !== undefined) found.push({ ...finding, ...moment, editable, scene: id } as LintFinding);
  }
  const rate = toNumber(rationalRate(timeline.rate));
  for (const { from, ...hold } of await findMovingHolds(scene, alone, rate)) {
    const frame = Math.min(starts[index + 1]! - 1, starts[index]! + ceiling(divide(rational(from), step)));
    found.push({ code: 'hold_moves', editable: null, ...momentAt(video, frame), ...hold, box: null, scene: id });
  }
  return found;
}

const MEDIA: ReadonlySet<LintFinding['code']> = new Set(MEDIA_CODES);

function isMedia(finding: LintFinding): finding is LintFinding & MediaFinding {
  return MEDIA.has(finding.code);
}

/** Finds flashes, and transitions from an empty picture. */
async function lintPictures(video: ScenesInput, isLast: boolean): Promise<LintFinding[]> {
  const { scenes } = video.timeline;
  const starts = sceneStarts(video);
  const entered = scenes.flatMap(({ id, start, transition }, index) => {
    // A transition before the start shows the end of the scene before, instead of its last frame.
    const isHeld = transition !== null && transition.from >= start && starts[index]! > 0;
    return isHeld ? [{ id, frame: starts[index]!, before: scenes[index - 1]!.id }] : [];
  });
  const empty = new Set<number>();
  const flashes = await findFlashes(video, isLast, (frame, picture) => {
    if (entered.some((scene) => scene.frame === frame + 1) && hasOneColor(picture)) empty.add(frame + 1);
  });
  return [
    ...entered.flatMap(({ id, frame, before }): LintFinding[] => {
      const fields = { editable: null, before, box: null, scene: id };
      return empty.has(frame) ? [{ code: 'transition_from_empty', ...momentAt(video, frame), ...fields }] : [];
    }),
    ...flashes.map(({ frame, ...flash }): LintFinding => {
      const { id } = scenes[sceneAt(video, frame)!]!;
      return { code: 'flashes', editable: null, ...momentAt(video, frame), ...flash, scene: id };
    }),
  ];
}

/** Largest difference between the channels of two pixels of one colour, which gradients and compression cause. */
const SAME_COLOR = 2;

/** @param picture RGBA */
function hasOneColor(picture: Uint8Array): boolean {
  return picture.every((channel, at) => Math.abs(channel - picture[at % 4]!) <= SAME_COLOR);
}

/** Returns the times of the template that a frame stands for. */
function timesOf(frame: number, templateStep: Rational): [from: Rational, to: Rational] {
  const from = multiply(rational(frame), templateStep);
  return [from, add(from, templateStep)];
}

/** Names a value like its definition. Images, clips and sounds have the name of their scene already. */
function nameInVideo({ timeline }: ScenesInput, id: string, editable: string): string {
  const key = editable.startsWith(`${id}.`) ? editable.slice(id.length + 1) : editable;
  return timeline.scenes.length === 1 ? key : `${id}.${key}`;
}

/** Returns a scene as a video of its own, at the times of its template. Its texts for captions show the longest cue. */
function sceneAlone(video: ScenesInput, index: number): RenderInput {
  const { output, width, height, fps, captionLayers } = video;
  const { animation: empty, fonts, images, clips } = video.scenes[index]!;
  const [longest] = layerTexts(captionLayers, index);
  const animation = withLayerText(empty, longest);
  const layers = captionLayers && { ...captionLayers, scenes: [captionLayers.scenes[index]!] };
  const frameCount = Math.max(1, Math.round(((animation.op - animation.ip) * fps) / animation.fr));
  const file = { output, width, height, fps, frameCount, sounds: [], stills: [] };
  return { ...file, animation, fonts, images, clips, ...defined({ captionLayers: layers }) };
}
