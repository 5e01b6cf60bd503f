import { EncodedPacketSink, type InputTrack } from 'mediabunny';
import type { Scene, SceneClip, SceneSound } from '../../template/scene.ts';
import type { MediaFinding } from '../lint/lint-finding.ts';
import { SceneError } from '../scene-error.ts';
import { clipTimes } from './clip-times.ts';
import { readGifFrames } from './decode-gif.ts';
import { mediaTypeOf } from './media-type.ts';
import { readMedia } from './open-media.ts';
import { packetTrack } from './open-sound-track.ts';

/** A shorter freeze of the last picture is not reported. */
const MIN_FREEZE_SECONDS = 0.2;

/**
 * Finds clips and sounds that end too early: truncated files, and clips that end while a layer still shows them, so that their
 * last picture freezes. Reads only the structure of the files.
 *
 * @throws SceneError asset_decode_failed for a file that is unreadable or trimmed to start after its end
 */
export async function examineMedia(scene: Scene): Promise<MediaFinding[]> {
  const found = new Map<string, MediaFinding>();
  const keep = (finding: MediaFinding | undefined): void => {
    if (finding !== undefined && !found.has(finding.editable)) found.set(finding.editable, finding);
  };
  for (const clip of scene.clips) keep(await examineClip(clip, scene));
  for (const sound of scene.sounds) {
    // The sound of a clip is reported with the clip.
    if (!sound.optional && sound.transform.volume !== 0) keep(await examineSound(sound, scene));
  }
  return [...found.values()];
}

async function examineClip(clip: SceneClip, scene: Scene): Promise<MediaFinding | undefined> {
  const { name, bytes } = clip;
  const { timesAt, secondsOf, trimSeconds } = clipTimes(clip, scene, scene.animation);
  const length = await mediaLength(bytes, name, 'video');
  rejectTrim('clip', name, trimSeconds, length);
  const shown: number[] = [];
  const frozen: number[] = [];
  let needed = 0;
  for (let frame = 0; frame < scene.frameCount; frame++) {
    const seconds = Math.max(-1, ...timesAt(frame).map(secondsOf));
    if (seconds < 0) continue;
    shown.push(frame);
    if (seconds >= length.seconds - 1e-6) frozen.push(frame);
    needed = Math.max(needed, seconds + 1 / scene.fps);
  }
  if (shown.length === 0) return undefined;
  const freezes = length.isMoving && frozen.length / scene.fps >= MIN_FREEZE_SECONDS;
  const sighting = sightingOf(scene, freezes ? frozen : shown);
  if (length.announced !== undefined) return truncated(name, sighting, length);
  if (!freezes) return undefined;
  return {
    ...{ code: 'clip_ends_early', editable: name, ...sighting },
    freezesAtSeconds: frozen[0]! / scene.fps,
    lengthSeconds: length.seconds - trimSeconds,
    neededSeconds: needed - trimSeconds,
  };
}

async function examineSound(sound: SceneSound, scene: Scene): Promise<MediaFinding | undefined> {
  const { name, bytes, transform, startSeconds, endSeconds, skipSeconds = 0 } = sound;
  const length = await mediaLength(bytes, name, 'audio');
  const { trim_start_time = 0 } = transform;
  rejectTrim('sound', name, trim_start_time - skipSeconds, length);
  if (length.announced === undefined) return undefined;
  const silentFrom = Math.min(endSeconds, startSeconds + Math.max(0, length.seconds - trim_start_time));
  const frame = Math.min(scene.frameCount - 1, Math.floor(silentFrom * scene.fps));
  return truncated(name, { frame, seconds: frame / scene.fps, still: null }, length);
}

/** @throws SceneError asset_decode_failed */
function rejectTrim(what: string, imageName: string, trimSeconds: number, { seconds }: MediaLength): void {
  if (trimSeconds <= 0 || trimSeconds < seconds - 1e-6) return;
  const text = `It is trimmed to start at ${formatSeconds(trimSeconds)} s, and the ${what} ends at ${formatSeconds(seconds)} s: nothing of it is left`;
  throw new SceneError('asset_decode_failed', text, { imageName });
}

function formatSeconds(seconds: number): string {
  return String(Number(seconds.toFixed(2)));
}

function truncated(editable: string, sighting: Sighting, { seconds, announced = null }: MediaLength): MediaFinding {
  const lengths = { presentSeconds: seconds, announcedSeconds: announced };
  return { code: 'media_truncated', editable, ...sighting, ...lengths };
}

type Sighting = Pick<MediaFinding, 'frame' | 'seconds' | 'still'>;

