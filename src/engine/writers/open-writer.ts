import type { FrameWriter, WriterOptions } from './frame-writer.ts';

/**
 * Opens the writer of a format that is written frame by frame, loading only its code. See `renderPicture` for a single PNG, and
 * `renderSegments` for MP4 and MOV.
 *
 * @throws ReelformError encoder_missing; RenderError encode_failed
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
      return (await import('./png-writer.ts')).openPngSequenceWriter(options);
    case 'mp4':
    case 'mov':
    case 'png':
      throw new Error(`Internal error: ${options.output.format} cannot be written frame by frame`);
  }
}
