import type { EncoderFactory } from '../encoder.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { SceneError } from '../scene-error.ts';
import { mp4Writer } from './mp4-writer.ts';

/**
 * Opens the writer of the format that is asked for.
 *
 * @param openEncoder of H.264
 * @throws ReelformError encoder_missing; SceneError encode_failed
 */
export async function openWriter(options: WriterOptions, openEncoder: EncoderFactory): Promise<FrameWriter> {
  switch (options.output.format) {
    case 'mp4':
      return mp4Writer(openEncoder)(options);
    default:
      throw new SceneError('encode_failed', `There is no writer of ${options.output.format}`);
  }
}
