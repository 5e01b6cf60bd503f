import { packRenderInput } from '../../engine/packed-input.ts';
import { IDENTITY_TRANSFORM } from '../../template/lottie/lottie-layers.ts';
import type { InputFont, LottieDocument, RenderInput } from '../../template/render-input.ts';
import { mostChangedStill, type PreviewImage, type VideoPreview } from './plan-preview.ts';
import type { PreviewRenderer } from './preview-video.ts';

interface SheetEntry {
  readonly id: string;
  readonly preview: VideoPreview;
}

interface ContactSheetOptions {
  /** Fonts of the labels. */
  readonly fonts: readonly InputFont[];
  /** Returns the text above a pair of images. */
  label(id: string, changedShare: number): string;
  readonly draw: Pick<PreviewRenderer, 'compare'>;
}

/** Lengths in pixels. */
const PICTURE_WIDTH = 320;
const GAP = 8;
const MARGIN = 24;
const LABEL_HEIGHT = 28;
const LABEL_SIZE = 15;
const COLUMNS = 2;
const TALLEST = 4096;
const JPEG_QUALITY = 82;

/**
 * Draws videos before and after side by side on an image. Shows the most changed moment of each video, in rows, the largest
 * difference first. Videos that do not fit are omitted from the end.
 *
 * @returns null if fewer than two videos have both sides
 */
export async function contactSheet(
  entries: readonly SheetEntry[],
  options: ContactSheetOptions,
): Promise<PreviewImage | null> {
  const pairs = entries.flatMap(pairOf).sort((a, b) => b.share - a.share || (a.id < b.id ? -1 : 1));
  if (pairs.length < 2) return null;
  const tallest = Math.max(...pairs.flatMap(({ before, after }) => [before, after].map(heightOf)));
  const rowHeight = LABEL_HEIGHT + tallest + MARGIN;
  const shown = pairs.slice(0, COLUMNS * Math.max(1, Math.floor((TALLEST - MARGIN) / rowHeight)));
  const width = even(MARGIN + COLUMNS * (2 * PICTURE_WIDTH + GAP + MARGIN));
  const height = even(MARGIN + Math.ceil(shown.length / COLUMNS) * rowHeight);
  const texts: SheetText[] = [];
  const pictures: SheetPicture[] = [];
  for (const [index, { id, share, before, after }] of shown.entries()) {
    const left = MARGIN + (index % COLUMNS) * (2 * PICTURE_WIDTH + GAP + MARGIN);
    const top = MARGIN + Math.floor(index / COLUMNS) * rowHeight;
    texts.push({ x: left, y: top + LABEL_SIZE, text: options.label(id, share), size: LABEL_SIZE });
    for (const [side, picture] of [before, after].entries()) {
      const x = left + side * (PICTURE_WIDTH + GAP);
      const size = { width: PICTURE_WIDTH, height: heightOf(picture) };
      pictures.push({ x, y: top + LABEL_HEIGHT, ...size, bytes: picture.bytes });
    }
  }
  const sheet = sheetInput({ width, height, texts, pictures, fonts: options.fonts });
  const [drawn] = await options.draw.compare({
    before: null,
    after: packRenderInput(sheet),
    jpegQuality: JPEG_QUALITY,
  });
  return { bytes: drawn!.after!, contentType: 'image/jpeg', width, height, url: null };
}

interface Pair {
  readonly id: string;
  readonly share: number;
  readonly before: PreviewImage;
  readonly after: PreviewImage;
}

function pairOf({ id, preview }: SheetEntry): Pair[] {
  const most = mostChangedStill(preview.stills);
  if (most === undefined || most.before === null) return [];
  return [{ id, share: most.changedShare ?? 0, before: most.before, after: most.after }];
}

function heightOf({ width, height }: PreviewImage): number {
  return Math.max(1, Math.round((PICTURE_WIDTH * height) / width));
}

/** Rounds a size up to an even number of pixels, which an input requires. */
export function even(pixels: number): number {
  return 2 * Math.ceil(pixels / 2);
}

/** A line of text. All lengths are in pixels. */
export interface SheetText {
  readonly x: number;
  /** Baseline. */
  readonly y: number;
  readonly text: string;
  readonly size: number;
  /** Red, green and blue, 0..1; nearly white when absent. */
  readonly color?: readonly number[];
}

/** A filled rectangle below the pictures. All lengths are in pixels. */
export interface SheetArea extends Omit<SheetPicture, 'bytes'> {
  /** Red, green and blue, 0..1. */
  readonly color: readonly number[];
}

