import type { Scene, SceneOutput } from '../../template/scene.ts';
import type { OutputFormat } from '../../wire/output.ts';
import type { AudioCodec, AudioTrack, FrameFormat } from '../codec/encoded-track.ts';
import { hasSegments } from '../segments/segment.ts';

/**
 * Pixel format of a writer's frames: `i420`, planes Y, Cb, Cr without padding, BT.709, limited range, width*height*3/2 bytes; or `rgba`,
 * row-major, straight alpha, width*height*4 bytes; or `rgb0`, the same over black.
 */
export type PixelFormat = 'i420' | 'rgba' | 'rgb0';

/** Makes one file of the frames of one video. `close` must follow, whatever happened. */
export interface FrameWriter {
  /**
   * Takes the next frame; resolves when there is room for another, which keeps memory flat. The pixels may be overwritten
   * as soon as it resolves.
   *
   * @param frame 0, 1, 2 …
   * @throws SceneError encode_failed
   */
  write(pixels: Uint8Array, frame: number): Promise<void>;
  /** The file, when every frame is in it. @throws SceneError encode_failed */
  finish(): Promise<Uint8Array>;
  /** Frees everything at once; may be called again. */
  close(): void;
}

export interface WriterOptions {
  readonly format: FrameFormat;
  readonly frameCount: number;
  readonly output: SceneOutput;
  /** Awaited after the last frame, so that sound is encoded in parallel; null for a silent file. */
  readonly sound: Promise<AudioTrack | null> | null;
}

/** The pixels that the encoder or writer of an output takes. */
export function pixelsOf({ format, codec }: Pick<SceneOutput, 'format' | 'codec'>): PixelFormat {
  if (format === 'mp4') return 'i420';
  return format === 'mov' && codec !== 'prores4444' ? 'rgb0' : 'rgba';
}

/** The forms of pixels of some outputs, without duplicates. */
export function distinctForms(outputs: readonly Pick<SceneOutput, 'format' | 'codec'>[]): PixelFormat[] {
  return [...new Set(outputs.map(pixelsOf))];
}

/**
 * Returns a key of how a scene's frames are drawn. Outputs of one video with equal keys share their drawn frames: the size, the
 * rate and the background are the same, and so is the unit that is drawn (a segment, a whole file or one picture).
 */
export function drawingKey({ width, height, fps, output }: Pick<Scene, 'width' | 'height' | 'fps' | 'output'>): string {
  const unit = output.format === 'png' ? 'picture' : hasSegments(output.format) ? 'segments' : 'file';
  return [unit, pixelsOf(output) === 'rgba' ? 'transparent' : 'black', width, height, fps].join(' ');
}

/** How the sound of a format is compressed; null for one that has none. */
export function audioCodecOf(format: OutputFormat): AudioCodec | null {
  if (format === 'mp4') return 'aac';
  if (format === 'mov') return 'pcm';
  return format === 'webm' ? 'opus' : null;
}
