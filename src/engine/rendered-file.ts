import type { SoundMeasures } from '../contract/wire/loudness.ts';
import type { OutputFormat } from '../contract/wire/output.ts';
import type { TemporaryFile } from '../kernel/temporary-file.ts';
import type { EncoderFactory } from './codec/encoded-track.ts';
import type { RenderFinding } from './input-media.ts';

export interface RenderFileOptions {
  /** Opens the video encoder of an MP4; x264 by default. */
  readonly encoder?: EncoderFactory;
  /** Called after each frame. */
  readonly onProgress?: ((framesDone: number, frameCount: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A frame stored as an image. */
export interface RenderedStill {
  readonly name: string;
  /** JPEG. */
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A finished file and the stills of its video. A PNG has a single frame and a duration of 0 seconds. */
export interface RenderedFile {
  /** The file, which the caller must close. An MP4 is H.264 by default, yuv420p, BT.709, limited range, index first. */
  readonly video: TemporaryFile;
  readonly format: OutputFormat;
  /** In the input's order. */
  readonly stills: readonly RenderedStill[];
  /** Defects of texts, clips and sounds. They do not prevent rendering. */
  readonly findings: readonly RenderFinding[];
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly durationSeconds: number;
  /** Of the file's sound; absent if the video has no target, and for a silent sound. */
  readonly loudness?: SoundMeasures;
}

/** A finished file with its bytes. Plain data. */
export interface InMemoryFile extends Omit<RenderedFile, 'video'> {
  readonly video: Uint8Array;
}

/** Reads a file into memory and closes it. */
export async function intoMemory({ video, ...file }: RenderedFile): Promise<InMemoryFile> {
  const bytes = await video.bytes();
  video.close();
  return { ...file, video: bytes };
}
