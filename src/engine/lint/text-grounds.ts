import type { RenderInput } from '../../template/render-input.ts';
import { LINEAR, luminanceOf } from '../color/linear-light.ts';
import { contrastRatio, quantile } from './contrast.ts';
import type { TextVisibility } from './measured-frames.ts';
import { reducedInput, SMALL_SIDE } from './reduced-input.ts';
import { drawSharedFrames } from './shared-frames.ts';
import { visibleArea } from './text-geometry.ts';
import { MIN_VISIBLE, type TextTrack } from './text-tracks.ts';
import { withoutTexts } from './text-variants.ts';

/** Points of a text's area at which backgrounds are compared. */
const COLUMNS = 32;
const ROWS = 8;
/** Share of the points that may change more without being noticed. */
const IGNORED_SHARE = 0.03;
/** The area of a text that is not drawn as laid out grows by this share of its shorter side, in every direction. */
const MARGIN_SHARE = 1;

/** The backgrounds of texts on the sampled frames, at a small size. */
export class TextGrounds {
  /** Three channels of each point, by editable and frame. */
  readonly #grounds: ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>;
  readonly #changes = new Map<Uint8Array, Map<Uint8Array, number>>();

  /**
   * Draws the sampled frames that show texts of editables without these texts.
   *
   * @param isLast true if no other input of the thread will be similar
   * @throws RenderError for an input that cannot be drawn
   */
  static async draw(renderInput: RenderInput, tracks: readonly TextTrack[], isLast: boolean): Promise<TextGrounds> {
    const areas = areasByFrame(renderInput, tracks);
    const grounds = new Map<string, Map<number, Uint8Array>>();
    if (areas.size === 0) return new TextGrounds(grounds);
    const opaque: RenderInput = { ...renderInput, output: { ...renderInput.output, format: 'mp4' } };
    const small = reducedInput(withoutTexts(opaque), SMALL_SIDE, SMALL_SIDE);
    const frames = [...areas.keys()].sort((first, second) => first - second);
    const visit = (frame: number, picture: Uint8Array): void => {
      for (const [editable, area] of areas.get(frame)!) {
        const byFrame = grounds.get(editable) ?? new Map<number, Uint8Array>();
        grounds.set(editable, byFrame.set(frame, pointsOf(picture, small, area)));
      }
    };
    await drawSharedFrames(small, frames, visit, isLast);
    return new TextGrounds(grounds);
  }

  private constructor(grounds: ReadonlyMap<string, ReadonlyMap<number, Uint8Array>>) {
    this.#grounds = grounds;
  }

  /**
   * Returns the change of a text's background between two frames, 0..255: nearly all points change less. Infinity for a frame
   * that is not sampled.
   */
  change(editable: string, from: number, to: number): number {
    const grounds = this.#grounds.get(editable);
    const [before, after] = [grounds?.get(from), grounds?.get(to)];
    if (from === to) return 0;
    if (before === undefined || after === undefined) return Infinity;
    // Runs of low contrast compare the same frames in each round.
    const known = this.#changes.get(before)?.get(after) ?? this.#changes.get(after)?.get(before);
    if (known !== undefined) return known;
    const change = changeOf(before, after);
    const changes = this.#changes.get(before) ?? new Map<Uint8Array, number>();
    this.#changes.set(before, changes.set(after, change));
    return change;
  }

  /**
   * Estimates the contrast that nine tenths of a text's background reach, without outlines and glows. Infinity for a frame that is
   * not sampled.
   *
   * @param luminance of the darker and the brighter parts of the text
   */
  contrast(editable: string, frame: number, [dark, bright]: TextVisibility['luminance']): number {
    const points = this.#grounds.get(editable)?.get(frame);
    if (points === undefined) return Infinity;
    const ratios: number[] = [];
    for (let at = 0; at < points.length; at += 3) {
      const ground = luminanceOf(LINEAR[points[at]!]!, LINEAR[points[at + 1]!]!, LINEAR[points[at + 2]!]!);
      // The text contains all luminances of its range.
      ratios.push(contrastRatio(ground, Math.min(bright, Math.max(dark, ground))));
    }
    return quantile(ratios, 0.1);
  }
}

/** Number of points by change, 0..255. */
const counts = new Uint16Array(256);

function changeOf(before: Uint8Array, after: Uint8Array): number {
  counts.fill(0);
  for (let at = 0; at < before.length; at += 3) {
    const red = Math.abs(before[at]! - after[at]!);
    const green = Math.abs(before[at + 1]! - after[at + 1]!);
    const blue = Math.abs(before[at + 2]! - after[at + 2]!);
    counts[Math.max(red, green, blue)]! += 1;
  }
  let [change, ignored] = [255, IGNORED_SHARE * COLUMNS * ROWS];
  while (change > 0 && counts[change]! <= ignored) ignored -= counts[change--]!;
  return change;
}

/** In shares of the picture. */
interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const WHOLE: Area = { left: 0, top: 0, right: 1, bottom: 1 };

/** Returns the areas of the texts of editables, by frame and editable. */
function areasByFrame(renderInput: RenderInput, tracks: readonly TextTrack[]): Map<number, Map<string, Area>> {
  const [[left, top], , [right, bottom]] = visibleArea(renderInput) as [Point, Point, Point];
  const areas = new Map<number, Map<string, Area>>();
  for (const { editable, samples } of tracks) {
    if (editable === null) continue;
    for (const { frame, lines, isDrawnAsLaidOut, visibleShare } of samples) {
      const areasOfFrame = areas.get(frame) ?? new Map<string, Area>();
      areas.set(frame, areasOfFrame);
      // A text that an animator or a path moves into the picture may be anywhere.
      if (!isDrawnAsLaidOut && visibleShare <= MIN_VISIBLE) {
        areasOfFrame.set(editable, WHOLE);
        continue;
      }
      const corners = lines.flat();
      const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
      const [from, to] = [Math.min(...xs), Math.max(...xs)];
      const [above, below] = [Math.min(...ys), Math.max(...ys)];
      const margin = isDrawnAsLaidOut ? 0 : MARGIN_SHARE * Math.min(to - from, below - above);
      const before = areasOfFrame.get(editable);
      areasOfFrame.set(editable, {
        left: Math.min(before?.left ?? 1, (from - margin - left) / (right - left)),
        top: Math.min(before?.top ?? 1, (above - margin - top) / (bottom - top)),
        right: Math.max(before?.right ?? 0, (to + margin - left) / (right - left)),
        bottom: Math.max(before?.bottom ?? 0, (below + margin - top) / (bottom - top)),
      });
    }
  }
  return areas;
}

type Point = readonly [number, number];

/** Returns the colours at a grid of points of an area, as far as it lies in the picture. */
function pointsOf(rgba: Uint8Array, { width, height }: RenderInput, { left, top, right, bottom }: Area): Uint8Array {
  const points = new Uint8Array(3 * COLUMNS * ROWS);
  const within = (share: number, length: number) => Math.max(0, Math.min(length - 1, Math.floor(share * length)));
  for (let row = 0, at = 0; row < ROWS; row++) {
    const y = within(top + ((bottom - top) * (row + 0.5)) / ROWS, height);
    for (let column = 0; column < COLUMNS; column++, at += 3) {
      const x = within(left + ((right - left) * (column + 0.5)) / COLUMNS, width);
      for (let channel = 0; channel < 3; channel++) points[at + channel] = rgba[4 * (y * width + x) + channel]!;
    }
  }
  return points;
}