/** Returns the first still among some frames, or else the first frame. @param frames not empty, ascending */
function sightingOf({ stills, fps }: Scene, frames: readonly number[]): Sighting {
  const among = new Set(frames);
  const [still] = stills.filter(({ frame }) => among.has(frame)).sort((a, b) => a.frame - b.frame);
  const frame = still?.frame ?? frames[0]!;
  return { frame, seconds: frame / fps, still: still?.name ?? null };
}

/** Durations in headers are rounded, and some include the encoder's delay. */
const TOLERANCE_SECONDS = 0.15;

/** Length of the readable part of a clip or sound. */
interface MediaLength {
  /** From the first picture or sample to the end of the last readable one. */
  readonly seconds: number;
  /** Announced length of a truncated file in seconds, null if unknown; undefined for a complete file. */
  readonly announced: number | null | undefined;
  /** The clip has more than one picture. */
  readonly isMoving: boolean;
}

/**
 * Measures the readable part of a file, not its announced length. Decodes nothing.
 *
 * @param kind of the track to measure
 * @throws SceneError asset_type_unsupported, asset_decode_failed
 */
async function mediaLength(bytes: Uint8Array, name: string, kind: 'video' | 'audio'): Promise<MediaLength> {
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    const what = kind === 'video' ? 'The file is no clip' : 'The file is no sound';
    throw new SceneError('asset_type_unsupported', `${what} that can be used`, { imageName: name });
  }
  if (type === 'gif') {
    const { frames, isTruncated } = readGifFrames(bytes, name);
    const seconds = frames.reduce((sum, frame) => sum + frame.durationSeconds, 0);
    return { seconds, announced: isTruncated ? null : undefined, isMoving: frames.length > 1 };
  }
  const own = packetTrack(bytes, name);
  if (own !== undefined) {
    const { firstSeconds, endSeconds, announcedSeconds } = own;
    return { seconds: endSeconds - Math.max(0, firstSeconds), announced: announcedSeconds, isMoving: false };
  }
  return readMedia(bytes, name, async (input) => {
    const tracks = await input.getTracks();
    const isMp4 = type === 'mp4' || type === 'mov';
    const announced = isMp4 ? await longest(tracks) : (wavLength(bytes) ?? (await input.getDurationFromMetadata()));
    const ends = new Map<InputTrack, number>();
    for (const track of tracks) ends.set(track, await endOf(track, announced ?? Infinity));
    const track = await (kind === 'video' ? input.getPrimaryVideoTrack() : input.getPrimaryAudioTrack());
    if (track === null) throw new Error(`it has no ${kind === 'video' ? 'picture' : 'sound'}`);
    const first = await track.getFirstTimestamp();
    const end = ends.get(track) ?? (await endOf(track, announced ?? Infinity));
    const isTruncated = announced !== null && announced - Math.max(...ends.values(), end) > TOLERANCE_SECONDS;
    const { packetCount } = await track.computePacketStats(2);
    return {
      seconds: Math.max(0, end - Math.max(0, first)),
      announced: isTruncated ? announced : undefined,
      isMoving: packetCount > 1,
    };
  });
}

/** Returns the length of the longest track in seconds, from the tables of the file. */
async function longest(tracks: readonly InputTrack[]): Promise<number> {
  let seconds = 0;
  for (const track of tracks) seconds = Math.max(seconds, await track.computeDuration());
  return seconds;
}

/** Returns the end of the last complete packet, in seconds of the file. */
async function endOf(track: InputTrack, announced: number): Promise<number> {
  if (!(track.isVideoTrack() || track.isAudioTrack())) return 0;
  const sink = new EncodedPacketSink(track);
  const last = await sink.getPacket(announced);
  if (last !== null && last.timestamp + last.duration >= announced - TOLERANCE_SECONDS) {
    return last.timestamp + last.duration;
  }
  let end = 0;
  for await (const { timestamp, duration } of sink.packets()) end = Math.max(end, timestamp + duration);
  return end;
}

/** Streaming writers that do not know the length store 0 or nearly the maximum. */
const UNKNOWN_FROM = 0x7fff_0000;

/**
 * Returns the duration in seconds that the header of a WAV declares; null if it declares none or the file is not a WAV.
 *
 * @see https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html (`fmt `, `data`)
 */
function wavLength(bytes: Uint8Array): number | null {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (file.toString('latin1', 0, 4) !== 'RIFF') return null;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= file.length; ) {
    const type = file.toString('latin1', at, at + 4);
    const size = file.readUInt32LE(at + 4);
    if (type === 'data') {
      const isKnown = size > 0 && size < UNKNOWN_FROM && bytesPerSecond > 0;
      return isKnown ? size / bytesPerSecond : null;
    }
    if (type === 'fmt ' && at + 20 <= file.length) bytesPerSecond = file.readUInt32LE(at + 16);
    at += 8 + size + (size % 2);
  }
  return null;
}
