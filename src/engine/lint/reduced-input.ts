import type { InputClip, InputDocument, InputImage, VideoInput } from '../../template/render-input.ts';

/** Longer side of small pictures, of which all frames are drawn, and limit for the images in them, in pixels. */
export const SMALL_SIDE = 160;
/** Limit for the longer side of images behind texts that are measured, in pixels. */
export const TEXT_IMAGE_SIDE = 480;

/**
 * Returns an input at another size. Reduces its images and clips, because opening large ones takes most of the time and they need
 * not be sharp.
 *
 * @param longSide longer side of the picture, in pixels
 * @param maxImageSide limit for the longer side of images and clips, in pixels
 */
export function reducedInput<Video extends VideoInput>(video: Video, longSide: number, maxImageSide: number): Video;
export function reducedInput(video: VideoInput, longSide: number, maxImageSide: number): VideoInput {
  const scale = longSide / Math.max(video.width, video.height);
  const size = { width: even(video.width * scale), height: even(video.height * scale) };
  const pictures = <Document extends Pick<InputDocument, 'images' | 'clips'>>(document: Document): Document => {
    const small = <T extends InputImage | InputClip>(image: T): T => reducedImage(image, maxImageSide);
    return { ...document, images: document.images.map(small), clips: document.clips.map(small) };
  };
  return 'scenes' in video
    ? { ...video, ...size, scenes: video.scenes.map(pictures) }
    : { ...pictures(video), ...size };
}

/** Returns an image or clip of at most a length of its longer side. */
export function reducedImage<T extends InputImage | InputClip>(image: T, maxSide: number): T {
  const scale = Math.min(1, maxSide / Math.max(image.width, image.height));
  const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)));
  return { ...image, width, height };
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}
