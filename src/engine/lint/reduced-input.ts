import type { InputImage, RenderInput } from '../../template/render-input.ts';

/**
 * Returns an input at another size. Reduces its images and clips, because opening large ones takes most of the time and they need
 * not be sharp.
 *
 * @param longSide longer side of the picture, in pixels
 * @param maxImageSide limit for the longer side of images and clips, in pixels
 */
export function reducedInput(renderInput: RenderInput, longSide: number, maxImageSide: number): RenderInput {
  const small = <T extends InputImage>(image: T): T => {
    const scale = Math.min(1, maxImageSide / Math.max(image.width, image.height));
    const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)));
    return { ...image, width, height };
  };
  const scale = longSide / Math.max(renderInput.width, renderInput.height);
  const [width, height] = [even(renderInput.width * scale), even(renderInput.height * scale)];
  return { ...renderInput, width, height, images: renderInput.images.map(small), clips: renderInput.clips.map(small) };
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}
