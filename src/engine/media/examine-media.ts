import type { Scene, SceneClip, SceneSound } from '../../template/scene.ts';
import type { MediaFinding } from '../lint/lint-finding.ts';
import { SceneError } from '../scene-error.ts';
import { clipTimes } from './clip-times.ts';
import { type MediaLength, mediaLength } from './media-length.ts';

/** A picture that stands for less than this is not noticed. */
const SHORTEST_STAND_SECONDS = 0.2;

/**
 * Clips and sounds of a scene that end before they should: those whose files break off, and clips that are over while a
 * layer still shows them, so that their last picture stands. Reads the structure of the files alone.
 *
 * @throws SceneError asset_decode_failed for one that is trimmed to beyond its end, and for one that cannot be read
 */
export async function examineMedia(scene: Scene): Promise<MediaFinding[]> {
  const found = new Map<string, MediaFinding>();
  const keep = (finding: MediaFinding | undefined): void => {
    if (finding !== undefined && !found.has(finding.editable)) found.set(finding.editable, finding);
  };
  for (const clip of scene.clips) keep(await examineClip(clip, scene));
  for (const sound of scene.sounds) {
    // What is heard of a clip is told of the clip.
    if (!sound.optional && sound.transform.volume !== 0) keep(await examineSound(sound, scene));
  }
  return [...found.values()];
}

async function examineClip(clip: SceneClip, scene: Scene): Promise<MediaFinding | undefined> {
  const { name, bytes } = clip;
  const { timesAt, secondsOf, trimSeconds } = clipTimes(clip, scene, scene.animation);
  const length = await mediaLength(bytes, name, 'video');
  refuseTrim('clip', name, trimSeconds, length);
  const shown: number[] = [];
  const standing: number[] = [];
  let needed = 0;
  for (let frame = 0; frame < scene.frameCount; frame++) {
    const seconds = Math.max(-1, ...timesAt(frame).map(secondsOf));
    if (seconds < 0) continue;
    shown.push(frame);
    if (seconds >= length.seconds - 1e-6) standing.push(frame);
    needed = Math.max(needed, seconds + 1 / scene.fps);
  }
  if (shown.length === 0) return undefined;
  const stands = length.isMoving && standing.length / scene.fps >= SHORTEST_STAND_SECONDS;
  const sighting = sightingOf(scene, stands ? standing : shown);
  if (length.announced !== undefined) return truncated(name, sighting, length);
  if (!stands) return undefined;
  return {
    ...{ code: 'clip_ends_early', editable: name, ...sighting },
    standsFromSeconds: standing[0]! / scene.fps,
    lengthSeconds: length.seconds - trimSeconds,
    neededSeconds: needed - trimSeconds,
  };
}

async function examineSound(sound: SceneSound, scene: Scene): Promise<MediaFinding | undefined> {
  const { name, bytes, transform, startSeconds, endSeconds, skipSeconds = 0 } = sound;
  const length = await mediaLength(bytes, name, 'audio');
  const { trim_start_time = 0 } = transform;
  refuseTrim('sound', name, trim_start_time - skipSeconds, length);
  if (length.announced === undefined) return undefined;
  const silentFrom = Math.min(endSeconds, startSeconds + Math.max(0, length.seconds - trim_start_time));
  const frame = Math.min(scene.frameCount - 1, Math.floor(silentFrom * scene.fps));
  return truncated(name, { frame, seconds: frame / scene.fps, still: null }, length);
}

/** @throws SceneError asset_decode_failed */
function refuseTrim(what: string, imageName: string, trimSeconds: number, { seconds }: MediaLength): void {
  if (trimSeconds <= 0 || trimSeconds < seconds - 1e-6) return;
  const text = `It is trimmed to start at ${told(trimSeconds)} s, and the ${what} ends at ${told(seconds)} s: nothing of it is left`;
  throw new SceneError('asset_decode_failed', text, { imageName });
}

function told(seconds: number): string {
  return String(Number(seconds.toFixed(2)));
}

function truncated(editable: string, sighting: Sighting, { seconds, announced = null }: MediaLength): MediaFinding {
  const lengths = { presentSeconds: seconds, announcedSeconds: announced };
  return { code: 'media_truncated', editable, ...sighting, ...lengths };
}

type Sighting = Pick<MediaFinding, 'frame' | 'seconds' | 'still'>;

/** The first still that is one of these frames, else the first of them. @param frames not empty, ascending */
function sightingOf({ stills, fps }: Scene, frames: readonly number[]): Sighting {
  const among = new Set(frames);
  const [still] = stills.filter(({ frame }) => among.has(frame)).sort((a, b) => a.frame - b.frame);
  const frame = still?.frame ?? frames[0]!;
  return { frame, seconds: frame / fps, still: still?.name ?? null };
}
