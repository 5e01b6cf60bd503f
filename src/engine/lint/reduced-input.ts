import type { InputClip, InputDocument, InputImage, VideoInput } from '../../template/render-input.ts';

/**
 * Returns an input at another size. Reduces its images and clips, because opening large ones takes most of the time and they need
 * not be sharp.
 *
 * @param longSide longer side of the picture, in pixels
 * @param maxImageSide limit for the longer side of images and clips, in pixels
 */
export function reducedInput<Video extends VideoInput>(video: Video, longSide: number, maxImageSide: number): Video;
export function reducedInput(video: VideoInput, longSide: number, maxImageSide: number): VideoInput {
  const small = <T extends InputImage | InputClip>(image: T): T => {
    const scale = Math.min(1, maxImageSide / Math.max(image.width, image.height));
    const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(side * scale)));
    return { ...image, width, height };
  };
  const scale = longSide / Math.max(video.width, video.height);
  const size = { width: even(video.width * scale), height: even(video.height * scale) };
  const pictures = <Document extends Pick<InputDocument, 'images' | 'clips'>>(document: Document): Document => {
    return { ...document, images: document.images.map(small), clips: document.clips.map(small) };
  };
  return 'scenes' in video
    ? { ...video, ...size, scenes: video.scenes.map(pictures) }
    : { ...pictures(video), ...size };
}

function even(side: number): number {
  return Math.max(2, Math.round(side / 2) * 2);
}
