import {
  ADTS,
  BufferSource,
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
import { problemOfComments } from './check-comments.ts';
import { problemOfBoxes } from './check-mp4.ts';
import { problemOfElements } from './check-webm.ts';
import { type MediaType, mediaTypeOf } from './media-type.ts';

// Problems of a file are reported as errors.
Logging.level = LogLevel.Silent;

/** Of one file. */
export const MAX_MEDIA_SECONDS = 6 * 3600;

/** Self-contained formats; no playlists. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, FLAC, OGG, ADTS];

/** Those that the decoder has, in the words of `mediabunny`; uncompressed sound needs none. */
export const VIDEO_CODECS: ReadonlySet<string | null> = new Set(['avc', 'hevc', 'vp8', 'vp9', 'av1']);
export const SOUND_CODECS: ReadonlySet<string | null> = new Set(['aac', 'mp3', 'opus', 'vorbis', 'flac', 'ac3']);

/**
 * Opens the structure of a media file; reads only these bytes. The caller must dispose of it.
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

function problemOf(bytes: Uint8Array, type: MediaType | undefined): string | undefined {
  if (type === 'mp4' || type === 'mov') return problemOfBoxes(bytes);
  if (type === 'flac' || type === 'ogg') return problemOfComments(bytes, type);
  return type === 'webm' ? problemOfElements(bytes) : undefined;
}

/**
 * Reads the structure of a file. Errors of `reader` other than a SceneError count as damage of the file.
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

/** Returns the name of a track's codec, also for an unknown codec. */
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

/**
 * In one turn of the event loop: less than a second of nothing but reading for a small file, and more for a large one, such as
 * an MP3 whose length nothing but its frames tell.
 */
const MOST_REQUESTS = 500_000;
const BYTES_A_REQUEST = 16;

/**
 * Limits the number of reads. On some damaged files the reader (mediabunny 1.61.0) loops forever without letting the event loop
 * turn. It requests the size before each read, so that it can be stopped here.
 */
class BoundedSource extends BufferSource {
  readonly #size: number;
  #requests = 0;

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.#size = bytes.byteLength;
  }

  /** The reader's own name for it. @throws Error where it goes round in circles */
  _getFileSize(): number {
    if (this.#requests === 0) {
      setImmediate(() => {
        this.#requests = 0;
      }).unref();
    }
    this.#requests += 1;
    if (this.#requests > MOST_REQUESTS + this.#size / BYTES_A_REQUEST)
      throw new Error('its parts refer to each other in circles');
    return this.#size;
  }
}

/** Returns the bytes of a decoder description from `mediabunny`. Not copied. */
export function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
