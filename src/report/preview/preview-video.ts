import { packRenderInput } from '../../engine/packed-input.ts';
import { intoMemory, type RenderedFile } from '../../engine/rendered-file.ts';
import type { ComparedStill, StillComparison } from '../../engine/stills/compare-stills.ts';
import { present } from '../../kernel/defined.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { chooseMoments, type Moment } from './choose-moments.ts';
import { inputKeys } from './input-keys.ts';
import type { Drafts, PreviewImage, PreviewStill, Unseen, VideoPreview } from './plan-preview.ts';
import { dropHiddenImages, shrinkInput } from './reduce-input.ts';

/** Port to a renderer; implemented by a render pool. */
export interface PreviewRenderer {
  /** Draws stills of two inputs and compares them. */
  compare(comparison: StillComparison): Promise<readonly ComparedStill[]>;
  video(renderInput: RenderInput): Promise<RenderedFile>;
}

export interface Sides {
  /** Null if the video is new or its previous state is unknown. */
  readonly before: RenderInput | null;
  readonly after: RenderInput;
  /** Changed editables; empty if something else changed. */
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
 * Draws a video before and after, at moments that show its changed editables. If both sides look alike at all of them,
 * compares small frames across the whole video and also shows the most different frame. Inputs with equal digests are not
 * drawn.
 */
export async function previewVideo({ before, after, editables }: Sides, draw: PreviewRenderer): Promise<VideoPreview> {
  const unseen = before === null ? [] : unseenOf(before, after);
  if (before !== null && inputKeys(before).picture === inputKeys(after).picture) {
    return { stills: [], isVisible: false, unseen };
  }
  const moments = chooseMoments(after, { editables, most: before === null ? MAX_NEW : MAX_COMPARED });
  const stills = await drawStills({ before, after }, moments, draw);
  if (before === null) return { stills, isVisible: null, unseen };
  if (stills.some(isSeen)) return { stills, isVisible: true, unseen };
  const found = await findDifference({ before, after }, draw);
  if (found === null) return { stills, isVisible: false, unseen };
  const [shown] = await drawStills({ before, after }, [{ timeSeconds: found, editables: [] }], draw);
  const unchanged = stills.filter(({ timeSeconds }) => timeSeconds !== found).slice(0, MAX_COMPARED - 1);
  const all = [...unchanged, shown!].sort((a, b) => a.timeSeconds - b.timeSeconds);
  return { stills: all, isVisible: true, unseen };
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

function draftOf(renderInput: RenderInput): RenderInput {
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

function isSeen({ changedShare: share }: PreviewStill): boolean {
  return share !== null && share > INVISIBLE_SHARE;
}

function unseenOf(before: RenderInput, after: RenderInput): Unseen[] {
  const [was, is] = [inputKeys(before), inputKeys(after)];
  return present<Unseen>([
    was.sound !== is.sound && 'sound',
    was.durationSeconds !== is.durationSeconds && 'duration',
    was.output !== is.output && 'output',
  ]);
}

type Both = Pick<Sides, 'before' | 'after'>;

async function drawStills(
  { before, after }: Both,
  moments: readonly Moment[],
  draw: PreviewRenderer,
): Promise<PreviewStill[]> {
  const times = moments.map(({ timeSeconds }) => timeSeconds);
  const pairs = await draw.compare({
    before: before && packRenderInput(framesOf(before, times, STILL_SIDE)),
    after: packRenderInput(framesOf(after, times, STILL_SIDE)),
    jpegQuality: JPEG_QUALITY,
  });
  return moments.map((moment, index) => {
    const pair = pairs[index]!;
    return {
      ...moment,
      before: before && imageOf(pair.before!, before),
      after: imageOf(pair.after!, after),
      changedShare: pair.changedShare,
    };
  });
}

/** @returns time in seconds of the largest difference; null if both sides are identical */
async function findDifference(
  { before, after }: { before: RenderInput; after: RenderInput },
  draw: PreviewRenderer,
): Promise<number | null> {
  const seconds = Math.min(before.frameCount / before.fps, after.frameCount / after.fps);
  const frames = Array.from({ length: SAMPLES }, (_, index) =>
    Math.floor(((index + 0.5) / SAMPLES) * seconds * after.fps),
  );
  const times = [...new Set(frames)].map((frame) => frame / after.fps);
  const [was, is] = [before, after].map((renderInput) => packRenderInput(framesOf(renderInput, times, SAMPLE_SIDE)));
  const pairs = await draw.compare({ before: was!, after: is!, jpegQuality: null });
  const shares = pairs.map(({ changedShare }) => changedShare!);
  const most = Math.max(...shares);
  return most > INVISIBLE_SHARE ? times[shares.indexOf(most)]! : null;
}

/** Reduces an input to the content of its frames at the given times. */
function framesOf(renderInput: RenderInput, times: readonly number[], longest: number): RenderInput {
  const stills = times.map((seconds, index) => {
    return { name: `${index}`, frame: Math.min(renderInput.frameCount - 1, Math.round(seconds * renderInput.fps)) };
  });
  const images = dropHiddenImages(
    renderInput,
    stills.map(({ frame }) => frame),
  );
  return { ...shrinkInput({ ...renderInput, images }, longest, STILL_SIDE), sounds: [], stills };
}

function imageOf(bytes: Uint8Array, renderInput: RenderInput): PreviewImage {
  const { width, height } = shrinkInput(renderInput, STILL_SIDE);
  return { bytes, contentType: 'image/jpeg', width, height, url: null };
}
