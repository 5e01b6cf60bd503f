import { isSoundFormat, type OutputFormat, type SoundFormat } from '../../contract/wire/output.ts';
import type { TemporaryFile } from '../../kernel/temporary-file.ts';
import type { InputCaptionTrack, RenderInput, RenderOutput } from '../../template/render-input.ts';
import type { AudioCodec, AudioTrack, FrameFormat } from '../codec/encoded-track.ts';
import { pixelsOf } from '../pixel-format.ts';
import { hasSegments } from '../segments/segment.ts';

/** Writes the frames of a video to a file. The caller must close it, even after an error. */
export interface FrameWriter {
  /**
   * Writes the next frame. Resolves when the writer can accept another frame, so that memory does not grow. After that, the pixels
   * may be overwritten.
   *
   * @param frame 0, 1, 2 …
   * @throws RenderError encode_failed
   */
  write(pixels: Uint8Array, frame: number): Promise<void>;
  /** Returns the file with all frames, which the caller must close. @throws RenderError encode_failed */
  finish(): Promise<TemporaryFile>;
  /** Discards pending frames and frees all memory; may be called again. */
  close(): void;
}

export interface WriterOptions {
  readonly format: FrameFormat;
  readonly frameCount: number;
  readonly output: RenderOutput;
  /** Awaited after the last frame, so that sound is encoded in parallel; null for a silent file. */
  readonly sound: Promise<AudioTrack | null> | null;
  /** For formats that can have it; absent for none. */
  readonly captions?: InputCaptionTrack | undefined;
}

/**
 * Returns a key of how an input's frames are drawn. Outputs of a video with equal keys share drawn frames: they have the same size,
 * rate, background and unit of drawing (a segment, a whole file or a single picture).
 */
export function drawingKey({
  width,
  height,
  fps,
  output,
}: Pick<RenderInput, 'width' | 'height' | 'fps' | 'output'>): string {
  const unit = output.format === 'png' ? 'picture' : hasSegments(output.format) ? 'segments' : 'file';
  return [unit, pixelsOf(output) === 'rgba' ? 'transparent' : 'black', width, height, fps].join(' ');
}

const AUDIO_CODECS: Readonly<Record<SoundFormat, AudioCodec>> = { mp4: 'aac', mov: 'pcm', webm: 'opus' };

/** Returns the audio codec of a format; null for a format without sound. */
export function audioCodecOf(format: OutputFormat): AudioCodec | null {
  return isSoundFormat(format) ? AUDIO_CODECS[format] : null;
}
