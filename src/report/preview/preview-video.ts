import { packRenderInput } from '../../engine/packed-input.ts';
import { intoMemory, type RenderedFile } from '../../engine/rendered-file.ts';
import type { ComparedStill, StillComparison } from '../../engine/stills/compare-stills.ts';
import { defined, present } from '../../kernel/defined.ts';
import type { VideoInput } from '../../template/render-input.ts';
import { compareInputs, type InputComparison } from './changed-scenes.ts';
import { chooseMoments, type Moment, momentAt } from './choose-moments.ts';
import { inputKeys } from './input-keys.ts';
import type { Drafts, PreviewImage, PreviewStill, SceneChange, Unseen, VideoPreview } from './plan-preview.ts';
import { dropHiddenImages, shrinkInput } from './reduce-input.ts';

/** Port to a renderer; implemented by a render pool. */
export interface PreviewRenderer {
  /** Draws stills of two inputs and compares them. */
  compare(comparison: StillComparison): Promise<readonly ComparedStill[]>;
  video(renderInput: VideoInput): Promise<RenderedFile>;
}

export interface Sides {
  /** Null if the video is new or its previous state is unknown. */
  readonly before: VideoInput | null;
  readonly after: VideoInput;
  /** Names of changed editables as in plans; empty if something else changed. */
  readonly editables: readonly string[];
}

/** Longer side of a still, in pixels. */
const STILL_SIDE = 640;
const SAMPLE_SIDE = 320;
/** Number of frames, spread over the video, that must look alike before a change is called invisible. */
const SAMPLES = 16;
const MAX_COMPARED = 3;
const MAX_NEW = 2;
const JPEG_QUALITY = 80;
/** Share of differing pixels below which two images count as identical: two pixels of 640×360. */
const INVISIBLE_SHARE = 0.00001;
/** In pixels. */
const DRAFT_HEIGHT = 240;

/**
 * Draws a video before and after, at moments that show its changed editables and scenes. If both sides look alike at all of them,
 * compares small frames across the whole video and also shows the most different frame. Inputs with equal digests are not
 * drawn.
 */
export async function previewVideo({ before, after, editables }: Sides, draw: PreviewRenderer): Promise<VideoPreview> {
  if (before === null) {
    const moments = chooseMoments(after, { editables, most: MAX_NEW });
    const stills = await drawStills({ before, after }, moments.map(alone), draw);
    return { stills, isVisible: null, unseen: [] };
  }
  const unseen = unseenOf(before, after);
  if (inputKeys(before).picture === inputKeys(after).picture) return { stills: [], isVisible: false, unseen };
  const comparison = compareInputs(before, after);
  const moments = comparedMoments({ before, after, editables }, comparison);
  const stills = await drawStills({ before, after }, moments, draw);
  if (stills.some(isSeen)) return { stills, isVisible: true, unseen };
  const found = await findDifference({ before, after }, comparison, draw);
  if (found === null) return { stills, isVisible: false, unseen };
  const [shown] = await drawStills({ before, after }, [found], draw);
  const unchanged = stills.filter(({ timeSeconds }) => timeSeconds !== found.timeSeconds).slice(0, MAX_COMPARED - 1);
  const all = [...unchanged, shown!].sort((a, b) => a.timeSeconds - b.timeSeconds);
  return { stills: all, isVisible: true, unseen };
}

