import type { EncoderFactory } from '../encoder.ts';
import type { FrameWriter, WriterOptions } from '../frame-writer.ts';
import { openGifWriter } from './gif-writer.ts';
import { mp4Writer } from './mp4-writer.ts';
import { openPngSequenceWriter } from './png-sequence-writer.ts';
import { openWebmWriter } from './webm-writer.ts';
import { openWebpWriter } from './webp-writer.ts';

/**
 * Opens the writer of the format that is asked for. A single picture has none: see `renderPicture`.
 *
 * @param openEncoder of H.264
 * @throws ReelformError encoder_missing; SceneError encode_failed
 */
export async function openWriter(options: WriterOptions, openEncoder: EncoderFactory): Promise<FrameWriter> {
  switch (options.output.format) {
    case 'mp4':
      return mp4Writer(openEncoder)(options);
    case 'webm':
      return openWebmWriter(options);
    case 'gif':
      return openGifWriter(options);
    case 'webp':
      return openWebpWriter(options);
    case 'png_sequence':
      return openPngSequenceWriter(options);
    case 'png':
      throw new Error('Internal error: a single picture is not written frame by frame');
  }
}
