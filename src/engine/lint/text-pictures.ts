import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { pixelsOf } from '../pixel-format.ts';
import { openRasterizer, type PixelBox, type Rasterizer } from '../raster/rasterizer.ts';
import { segmentKey } from '../segments/segment.ts';
import { inputCutter } from '../segments/segment-input.ts';
import { around, contains, cropped, type Part } from './pixel-boxes.ts';
import { RecentValues } from './recent-values.ts';
import { type TextVariant, textVariant } from './text-variants.ts';
import { paints, withLayersAbove, withTextAlone } from './texts-apart.ts';

/**
 * A version to draw. `background` is `bare` with its alpha. The others show parts of the input over nothing, by the position of a text
 * in the animation: the text, the text without its masks, and the layers above it.
 */
type Version = TextVariant | 'background' | `${'lone' | 'unmasked'} ${number}` | GroundAbove;
type GroundAbove = `above ${number}`;

/** Share of the time between the first and the last frame by which an opened version extends beyond them. */
const MARGIN_SHARE = 0.25;
/** The sides of stored parts of pictures are multiples of this, in pixels. */
const GRID = 64;

/** Parts of pictures without texts by the content that they show, which rows of a template share. */
const recent = new RecentValues<Part>(48 << 20);

/** A version that is open for some frames. */
interface Drawing {
  readonly rasterizer: Rasterizer;
  readonly first: number;
  readonly end: number;
}

/** Draws versions of an input that differ in its texts. Keeps them open, because opening takes as long as drawing several frames. */
export class TextPictures {
  readonly isOpaque: boolean;
  readonly #renderInput: RenderInput;
  readonly #cutters = new Map<Version, ReturnType<typeof inputCutter>>();
  readonly #drawings = new Map<Version, Drawing>();
  /** By version and frame. */
  readonly #shown = new Map<string, { readonly key: string | null; readonly paints: boolean }>();
  #editables: readonly string[] = [];
  #frames = { first: 0, end: 0 };

  /** @param renderInput at the size to draw */
  constructor(renderInput: RenderInput) {
    this.#renderInput = renderInput;
    this.isOpaque = pixelsOf(renderInput.output) !== 'rgba';
  }

  /**
   * Sets the texts that will be drawn, and the frames on which they will probably be drawn.
   *
   * @param frames in ascending order
   * @param editables as for `textVariant`
   */
  prepare(frames: readonly number[], editables: readonly string[]): void {
    const [first = 0, last = first] = [frames[0], frames.at(-1)];
    const margin = Math.ceil((last - first) * MARGIN_SHARE);
    const { frameCount } = this.#renderInput;
    this.#frames = { first: Math.max(0, first - margin), end: Math.min(frameCount, last + margin + 1) };
    if (editables.join('\n') === this.#editables.join('\n')) return;
    this.#editables = editables;
    for (const version of ['bright', 'dark', 'alone'] as const) {
      this.#cutters.delete(version);
      this.#drawings.get(version)?.rasterizer.close();
      this.#drawings.delete(version);
    }
  }

  async draw(version: Version, frame: number): Promise<Uint8Array> {
    const rasterizer = await this.#open(version, frame);
    return afterTurn(rasterizer.draw(frame));
  }

  /** Draws a part of a frame. */
  async drawPart(version: Version, frame: number, box: PixelBox): Promise<Uint8Array> {
    const rasterizer = await this.#open(version, frame);
    return afterTurn(rasterizer.drawPart(frame, box));
  }

  /** Returns the digest of what a version shows on a frame; null if it has no canonical form. */
  keyOf(version: Version, frame: number): string | null {
    return this.#shownBy(version, frame).key;
  }

  /** Returns whether a version may paint pixels on a frame. */
  paints(version: Version, frame: number): boolean {
    return this.#shownBy(version, frame).paints;
  }

  /**
   * Draws a part of a frame without texts, or takes it from an input that shows the same.
   *
   * @param needed box that contains it and that will be needed too; drawn at once
   */
  async drawGround(
    version: 'bare' | 'background' | GroundAbove,
    frame: number,
    box: PixelBox,
    needed = box,
  ): Promise<Uint8Array> {
    const key = this.keyOf(version, frame);
    const known = key === null ? undefined : recent.get(key);
    if (known !== undefined && contains(known.box, needed)) return cropped(known, box);
    const drawn = widened(known === undefined ? needed : around([known.box, needed])!, this.#renderInput);
    const part = { box: drawn, pixels: await this.drawPart(version, frame, drawn) };
    if (key !== null) recent.set(key, part, part.pixels.length);
    return cropped(part, box);
  }

  close(): void {
    for (const { rasterizer } of this.#drawings.values()) rasterizer.close();
    this.#drawings.clear();
  }

  async #open(version: Version, frame: number): Promise<Rasterizer> {
    const known = this.#drawings.get(version);
    if (known !== undefined && known.first <= frame && frame < known.end) {
      await known.rasterizer.prepare(frame);
      return known.rasterizer;
    }
    known?.rasterizer.close();
    const [first, end] = [Math.min(this.#frames.first, frame), Math.max(this.#frames.end, frame + 1)];
    const rasterizer = await openRasterizer(this.#cutterOf(version)([{ first, end }]));
    this.#drawings.set(version, { rasterizer, first, end });
    await rasterizer.prepare(frame);
    return rasterizer;
  }

  #shownBy(version: Version, frame: number): { readonly key: string | null; readonly paints: boolean } {
    const name = `${version} at ${frame}`;
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    const range = { first: frame, end: frame + 1 };
    const shown = this.#cutterOf(version)([range]);
    const found = { key: segmentKey(shown, range, 'lint ground'), paints: paints(shown.animation) };
    this.#shown.set(name, found);
    return found;
  }

  #cutterOf(version: Version): ReturnType<typeof inputCutter> {
    const known = this.#cutters.get(version);
    if (known !== undefined) return known;
    const cut = inputCutter(this.#variantOf(version));
    this.#cutters.set(version, cut);
    return cut;
  }

  #variantOf(version: Version): RenderInput {
    const { output, animation } = this.#renderInput;
    const [kind, position] = version.split(' ') as ['lone' | 'unmasked' | 'above' | TextVariant, string | undefined];
    if (position !== undefined) {
      const overNothing = { ...this.#renderInput, output: { ...output, format: 'webm' as const } };
      const text = animation.layers[Number(position)] as LottieNode;
      return kind === 'above' ? withLayersAbove(overNothing, text) : withTextAlone(overNothing, text, kind === 'lone');
    }
    if (version === 'background') return textVariant(this.#renderInput, 'bare', this.#editables);
    const varied = textVariant(this.#renderInput, version as TextVariant, this.#editables);
    return { ...varied, output: { ...output, format: 'mp4' as const } };
  }
}

/** Resolves in the next turn of the event loop, in which the memory of the last picture is freed. */
async function afterTurn(picture: Uint8Array): Promise<Uint8Array> {
  await new Promise((resolve) => setImmediate(resolve));
  return picture;
}

/** Widens a box to a grid, so that it contains the boxes of similar texts. */
function widened(box: PixelBox, size: Pick<RenderInput, 'width' | 'height'>): PixelBox {
  const [left, top] = [box.left, box.top].map((side) => Math.floor(side / GRID) * GRID) as [number, number];
  const right = Math.min(size.width, Math.ceil((box.left + box.width) / GRID) * GRID);
  const bottom = Math.min(size.height, Math.ceil((box.top + box.height) / GRID) * GRID);
  return { left, top, width: right - left, height: bottom - top };
}