/** Draws a video at the first moment that shows the editables. @param editables as of `Sides` */
export async function drawMoment(
  after: VideoInput,
  editables: readonly string[],
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<PreviewImage> {
  const [moment] = chooseMoments(after, { editables, most: MAX_NEW });
  const [still] = await drawStills({ before: null, after }, [alone(moment!)], draw);
  return still!.after;
}

/** A moment, and the time of the earlier video that it is compared with; null for none. */
interface ComparedMoment extends Moment {
  readonly beforeSeconds: number | null;
  readonly change?: SceneChange;
}

function alone(moment: Moment): ComparedMoment {
  return { ...moment, beforeSeconds: null };
}

/** Chooses moments that show the changed editables, then those of other changed scenes and transitions. */
function comparedMoments({ after, editables }: Sides, { changed, beforeAt }: InputComparison): ComparedMoment[] {
  const chosen = chooseMoments(after, { editables, most: MAX_COMPARED, further: changed });
  return chosen.map((moment): ComparedMoment => {
    const frame = Math.round(moment.timeSeconds * after.fps);
    const found = moment.editables.length > 0 ? undefined : changed.find((change) => change.frame === frame);
    const { beforeSeconds = beforeAt(frame), scene = moment.scene } = found ?? {};
    const change = scene === undefined ? undefined : changed.find((candidate) => candidate.scene === scene)?.change;
    return { ...moment, beforeSeconds, ...defined({ scene, change }) };
  });
}

/** Renders both sides as small videos with a poster frame. Renders once if both sides look and sound the same. */
export async function draftVideo({ before, after }: Sides, draw: PreviewRenderer): Promise<Drafts> {
  const [afterKeys, beforeKeys] = [inputKeys(after), before && inputKeys(before)];
  const isSame = beforeKeys?.picture === afterKeys.picture && beforeKeys.sound === afterKeys.sound;
  const is = draw.video(draftOf(after));
  const [was, now] = await Promise.all([before === null || isSame ? null : draw.video(draftOf(before)), is]);
  const audible = (['before', 'after'] as const).filter((side) => (side === 'after' ? after : before)?.sounds.length);
  const [still] = now.stills;
  const [shown, earlier] = await Promise.all([intoMemory(now), was === null ? null : intoMemory(was)]);
  const drafts = { before: isSame ? shown.video : (earlier?.video ?? null), after: shown.video, audible };
  if (still === undefined) return drafts;
  const { bytes, width, height } = still;
  return { ...drafts, poster: { bytes, contentType: 'image/jpeg', width, height, url: null } };
}

function draftOf(renderInput: VideoInput): VideoInput {
  const { width, height, fps, frameCount } = renderInput;
  const small = shrinkInput(renderInput, (DRAFT_HEIGHT * Math.max(width, height)) / height, STILL_SIDE);
  const [{ timeSeconds }] = chooseMoments(renderInput, { editables: [], most: 1 }) as [Moment];
  const frame = Math.min(frameCount - 1, Math.round(timeSeconds * fps));
  return {
    ...small,
    stills: [{ name: 'poster', frame }],
    output: { ...renderInput.output, format: 'mp4', quality: 'low' },
  };
}

/** What has no counterpart in the earlier video is seen. */
function isSeen({ changedShare: share }: PreviewStill): boolean {
  return share === null || share > INVISIBLE_SHARE;
}

function unseenOf(before: VideoInput, after: VideoInput): Unseen[] {
  const [was, is] = [inputKeys(before), inputKeys(after)];
  return present<Unseen>([
    was.sound !== is.sound && 'sound',
    was.durationSeconds !== is.durationSeconds && 'duration',
    was.output !== is.output && 'output',
  ]);
}

/** Draws moments of a video as JPEGs whose longer side has 640 pixels. */
export async function drawMoments(
  renderInput: VideoInput,
  moments: readonly Moment[],
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<PreviewImage[]> {
  const stills = await drawStills({ before: null, after: renderInput }, moments.map(alone), draw);
  return stills.map(({ after }) => after);
}

type Both = Pick<Sides, 'before' | 'after'>;

async function drawStills(
  { before, after }: Both,
  moments: readonly ComparedMoment[],
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<PreviewStill[]> {
  const hasEarlier = ({ beforeSeconds }: ComparedMoment): boolean => before !== null && beforeSeconds !== null;
  const [paired, single] = [moments.filter(hasEarlier), moments.filter((moment) => !hasEarlier(moment))];
  const drawn = new Map<ComparedMoment, ComparedStill>();
  for (const [some, earlier] of [[paired, before] as const, [single, null] as const]) {
    if (some.length === 0) continue;
    const was = some.map(({ beforeSeconds }) => beforeSeconds!);
    const is = some.map(({ timeSeconds }) => timeSeconds);
    const pairs = await draw.compare({
      before: earlier && packRenderInput(framesOf(earlier, was, STILL_SIDE)),
      after: packRenderInput(framesOf(after, is, STILL_SIDE)),
      jpegQuality: JPEG_QUALITY,
    });
    for (const [index, moment] of some.entries()) drawn.set(moment, pairs[index]!);
  }
  return moments.map((moment): PreviewStill => {
    const { beforeSeconds, ...shown } = moment;
    const pair = drawn.get(moment)!;
    const isShifted = beforeSeconds !== null && Math.abs(beforeSeconds - moment.timeSeconds) * after.fps > 0.5;
    return {
      ...shown,
      ...(isShifted && { beforeSeconds }),
      before: pair.before && imageOf(pair.before, before!),
      after: imageOf(pair.after!, after),
      changedShare: pair.changedShare,
    };
  });
}

/** @returns the moment of the largest difference; null if both sides are identical */
async function findDifference(
  { before, after }: { before: VideoInput; after: VideoInput },
  { beforeAt }: InputComparison,
  draw: PreviewRenderer,
): Promise<ComparedMoment | null> {
  const isScenes = 'scenes' in before && 'scenes' in after;
  const ends = [after, ...(isScenes ? [] : [before])].map(({ frameCount, fps }) => frameCount / fps);
  const seconds = Math.min(...ends);
  const spread = Array.from({ length: SAMPLES }, (_, index) =>
    Math.floor(((index + 0.5) / SAMPLES) * seconds * after.fps),
  );
  const moments = [...new Set(spread)].flatMap((frame): ComparedMoment[] => {
    const beforeSeconds = beforeAt(frame);
    return beforeSeconds === null ? [] : [{ ...momentAt(after, frame, []), beforeSeconds }];
  });
  if (moments.length === 0) return null;
  const was = packRenderInput(framesOf(before, moments.map(({ beforeSeconds }) => beforeSeconds!), SAMPLE_SIDE)); // biome-ignore format: one line
  const is = packRenderInput(framesOf(after, moments.map(({ timeSeconds }) => timeSeconds), SAMPLE_SIDE)); // biome-ignore format: one line
  const pairs = await draw.compare({ before: was, after: is, jpegQuality: null });
  const shares = pairs.map(({ changedShare }) => changedShare!);
  const most = Math.max(...shares);
  return most > INVISIBLE_SHARE ? moments[shares.indexOf(most)]! : null;
}

/** Reduces an input to the content of its frames at the given times. */
function framesOf(renderInput: VideoInput, times: readonly number[], longest: number): VideoInput {
  const stills = times.map((seconds, index) => {
    return { name: `${index}`, frame: Math.min(renderInput.frameCount - 1, Math.round(seconds * renderInput.fps)) };
  });
  const shown = dropHiddenImages(
    renderInput,
    stills.map(({ frame }) => frame),
  );
  return { ...shrinkInput(shown, longest, STILL_SIDE), sounds: [], stills };
}

function imageOf(bytes: Uint8Array, renderInput: VideoInput): PreviewImage {
  const { width, height } = shrinkInput(renderInput, STILL_SIDE);
  return { bytes, contentType: 'image/jpeg', width, height, url: null };
}
