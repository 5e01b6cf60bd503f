import type { FullCaptionStyle } from '../../contract/captions/caption-style.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { InputCue, VideoInput } from '../../template/render-input.ts';
import type { PlacedPage } from '../captions/caption-document.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { NO_RIM, type Rim } from './caption-rim.ts';
import { contrastNeeded, contrastRatio, quantile } from './contrast.ts';
import { lintable } from './lint-input.ts';
import { reducedInput } from './reduced-input.ts';
import { drawSharedFrames } from './shared-frames.ts';
import type { Polygon } from './text-geometry.ts';

/** Longer side of the pictures, and of the images in them, in pixels. */
const LONG_SIDE = 160;
/** Points of the lines of a caption at which the picture is read. */
const COLUMNS = 16;
const ROWS = 4;
/** Minimum alpha of a picture behind which nothing is unknown, of 255. */
const MIN_ALPHA = 127;
/** A caption is legible if this share of its lines is. */
const ILLEGIBLE_SHARE = 0.1;

/** Which letters of a caption: all, or the word that is spoken. */
export type LetterPart = 'text' | 'active_word';

/** A caption on a frame of the video. */
export interface CaptionOnFrame {
  readonly frame: number;
  /** Areas of its lines in shares of the picture. */
  readonly lines: readonly Polygon[];
}

/** Contrast of some letters with what is behind them. */
export interface CaptionContrast {
  readonly part: LetterPart;
  /** WCAG contrast ratio, 1..21, that 90 % of the lines reach, and the required ratio. */
  readonly ratio: number;
  readonly needed: number;
}

/** Red, green and blue, 0..255. */
type Color = readonly [number, number, number];

/** Contrast of letters as a function of the colour of the picture behind them. */
type LettersOn = (ground: Color) => number;

/** The letters of a style: how legible they are on any picture. */
export interface Letters {
  readonly part: LetterPart;
  readonly needed: number;
  readonly on: LettersOn;
}

/**
 * Returns the letters of a cue that some picture could make illegible; none for letters whose box, outline or shadow is enough.
 *
 * @param rimOf returns the rim of the letters, which takes time
 * @param height of the picture in which the page is laid out, in pixels
 */
export async function lettersAtRisk(
  { words }: Pick<InputCue, 'words'>,
  style: FullCaptionStyle,
  { page, height, rimOf }: { page: PlacedPage; height: number; rimOf: () => Promise<Rim> },
): Promise<Letters[]> {
  if (page.lines.every(({ cells }) => cells.every(({ cell }) => cell.isSpace || cell.isColored))) return [];
  const needed = contrastNeeded((page.size * 1080) / height);
  const { color, background, active_color: activeColor, active_background: activeBackground } = style;
  const isByWord = words !== undefined && (activeColor !== undefined || activeBackground !== undefined);
  const kinds = [
    { part: 'text' as const, ink: color, boxes: [background] },
    ...(isByWord
      ? [{ part: 'active_word' as const, ink: activeColor ?? color, boxes: [background, activeBackground] }]
      : []),
  ];
  const lettersOf = (rim: Rim): Letters[] =>
    kinds.map(({ part, ink, boxes }) => ({ part, needed, on: letters(ink, boxes, rim) }));
  const isAtRisk = ({ on }: Letters): boolean => GREYS.some((grey) => on([grey, grey, grey]) < needed);
  // Most boxes are enough without the rim.
  if (!lettersOf(NO_RIM).some(isAtRisk)) return [];
  return lettersOf(await rimOf()).filter(isAtRisk);
}

const GREYS = Array.from({ length: 18 }, (_, index) => 15 * index);

function letters(ink: string, boxes: readonly (string | undefined)[], rim: Rim): LettersOn {
  const layers = boxes.flatMap((box) => (box === undefined ? [] : [paintOf(box)]));
  const inkPaint = paintOf(ink);
  return (picture) => {
    const ground = layers.reduce(over, picture);
    const drawn = luminance(over(ground, inkPaint));
    const rimmed = ground.map((channel, at) => channel + (rim.color[at]! - channel) * rim.alpha);
    return Math.max(contrastRatio(drawn, luminance(ground)), contrastRatio(drawn, luminance(rimmed)));
  };
}

