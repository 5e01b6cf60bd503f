import type { FrameWriter, WriterOptions } from '../frame-writer.ts';

/**
 * Opens the writer of the format that is asked for, and loads no other. A single picture has none: see `renderPicture`; nor
 * has MP4: see `renderSegments`.
 *
 * @throws ReelformError encoder_missing; SceneError encode_failed
 */
export async function openWriter(options: WriterOptions): Promise<FrameWriter> {
  switch (options.output.format) {
    case 'webm':
      return (await import('./webm-writer.ts')).openWebmWriter(options);
    case 'gif':
      return (await import('./gif-writer.ts')).openGifWriter(options);
    case 'webp':
      return (await import('./webp-writer.ts')).openWebpWriter(options);
    case 'png_sequence':
      return (await import('./png-sequence-writer.ts')).openPngSequenceWriter(options);
    case 'mp4':
    case 'png':
      throw new Error(`Internal error: ${options.output.format} is not written frame by frame`);
  }
}
