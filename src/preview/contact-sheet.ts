import { packScene } from '../engine/packed-scene.ts';
import type { SceneFont } from '../template/scene.ts';
import { mostChangedStill, type PreviewImage, type VideoPreview } from './plan-preview.ts';
import type { PreviewRenderer } from './preview-video.ts';
import { type SheetPicture, type SheetText, sheetScene } from './sheet-scene.ts';

export interface SheetEntry {
  readonly id: string;
  readonly preview: VideoPreview;
}

export interface ContactSheetOptions {
  /** Fonts of the videos' scenes. Labels use the first one; without fonts there are no labels. */
  readonly fonts: readonly SceneFont[];
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
 * Draws videos before and after side by side on one image. Shows the most changed moment of each video, in rows, the largest
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
  const sheet = sheetScene({ width, height, texts, pictures, fonts: options.fonts });
  const [drawn] = await options.draw.compare({ before: null, after: packScene(sheet), jpegQuality: JPEG_QUALITY });
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

function even(pixels: number): number {
  return 2 * Math.ceil(pixels / 2);
}
