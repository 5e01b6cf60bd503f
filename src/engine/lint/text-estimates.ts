import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import type { RenderInput } from '../../template/render-input.ts';
import type { PixelBox } from '../raster/rasterizer.ts';
import { filledTextLayers, type TextLayer } from '../text/text-layers.ts';
import { estimateText } from './estimate-text.ts';
import type { MeasuredFrame } from './measured-frames.ts';
import { around, enlarged, overlap, type Part, trimmed } from './pixel-boxes.ts';
import { RecentValues } from './recent-values.ts';
import type { TextPictures } from './text-pictures.ts';
import type { TextSample, TextTrack } from './text-tracks.ts';
import { tagStepOf } from './text-variants.ts';
import { areTextsApart, isPlain, reachOf } from './texts-apart.ts';

/** Texts closer to each other, in pixels, would be measured together. */
const MIN_DISTANCE = 8;
/** Ink may extend beyond a line by this share of its font size. */
const OVERHANG = 0.5;
/** The scale of a layer in one direction may be this much larger than in the other. */
const STRETCH = 1.5;
/** Distance that antialiasing reaches beyond the ink, in pixels. */
const ANTIALIASING = 4;

/** Texts alone, null without pixels, and estimates, which rows of a template share. */
const recentTexts = new RecentValues<Part | null>(24 << 20);
const recentEstimates = new RecentValues<ReturnType<typeof estimateText>>(10_000);

/** A text layer of an editable. */
interface LoneLayer {
  readonly text: TextLayer & { readonly editable: string };
  /** In the animation. */
  readonly position: number;
  readonly isPlain: boolean;
  readonly isMasked: boolean;
  /** By frame. */
  readonly samples: ReadonlyMap<number, readonly TextSample[]>;
}

/** Which texts to estimate on a frame. */
interface EstimatedTexts {
  readonly editables: readonly string[];
  /** Those that are estimated; the others must only keep their distance. */
  readonly wanted: ReadonlySet<string>;
  readonly findsCuts: boolean;
}

/**
 * Estimates texts from pictures of each text alone, of what lies below it and of what lies above it. Rows of a template share the
 * latter two, so that a row draws only its own texts, which takes far less time than drawing whole frames. Estimates are on the safe
 * side, see `estimateText`.
 */
export class TextEstimates {
  readonly #renderInput: RenderInput;
  readonly #pictures: TextPictures;
  readonly #layers: readonly LoneLayer[];
  readonly #isPossible: boolean;

