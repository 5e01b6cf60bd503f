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
import { ByteView } from '../../kernel/byte-view.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import { RenderError } from '../render-error.ts';
import { findCommentProblem } from './check-comments.ts';
import { findBoxProblem } from './check-mp4.ts';
import { findElementProblem } from './check-webm.ts';
import { type MediaType, mediaTypeOf } from './media-type.ts';
import { knownSizes } from './streamed-wav.ts';

// mediabunny also logs the problems that it throws.
Logging.level = LogLevel.Silent;

/** Limit for the duration of a clip or sound. */
export const MAX_MEDIA_SECONDS = 6 * 3600;

/** Self-contained formats only: a playlist refers to other files. */
const FORMATS = [MP4, QTFF, WEBM, MATROSKA, MP3, WAVE, FLAC, OGG, ADTS];

/**
 * Opens a media file after checking its structure. Reads only these bytes. The caller must dispose of the result.
 *
 * @throws RenderError asset_decode_failed if reading the file would take too much time or memory
 */
export function openMedia(bytes: SourceBytes, imageName: string): Input {
  const type = mediaTypeOf(bytes);
  const problem = findProblem(bytes, type);
  if (problem !== undefined) {
    throw new RenderError('asset_decode_failed', `The file is damaged: ${problem}`, { imageName });
  }
  const file = ByteView.open(bytes, type === 'wav' ? knownSizes(bytes) : []);
  return new Input({ source: new BoundedSource(file, type === 'flac' ? FLAC_PADDING_BYTES : 0), formats: FORMATS });
}

function findProblem(bytes: SourceBytes, type: MediaType | undefined): string | undefined {
  if (type === 'mp4' || type === 'mov') return findBoxProblem(bytes);
  if (type === 'flac' || type === 'ogg') return findCommentProblem(bytes, type);
  return type === 'webm' ? findElementProblem(bytes) : undefined;
}

/**
 * Reads the structure of a file. Errors of `reader` other than a RenderError count as damage of the file.
 *
 * @param name of the clip or sound, for errors
 * @throws RenderError asset_decode_failed
 */
export async function readMedia<Result>(
  bytes: SourceBytes,
  name: string,
  reader: (input: Input) => Promise<Result>,
): Promise<Result> {
  const input = openMedia(bytes, name);
  try {
    return await reader(input);
  } catch (cause) {
    throw toDamageError(cause, name);
  } finally {
    input.dispose();
  }
}

/** Returns the name of a track's codec, even if mediabunny does not know the codec. */
export async function codecName(track: InputTrack): Promise<string> {
  const id = await track.getInternalCodecId();
  return (await track.getCodec()) ?? (typeof id === 'string' ? id.trim() : 'of an unknown kind');
}

/** Converts an error to a RenderError that reports a damaged file. Returns a RenderError unchanged. */
export function toDamageError(cause: unknown, imageName: string): RenderError {
  if (cause instanceof RenderError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RenderError('asset_decode_failed', `The file is damaged: ${reason.slice(0, 200)}`, { imageName, cause });
}

/**
 * Reads allowed in a turn of the event loop: less than a second for a small file. Large files may take more, such as an MP3
 * whose length is known only from its frames.
 */
const MAX_REQUESTS = 500_000;
const BYTES_PER_EXTRA_REQUEST = 16;
const NO_BYTES = new Uint8Array();
/** mediabunny (1.61.0) drops a frame at the end that has fewer bytes than the longest header, such as one of silence. */
export const FLAC_PADDING_BYTES = 16;

/** Bytes of a file, and the position of the first of them in it. */
interface ReadResult {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly offset: number;
}

/**
 * Reads a file by ranges, and limits the number of reads, because mediabunny (1.61.0) loops forever on some damaged files without yielding to the event
 * loop. It requests the file size before each read, so a request can stop it.
 */
class BoundedSource extends BufferSource {
  readonly #file: ByteView;
  /** Zeros after the end of the file. */
  readonly #paddingBytes: number;
  #requests = 0;

  constructor(file: ByteView, paddingBytes: number) {
    super(NO_BYTES);
    this.#file = file;
    this.#paddingBytes = paddingBytes;
  }

  /** Overrides a method of mediabunny, which asks for ranges within the file. */
  _read(start: number, end: number): ReadResult {
    if (end > this.#file.length) {
      const bytes = new Uint8Array(end - start);
      bytes.set(this.#file.bytes(start, this.#file.length));
      return { bytes, offset: start, view: new DataView(bytes.buffer) };
    }
    const { bytes, offset } = this.#file.around(start, end);
    return { bytes, offset, view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
  }

  /** Overrides a method of mediabunny. */
  _dispose(): void {
    this.#file.close();
  }

  /** Overrides a method of mediabunny. @throws Error if the reader loops */
  _getFileSize(): number {
    if (this.#requests === 0) {
      setImmediate(() => {
        this.#requests = 0;
      }).unref();
    }
    this.#requests += 1;
    if (this.#requests > MAX_REQUESTS + this.#file.length / BYTES_PER_EXTRA_REQUEST)
      throw new Error('its parts refer to each other in circles');
    return this.#file.length + this.#paddingBytes;
  }
}

/** Returns the bytes of a decoder description from `mediabunny`, without copying them. */
export function bytesOf(source: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
