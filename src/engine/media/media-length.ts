import { EncodedPacketSink, type Input, type InputTrack } from 'mediabunny';
import { SceneError } from '../scene-error.ts';
import { readGifFrames } from './gif-frames.ts';
import { mediaTypeOf } from './media-type.ts';
import { readMedia } from './open-media.ts';
import { wavLength } from './wav-length.ts';

/** Headers round, and some count what an encoder put before the sound. */
const TOLERANCE_SECONDS = 0.15;

/** How much of a clip or a sound there is. */
export interface MediaLength {
  /** From the first picture, or the first sound, to the end of the last one that is there. */
  readonly seconds: number;
  /** What the file announces where less is there, in seconds, or null where it does not say; undefined for a whole file. */
  readonly announced: number | null | undefined;
  /** Of a clip: more than one picture. */
  readonly isMoving: boolean;
}

/**
 * Measures a file by what can be read of it, and not by what it says of itself. Decodes nothing.
 *
 * @param kind which of its tracks
 * @throws SceneError asset_type_unsupported, asset_decode_failed
 */
export async function mediaLength(bytes: Uint8Array, name: string, kind: 'video' | 'audio'): Promise<MediaLength> {
  const type = mediaTypeOf(bytes);
  if (type === undefined) {
    const what = kind === 'video' ? 'The file is no clip' : 'The file is no sound';
    throw new SceneError('asset_type_unsupported', `${what} that can be used`, { imageName: name });
  }
  if (type === 'gif') {
    const { frames, isCut } = readGifFrames(bytes, name);
    const seconds = frames.reduce((sum, frame) => sum + frame.durationSeconds, 0);
    return { seconds, announced: isCut ? null : undefined, isMoving: frames.length > 1 };
  }
  return readMedia(bytes, name, async (input) => {
    const tracks = await input.getTracks();
    const isMp4 = type === 'mp4' || type === 'mov';
    const announced = isMp4 ? await longest(tracks) : (wavLength(bytes) ?? (await input.getDurationFromMetadata()));
    const ends = new Map<InputTrack, number>();
    for (const track of tracks) ends.set(track, await endOf(track, announced ?? Infinity));
    const track = await primaryTrack(input, kind);
    if (track === null) throw new Error(`it has no ${kind === 'video' ? 'picture' : 'sound'}`);
    const first = await track.getFirstTimestamp();
    const end = ends.get(track) ?? (await endOf(track, announced ?? Infinity));
    const isCut = announced !== null && announced - Math.max(...ends.values(), end) > TOLERANCE_SECONDS;
    const { packetCount } = await track.computePacketStats(2);
    return {
      seconds: Math.max(0, end - (kind === 'video' ? first : Math.max(0, first))),
      announced: isCut ? announced : undefined,
      isMoving: packetCount > 1,
    };
  });
}

async function primaryTrack(input: Input, kind: 'video' | 'audio'): Promise<InputTrack | null> {
  return kind === 'video' ? input.getPrimaryVideoTrack() : input.getPrimaryAudioTrack();
}

/** By the tables of an MP4, which name what ought to be there. */
async function longest(tracks: readonly InputTrack[]): Promise<number> {
  let seconds = 0;
  for (const track of tracks) seconds = Math.max(seconds, await track.computeDuration());
  return seconds;
}

/** The end of the last packet whose bytes are there, in seconds of the file. */
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