/** A picture in its place. All lengths are in pixels. */
export interface SheetPicture {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** PNG or JPEG. */
  readonly bytes: Uint8Array;
}

interface Sheet {
  /** Even numbers. */
  readonly width: number;
  readonly height: number;
  readonly texts: readonly SheetText[];
  readonly pictures: readonly SheetPicture[];
  readonly areas?: readonly SheetArea[];
  /** Texts use the first font, and the others for characters that it lacks; without fonts there are no texts. */
  readonly fonts: readonly InputFont[];
}

/** A property that is not animated. */
const still = (k: unknown) => ({ a: 0, k });
const BACKGROUND = [0.09, 0.1, 0.12, 1];
const INK = [0.93, 0.94, 0.95];

/** Returns an input that shows pictures and texts on a dark ground, with a still. */
export function sheetInput({ width, height, texts, pictures, areas = [], fonts }: Sheet): RenderInput {
  const [font] = fonts;
  const images = pictures.map((picture, index): RenderInput['images'][number] => {
    const assetId = `picture-${index}`;
    const { width: w, height: h, bytes } = picture;
    return { assetId, width: w, height: h, bytes, transform: { crop_strategy: 'cover' }, name: assetId };
  });
  const layers = [
    ...(font === undefined ? [] : texts.map(({ x, y, ...text }) => ({ x, y, ...textLayer(text, font.name) }))),
    ...pictures.map(({ x, y }, index) => ({ x, y, ty: 2, refId: `picture-${index}` })),
    ...areas.map(({ x, y, ...area }) => ({ x, y, ty: 4, shapes: rectangle(area) })),
  ];
  const animation = sheetAnimation({ width, height, layers, images, font });
  return {
    width,
    height,
    animation,
    images,
    fonts,
    clips: [],
    sounds: [],
    fps: 1,
    frameCount: 1,
    output: { format: 'mp4', quality: 'medium', fingerprint: null },
    stills: [{ name: 'sheet', frame: 0 }],
  };
}

function rectangle({ width: w, height: h, color }: Pick<SheetArea, 'width' | 'height' | 'color'>) {
  const area = { ty: 'rc', p: still([w / 2, h / 2]), s: still([w, h]), r: still(0) };
  const paint = { ty: 'fl', c: still(color), o: still(100) };
  return [{ ty: 'gr', it: [area, paint, { ty: 'tr', ...IDENTITY_TRANSFORM, sk: still(0), sa: still(0) }] }];
}

function textLayer({ text, size, color = INK }: Pick<SheetText, 'text' | 'size' | 'color'>, font: string) {
  const style = { t: text, f: font, s: size, fc: color, j: 0, lh: size * 1.2 };
  return { ty: 5, t: { d: { k: [{ t: 0, s: style }] }, p: {}, m: { g: 1, a: still([0, 0]) }, a: [] } };
}

interface Placed {
  readonly x: number;
  readonly y: number;
  readonly [field: string]: unknown;
}

function sheetAnimation(sheet: {
  readonly width: number;
  readonly height: number;
  readonly layers: readonly Placed[];
  readonly images: RenderInput['images'];
  readonly font: InputFont | undefined;
}): LottieDocument {
  const { width: w, height: h, layers, images, font } = sheet;
  const layer = { ip: 0, op: 1, st: 0, sr: 1, bm: 0, ddd: 0 };
  const shapes = rectangle({ width: w, height: h, color: BACKGROUND });
  return {
    v: '5.11.0',
    fr: 1,
    ip: 0,
    op: 1,
    w,
    h,
    nm: 'sheet',
    ddd: 0,
    assets: images.map(({ assetId, width, height }) => ({ id: assetId, w: width, h: height, u: '', p: '', e: 0 })),
    fonts: {
      list:
        font === undefined ? [] : [{ fName: font.name, fFamily: 'Label', fStyle: 'Regular', ascent: 75, origin: 3 }],
    },
    layers: [
      ...layers.map(({ x, y, ...content }, index) => {
        return {
          ...layer,
          ind: index + 1,
          nm: `${index}`,
          ks: { ...IDENTITY_TRANSFORM, p: still([x, y, 0]) },
          ...content,
        };
      }),
      { ...layer, ind: layers.length + 1, nm: 'background', ty: 4, ks: IDENTITY_TRANSFORM, shapes },
    ],
  };
}
