import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import type { EncoderFactory } from '../h264/encoder.ts';
import { mp4Writer } from './mp4-writer.ts';

/**
 * Opens the writer of the format that is asked for, and loads no other. A single picture has none: see `renderPicture`.
 *
 * @param openEncoder of H.264
 * @throws ReelformError encoder_missing; SceneError encode_failed
 */
export async function openWriter(options: WriterOptions, openEncoder: EncoderFactory): Promise<FrameWriter> {
  switch (options.output.format) {
    case 'mp4':
      return mp4Writer(openEncoder)(options);
    case 'webm':
      return (await import('./webm-writer.ts')).openWebmWriter(options);
    case 'gif':
      return (await import('./gif-writer.ts')).openGifWriter(options);
    case 'webp':
      return (await import('./webp-writer.ts')).openWebpWriter(options);
    case 'png_sequence':
      return (await import('./png-sequence-writer.ts')).openPngSequenceWriter(options);
    case 'png':
      throw new Error('Internal error: a single picture is not written frame by frame');
  }
}
