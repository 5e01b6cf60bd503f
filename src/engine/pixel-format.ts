import type { RenderOutput } from '../template/render-input.ts';

/**
 * Pixel format of frames. `i420`: planes Y, Cb, Cr without padding, BT.709, limited range, width*height*3/2 bytes. `rgba`: row-major,
 * straight alpha, width*height*4 bytes. `rgb0`: like `rgba`, drawn over black.
 */
export type PixelFormat = 'i420' | 'rgba' | 'rgb0';

/** Returns the pixel format that the encoder or writer of an output expects. */
export function pixelsOf({ format, codec }: Pick<RenderOutput, 'format' | 'codec'>): PixelFormat {
  if (format === 'mp4') return 'i420';
  return format === 'mov' && codec !== 'prores4444' ? 'rgb0' : 'rgba';
}

/** Returns the pixel formats of some outputs, without duplicates. */
export function distinctPixelFormats(outputs: readonly Pick<RenderOutput, 'format' | 'codec'>[]): PixelFormat[] {
  return [...new Set(outputs.map(pixelsOf))];
}