  /** @param renderInput at the size to draw @param tracks of its texts */
  constructor(renderInput: RenderInput, pictures: TextPictures, tracks: readonly TextTrack[]) {
    const { animation } = renderInput;
    this.#renderInput = renderInput;
    this.#pictures = pictures;
    this.#isPossible = areTextsApart(animation);
    const samples = samplesByLayer(tracks);
    this.#layers = filledTextLayers(animation).map((text) => {
      const ofLayer = samples.get(text.layer) ?? new Map<number, TextSample[]>();
      const hasEmoji = [...ofLayer.values()].flat().some(hasColors);
      return {
        text,
        position: animation.layers.indexOf(text.layer),
        isPlain: isPlain(text) && !hasEmoji,
        isMasked: text.layer.hasMask === true || text.layer.masksProperties !== undefined,
        samples: ofLayer,
      };
    });
  }

  /** Estimates the texts of a frame. Returns null if one of them cannot be estimated. */
  async estimate(frame: number, { editables, wanted, findsCuts }: EstimatedTexts): Promise<MeasuredFrame | null> {
    if (!this.#isPossible) return null;
    const shown: { readonly layer: LoneLayer; readonly part: Part }[] = [];
    for (const layer of this.#layers) {
      const part = await this.#draw('lone', layer, frame);
      if (part === null) continue;
      const near = enlarged(part.box, MIN_DISTANCE);
      if (shown.some((another) => overlap(another.part.box, near))) return null;
      shown.push({ layer, part });
    }
    const estimated = shown.filter(({ layer }) => wanted.has(layer.text.editable));
    const isMeasured = ({ layer }: { readonly layer: LoneLayer }) => !layer.isPlain || this.#isRepeated(layer, frame);
    if (estimated.some(isMeasured)) return null;
    const texts = new Map<number, NonNullable<ReturnType<MeasuredFrame['texts']['get']>>>();
    // Drawn for all texts at once.
    const boxes = around(estimated.map(({ part }) => part.box));
    for (const { layer, part } of estimated) {
      const found = await this.#estimate(layer, frame, part, {
        boxes: boxes!,
        findsCuts,
        tagStep: tagStepOf(editables),
      });
      if (found === null) return null;
      if (found !== 'hidden') texts.set(editables.indexOf(layer.text.editable), found);
    }
    return { texts, hasCuts: findsCuts || estimated.every(({ layer }) => !layer.isMasked) };
  }

  /** Returns whether several layers show the text of an editable on a frame, of which masks may hide all but one. */
  #isRepeated({ text: { editable } }: LoneLayer, frame: number): boolean {
    const layers = this.#layers.filter(({ text }) => text.editable === editable);
    return (
      layers.length > 1 && layers.filter(({ position }) => this.#pictures.paints(`lone ${position}`, frame)).length > 1
    );
  }

  /** @param boxes box around the texts of the frame */
  async #estimate(
    layer: LoneLayer,
    frame: number,
    part: Part,
    { boxes, findsCuts, tagStep }: { readonly boxes: PixelBox; readonly findsCuts: boolean; readonly tagStep: number },
  ): Promise<ReturnType<typeof estimateText>> {
    const above = `above ${layer.position}` as const;
    const hasAbove = this.#pictures.paints(above, frame);
    const findsMasked = layer.isMasked && findsCuts;
    const versions = [`lone ${layer.position}` as const, 'bare' as const, ...(hasAbove ? [above] : [])];
    const keys = versions.map((version) => this.#pictures.keyOf(version, frame));
    const key = keys.includes(null) ? null : [...keys, findsMasked, tagStep].join(' ');
    const known = key === null ? undefined : recentEstimates.get(key);
    if (known !== undefined) return known;
    const below = (version: 'bare' | typeof above): Promise<Uint8Array> =>
      this.#pictures.drawGround(version, frame, part.box, boxes);
    const unmasked = findsMasked ? await this.#draw('unmasked', layer, frame) : null;
    const found = estimateText(
      {
        text: part,
        unmasked: layer.isMasked ? unmasked : part,
        ground: await below('bare'),
        above: hasAbove ? await below(above) : null,
      },
      tagStep,
    );
    const { width, height } = this.#renderInput;
    const { box } = part;
    const isInside =
      box.left > 1 && box.top > 1 && box.left + box.width < width - 1 && box.top + box.height < height - 1;
    const estimate = found === null || found === 'hidden' ? found : { ...found, isAtEdge: !isInside };
    if (key !== null) recentEstimates.set(key, estimate, 1);
    return estimate;
  }

  /** Draws a text alone, or takes it from an input that shows the same. Returns null without pixels. */
  async #draw(kind: 'lone' | 'unmasked', layer: LoneLayer, frame: number): Promise<Part | null> {
    const version = `${kind} ${layer.position}` as const;
    if (!this.#pictures.paints(version, frame)) return null;
    const key = this.#pictures.keyOf(version, frame);
    const known = key === null ? undefined : recentTexts.get(key);
    if (known !== undefined) return known;
    const box = this.#boxOf(layer, frame);
    const part = box === null ? null : trimmed({ box, pixels: await this.#pictures.drawPart(version, frame, box) });
    if (key !== null) recentTexts.set(key, part, 64 + (part?.pixels.length ?? 0));
    return part;
  }

  /** Returns a box that contains all pixels of a text; null if they lie outside the picture. */
  #boxOf({ text, samples }: LoneLayer, frame: number): PixelBox | null {
    const { width, height, animation } = this.#renderInput;
    const whole = { left: 0, top: 0, width, height };
    const placed = samples.get(frame);
    if (placed === undefined) return whole;
    const scale = Math.max(width / animation.w, height / animation.h);
    const boxes = placed.map(({ lines, laidOut, size }): PixelBox | null => {
      const drawnSize = (size * Math.min(animation.w, animation.h)) / 1080;
      const reach = STRETCH * reachOf(text, laidOut.layout.size) * (drawnSize / laidOut.layout.size);
      if (!Number.isFinite(reach)) return null;
      const margin = scale * (reach + OVERHANG * drawnSize) + ANTIALIASING;
      const corners = lines.flat();
      const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
      const left = Math.floor((Math.min(...xs) - animation.w / 2) * scale + width / 2 - margin);
      const top = Math.floor((Math.min(...ys) - animation.h / 2) * scale + height / 2 - margin);
      const right = Math.ceil((Math.max(...xs) - animation.w / 2) * scale + width / 2 + margin);
      const bottom = Math.ceil((Math.max(...ys) - animation.h / 2) * scale + height / 2 + margin);
      return { left, top, width: right - left, height: bottom - top };
    });
    if (boxes.includes(null)) return whole;
    return overlap(around(boxes as PixelBox[])!, whole);
  }
}

function samplesByLayer(tracks: readonly TextTrack[]): Map<LottieNode, Map<number, TextSample[]>> {
  const byLayer = new Map<LottieNode, Map<number, TextSample[]>>();
  for (const sample of tracks.flatMap(({ samples }) => samples)) {
    const { layer } = sample.laidOut.layer;
    const byFrame = byLayer.get(layer) ?? new Map<number, TextSample[]>();
    byLayer.set(layer, byFrame);
    byFrame.set(sample.frame, [...(byFrame.get(sample.frame) ?? []), sample]);
  }
  return byLayer;
}

function hasColors({ laidOut }: TextSample): boolean {
  return laidOut.layout.lines.some(({ cells }) => cells.some(({ cell }) => cell.isColored));
}
