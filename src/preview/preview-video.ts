import { packScene } from '../engine/packed-scene.ts';
import type { RenderedStill } from '../engine/raster/raster-protocol.ts';
import type { Rendering } from '../engine/rendering.ts';
import type { ComparedStill, Comparison } from '../engine/stills/still-protocol.ts';
import type { Scene } from '../template/scene.ts';
import { chooseMoments, type Moment } from './choose-moments.ts';
import type { Drafts, PreviewImage, PreviewStill, Unseen, VideoPreview } from './plan-preview.ts';
import { shownImages, shrinkScene } from './reduce-scene.ts';
import { sceneKeys } from './scene-keys.ts';

/** Draws scenes; a render pool does. */
export interface Draw {
  /** Stills of two scenes, compared. */
  compare(comparison: Comparison): Promise<readonly ComparedStill[]>;
  video(scene: Scene): Promise<Rendering>;
}

/** Both sides of a video. */
export interface Sides {
  /** Null for one that is new, or of which nobody knows what it was. */
  readonly before: Scene | null;
  readonly after: Scene;
  /** Editables that changed; none where something else did. */
  readonly editables: readonly string[];
}

/** Pixels of the longer side. */
const STILL_SIDE = 640;
const SAMPLE_SIDE = 320;
/** Frames all over the video that are looked at before a change is called invisible. */
const SAMPLES = 16;
const MOST_COMPARED = 3;
const MOST_NEW = 2;
const JPEG_QUALITY = 80;
/** Up to this share of changed pixels nobody can tell two pictures apart: two pixels of a frame of 640×360. */
const INVISIBLE_SHARE = 0.00001;
/** Pixels. */
const DRAFT_HEIGHT = 240;

/**
 * Draws a video as it was and as it would be, at the moments at which its changed editables are seen. Where both sides look
 * alike at all of them, frames all over the video are compared, in small, and the one that differs most is shown too. What is
 * the same by its digest is not drawn.
 */
export async function previewVideo({ before, after, editables }: Sides, draw: Draw): Promise<VideoPreview> {
  const unseen = before === null ? [] : unseenOf(before, after);
  if (before !== null && sceneKeys(before).picture === sceneKeys(after).picture) {
    return { stills: [], isVisible: false, unseen };
  }
  const moments = chooseMoments(after, { editables, most: before === null ? MOST_NEW : MOST_COMPARED });
  const stills = await drawStills({ before, after }, moments, draw);
  if (before === null) return { stills, isVisible: null, unseen };
  if (stills.some(isSeen)) return { stills, isVisible: true, unseen };
  const found = await findDifference({ before, after }, draw);
  if (found === null) return { stills, isVisible: false, unseen };
  const [shown] = await drawStills({ before, after }, [{ timeSeconds: found, editables: [] }], draw);
  const others = stills.filter(({ timeSeconds }) => timeSeconds !== found).slice(0, MOST_COMPARED - 1);
  const all = [...others, shown!].sort((a, b) => a.timeSeconds - b.timeSeconds);
  return { stills: all, isVisible: true, unseen };
}

/** Both sides as small videos, with a frame to show before they are played; what looks and sounds the same is rendered once. */
export async function draftVideo({ before, after }: Sides, draw: Draw): Promise<Drafts> {
  const [own, other] = [sceneKeys(after), before && sceneKeys(before)];
  const isSame = other?.picture === own.picture && other.sound === own.sound;
  const is = draw.video(draftOf(after));
  const [was, now] = await Promise.all([before === null || isSame ? null : draw.video(draftOf(before)), is]);
  const audible = (['before', 'after'] as const).filter((side) => (side === 'after' ? after : before)?.sounds.length);
  const [still] = now.stills;
  const poster = still === undefined ? {} : { poster: posterOf(still) };
  return { before: isSame ? now.video : (was?.video ?? null), after: now.video, ...poster, audible };
}

function posterOf({ bytes, width, height }: RenderedStill): PreviewImage {
  return { bytes, contentType: 'image/jpeg', width, height, url: null };
}

function draftOf(scene: Scene): Scene {
  const { width, height, fps, frameCount } = scene;
  const small = shrinkScene(scene, (DRAFT_HEIGHT * Math.max(width, height)) / height, STILL_SIDE);
  const [{ timeSeconds }] = chooseMoments(scene, { editables: [], most: 1 }) as [Moment];
  const frame = Math.min(frameCount - 1, Math.round(timeSeconds * fps));
  return { ...small, stills: [{ name: 'poster', frame }], output: { ...scene.output, format: 'mp4', quality: 'low' } };
}

function isSeen({ changedShare: share }: PreviewStill): boolean {
  return share !== null && share > INVISIBLE_SHARE;
}

function unseenOf(before: Scene, after: Scene): Unseen[] {
  const [was, is] = [sceneKeys(before), sceneKeys(after)];
  return [
    ...(was.sound === is.sound ? [] : (['sound'] as const)),
    ...(was.durationSeconds === is.durationSeconds ? [] : (['duration'] as const)),
    ...(was.output === is.output ? [] : (['output'] as const)),
  ];
}

type Both = Pick<Sides, 'before' | 'after'>;

async function drawStills({ before, after }: Both, moments: readonly Moment[], draw: Draw): Promise<PreviewStill[]> {
  const times = moments.map(({ timeSeconds }) => timeSeconds);
  const pairs = await draw.compare({
    before: before && packScene(framesOf(before, times, STILL_SIDE)),
    after: packScene(framesOf(after, times, STILL_SIDE)),
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

/** @returns the time, in seconds, at which both sides differ most; null where they never do */
async function findDifference({ before, after }: { before: Scene; after: Scene }, draw: Draw): Promise<number | null> {
  const seconds = Math.min(before.frameCount / before.fps, after.frameCount / after.fps);
  const frames = Array.from({ length: SAMPLES }, (_, index) =>
    Math.floor(((index + 0.5) / SAMPLES) * seconds * after.fps),
  );
  const times = [...new Set(frames)].map((frame) => frame / after.fps);
  const [was, is] = [before, after].map((scene) => packScene(framesOf(scene, times, SAMPLE_SIDE)));
  const pairs = await draw.compare({ before: was!, after: is!, jpegQuality: null });
  const shares = pairs.map(({ changedShare }) => changedShare!);
  const most = Math.max(...shares);
  return most > INVISIBLE_SHARE ? times[shares.indexOf(most)]! : null;
}

/** What of a scene its frames at some times need, drawn small. */
function framesOf(scene: Scene, times: readonly number[], longest: number): Scene {
  const stills = times.map((seconds, index) => {
    return { name: `${index}`, frame: Math.min(scene.frameCount - 1, Math.round(seconds * scene.fps)) };
  });
  const images = shownImages(
    scene,
    stills.map(({ frame }) => frame),
  );
  return { ...shrinkScene({ ...scene, images }, longest, STILL_SIDE), sounds: [], stills };
}

function imageOf(bytes: Uint8Array, scene: Scene): PreviewImage {
  const { width, height } = shrinkScene(scene, STILL_SIDE);
  return { bytes, contentType: 'image/jpeg', width, height, url: null };
}
