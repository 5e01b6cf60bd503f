import { checkImage } from '../../engine/images/check-image.ts';
import { packRenderInput } from '../../engine/packed-input.ts';
import { RenderError } from '../../engine/render-error.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { IDENTITY_TRANSFORM } from '../../template/lottie/lottie-layers.ts';
import type { LottieDocument, RenderInput } from '../../template/render-input.ts';
import { imagesOf, mapImages, type PlanPreview, type PreviewImage, type PreviewStill } from './plan-preview.ts';
import type { PreviewRenderer } from './preview-video.ts';

/** A preview with re-encoded images, and the number of images that were dropped. */
interface ReencodedPreview {
  readonly preview: PlanPreview;
  readonly leftOut: number;
}

/** More than a comment can show. */
const MAX_PICTURES = 200;
/** No still or contact sheet is larger. */
const MAX_PIXELS = 6_000_000;
/** Number of images drawn as the frames of an input. */
const LOT = 12;
const JPEG_QUALITY = 82;

/**
 * Re-encodes the images of a preview by drawing them with the engine, so that only pixels of untrusted files survive. Drops
 * images that are invalid, too large or beyond the first 200, stills that lose a side, and all drafts.
 *
 * @param draw runs in a process without secrets, because it decodes the images
 * @returns the preview with images that have no URL yet
 */
export async function reencodeImages(
  preview: PlanPreview,
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<ReencodedPreview> {
  const images = new Set(imagesOf(preview));
  const usable = [...images].slice(0, MAX_PICTURES).flatMap((image) => {
    const size = sizeOf(image);
    return size === null ? [] : [{ image, size }];
  });
  const redrawn = new Map<PreviewImage, PreviewImage>();
  for (const alike of groupBy(usable, ({ size }) => `${size.width}x${size.height}`).values()) {
    const [{ size }] = alike;
    for (let from = 0; from < alike.length; from += LOT) {
      const lot = alike.slice(from, from + LOT).map(({ image }) => image);
      for (const [index, image] of (await redraw(lot, size, draw)).entries()) redrawn.set(lot[index]!, image);
    }
  }
  const isThere = (image: PreviewImage | null): boolean => image === null || redrawn.has(image);
  const isWhole = ({ before, after }: PreviewStill): boolean => isThere(before) && isThere(after);
  const videos = [...preview.videos].map(([id, { drafts, ...video }]) => {
    return [id, { ...video, stills: video.stills.filter(isWhole) }] as const;
  });
  const contactSheet = isThere(preview.contactSheet) ? preview.contactSheet : null;
  const matrices = preview.matrices.map((sheet) => (isThere(sheet.image) ? sheet : { ...sheet, image: null }));
  const left = { ...preview, videos: new Map(videos), contactSheet, matrices };
  return { preview: mapImages(left, (image) => redrawn.get(image)!), leftOut: images.size - redrawn.size };
}

/** In pixels, even numbers. */
type Size = Pick<PreviewImage, 'width' | 'height'>;

/** Reads the size from the file, not from the index; null if it must not be decoded. */
function sizeOf({ bytes }: PreviewImage): Size | null {
  try {
    const { width, height } = checkImage({ bytes, name: 'picture' });
    return width * height <= MAX_PIXELS ? { width: even(width), height: even(height) } : null;
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
}

function even(pixels: number): number {
  return 2 * Math.max(1, Math.round(pixels / 2));
}

/** @param lot images of the same size @returns in the same order; empty if any image cannot be decoded */
async function redraw(
  lot: readonly PreviewImage[],
  size: Size,
  draw: Pick<PreviewRenderer, 'compare'>,
): Promise<PreviewImage[]> {
  try {
    const renderInput = packRenderInput(inputOf(lot, size));
    const drawn = await draw.compare({ before: null, after: renderInput, jpegQuality: JPEG_QUALITY });
    return drawn.map(({ after }) => ({ bytes: after!, contentType: 'image/jpeg', ...size, url: null }));
  } catch (error) {
    if (error instanceof RenderError) return [];
    throw error;
  }
}

/** Builds an input that shows an image per frame. */
function inputOf(lot: readonly PreviewImage[], { width, height }: Size): RenderInput {
  const images = lot.map(({ bytes }, index) => {
    const assetId = `picture-${index}`;
    return { assetId, width, height, bytes, transform: { crop_strategy: 'cover' as const }, name: assetId };
  });
  const animation: LottieDocument = {
    v: '5.11.0',
    fr: 1,
    ip: 0,
    op: lot.length,
    w: width,
    h: height,
    nm: 'pictures',
    ddd: 0,
    assets: images.map(({ assetId }) => ({ id: assetId, w: width, h: height, u: '', p: '', e: 0 })),
    fonts: { list: [] },
    layers: images.map(({ assetId }, index) => {
      const time = { ip: index, op: index + 1, st: 0, sr: 1 };
      return { ...time, bm: 0, ddd: 0, ind: index + 1, nm: assetId, ty: 2, refId: assetId, ks: IDENTITY_TRANSFORM };
    }),
  };
  return {
    width,
    height,
    animation,
    images,
    fonts: [],
    clips: [],
    sounds: [],
    fps: 1,
    frameCount: lot.length,
    output: { format: 'png', quality: 'medium', fingerprint: null },
    stills: images.map(({ assetId }, index) => ({ name: assetId, frame: index })),
  };
}