/** A colour and its opacity, 0..1. */
interface Paint {
  readonly color: Color;
  readonly alpha: number;
}

/** @param color RRGGBB or RRGGBBAA */
function paintOf(color: string): Paint {
  const [red, green, blue, alpha = 255] = (color.match(/../g) ?? []).map((hex) => Number.parseInt(hex, 16));
  return { color: [red!, green!, blue!], alpha: alpha / 255 };
}

function over(ground: Color, { color, alpha }: Paint): Color {
  const mixed = (channel: 0 | 1 | 2): number => ground[channel] + (color[channel] - ground[channel]) * alpha;
  return [mixed(0), mixed(1), mixed(2)];
}

function luminance([red, green, blue]: readonly number[]): number {
  return luminanceOf(LINEAR[Math.round(red!)]!, LINEAR[Math.round(green!)]!, LINEAR[Math.round(blue!)]!);
}

/** Pictures of a video without its captions, at a small size. */
export class CaptionGrounds {
  readonly #video: VideoInput;
  readonly #points = new Map<CaptionOnFrame, readonly Color[]>();
  readonly #ratios = new Map<Letters, Map<CaptionOnFrame, number>>();

  static async open(video: VideoInput): Promise<CaptionGrounds> {
    const { captions: _, ...designed } = video;
    return new CaptionGrounds(reducedInput(await lintableVideo(designed as VideoInput), LONG_SIDE, LONG_SIDE));
  }

  private constructor(video: VideoInput) {
    this.#video = video;
  }

  /**
   * Draws the pictures behind captions.
   *
   * @throws RenderError for an input that cannot be drawn
   */
  async draw(captions: readonly CaptionOnFrame[]): Promise<void> {
    const byFrame = groupBy(captions, ({ frame }) => frame);
    const frames = [...byFrame.keys()].sort((first, second) => first - second);
    await drawSharedFrames(this.#video, frames, (frame, picture) => {
      for (const caption of byFrame.get(frame)!) this.#points.set(caption, pointsOf(picture, this.#video, caption));
    });
  }

  /** Returns the contrast of letters with a picture that was drawn; null if nothing is known of what is behind them. */
  contrast(caption: CaptionOnFrame, letters: Letters): CaptionContrast | null {
    const { part, needed, on } = letters;
    const points = this.#points.get(caption) ?? [];
    if (points.length === 0) return null;
    const known = this.#ratios.get(letters) ?? new Map<CaptionOnFrame, number>();
    const ratio = known.get(caption) ?? quantile(points.map(on), ILLEGIBLE_SHARE);
    this.#ratios.set(letters, known.set(caption, ratio));
    return { part, needed, ratio };
  }
}

async function lintableVideo(video: VideoInput): Promise<VideoInput> {
  return 'scenes' in video
    ? { ...video, scenes: await Promise.all(video.scenes.map((scene) => lintable(scene))) }
    : await lintable(video);
}

/** Returns the colours at a grid of points of each line, as far as they lie in the picture and are known. */
function pointsOf(
  rgba: Uint8Array,
  { width, height }: Pick<VideoInput, 'width' | 'height'>,
  { lines }: CaptionOnFrame,
): Color[] {
  return lines.flatMap((line) => {
    const [[left, top], , [right, bottom]] = line as readonly [Polygon[number], Polygon[number], Polygon[number]];
    return Array.from({ length: COLUMNS * ROWS }, (_, point): Color[] => {
      const x = Math.floor((left + ((right - left) * ((point % COLUMNS) + 0.5)) / COLUMNS) * width);
      const y = Math.floor((top + ((bottom - top) * (Math.floor(point / COLUMNS) + 0.5)) / ROWS) * height);
      const at = 4 * (y * width + x);
      const isKnown = x >= 0 && x < width && y >= 0 && y < height && rgba[at + 3]! > MIN_ALPHA;
      return isKnown ? [[rgba[at]!, rgba[at + 1]!, rgba[at + 2]!]] : [];
    }).flat();
  });
}
