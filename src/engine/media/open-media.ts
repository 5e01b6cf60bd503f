import {
  ADTS,
  FLAC,
  Input,
  type InputTrack,
  Logging,
  LogLevel,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  WAVE,
  WEBM,
} from 'mediabunny';
import { SceneError } from '../scene-error.ts';
import { BoundedSource } from './bounded-source.ts';
import { problemOfBoxes } from './check-boxes.ts';
import { problemOfComments } from './check-comments.ts';
import { problemOfElements } from './check-elements.ts';
import { mediaTypeOf } from './media-type.ts';

// What it has to say of a file is an error here, or nothing.
Logging.level = LogLevel.Silent;

/** Of one file. */
export const MAX_MEDIA_SECONDS = 6 * 3600;

/** Those that are complete in themselves; no playlists. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, FLAC, OGG, ADTS];

/** Those that the decoder has, in the words of `mediabunny`; uncompressed sound needs none. */
export const VIDEO_CODECS: ReadonlySet<string | null> = new Set(['avc', 'hevc', 'vp8', 'vp9', 'av1']);
export const SOUND_CODECS: ReadonlySet<string | null> = new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac', 'ac3']);

/**
 * The structure of a media file; nothing but these bytes is read for it. To be disposed of.
 *
 * @throws SceneError asset_decode_failed where its reader would not come to an end
 */
export function openMedia(bytes: Uint8Array, imageName: string): Input {
  const type = mediaTypeOf(bytes);
  const problem = problemOf(bytes, type);
  if (problem !== undefined) {
    throw new SceneError('asset_decode_failed', `The file is damaged: ${problem}`, { imageName });
  }
  return new Input({ source: new BoundedSource(bytes), formats: FORMATS });
}

function problemOf(bytes: Uint8Array, type: ReturnType<typeof mediaTypeOf>): string | undefined {
  if (type === 'mp4' || type === 'mov') return problemOfBoxes(bytes);
  if (type === 'flac' || type === 'ogg') return problemOfComments(bytes, type);
  return type === 'webm' ? problemOfElements(bytes) : undefined;
}

/**
 * What `reader` makes of a file's structure. What it throws, other than a SceneError, is taken for damage of the file.
 *
 * @param name of the file, for errors
 * @throws SceneError asset_decode_failed
 */
export async function readMedia<Result>(
  bytes: Uint8Array,
  name: string,
  reader: (input: Input) => Promise<Result>,
): Promise<Result> {
  const input = openMedia(bytes, name);
  try {
    return await reader(input);
  } catch (cause) {
    throw damageOf(cause, name);
  } finally {
    input.dispose();
  }
}

/** What a track's codec is called, also where it is not known here. */
export async function codecName(track: InputTrack): Promise<string> {
  const id = await track.getInternalCodecId();
  return (await track.getCodec()) ?? (typeof id === 'string' ? id : 'of an unknown kind');
}

/** An error as one of the file. */
export function damageOf(cause: unknown, imageName: string): SceneError {
  if (cause instanceof SceneError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new SceneError('asset_decode_failed', `The file is damaged: ${reason.slice(0, 200)}`, { imageName, cause });
}
