import { isRecord } from '../../kernel/json.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import { LAYER_TYPE } from '../../template/lottie/lottie-layers.ts';
import { propertyValue } from '../../template/lottie/property-value.ts';
import { DrawnLayers, type Matrix } from '../../template/lottie/visibility/drawn-layers.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';
import type { PictureBox } from '../lint-finding.ts';
import { inkOf } from '../text/fit-text.ts';
import { type LaidOutText, layOutLayers } from '../text/lay-out-layers.ts';
import { lineLeft } from '../text/lay-out-text.ts';
import { selectsPart } from '../text/text-layers.ts';

/** Corners in pixels of the animation, in order around a convex shape. */
export type Polygon = readonly (readonly [x: number, y: number])[];

/** A text on a frame according to its layout. Other content may cover or mask it. */
export interface PlacedText {
  readonly laidOut: LaidOutText;
  /** False if masks, mattes or animators of characters may draw it elsewhere or only in part. */
  readonly isDrawnAsLaidOut: boolean;
  /** Whether the text is drawn as it was laid out on this frame: no mask, and animators are at rest or have not begun. */
  readonly isWholeNow: boolean;
  /** Opacity of the layer, 0..1. */
  readonly strength: number;
  /** Outlines of the ink of each line. */
  readonly lines: readonly Polygon[];
  /** Share of the area of the lines that lies in the picture, 0..1. */
  readonly visibleShare: number;
  /** Largest distance of the lines beyond the picture, as a share of the picture's shorter side. */
  readonly beyond: number;
  /** Font size as drawn, in pixels of a picture whose shorter side has 1080. */
  readonly size: number;
}

/** Time between samples; longer if an input would have more samples than the limit. */
const SAMPLE_SECONDS = 0.1;
const MAX_SAMPLES = 900;

/** Finds the positions of an input's texts in the picture. */
export class TextGeometry {
  readonly #renderInput: RenderInput;
  readonly #layers: DrawnLayers;
  readonly #texts: ReadonlyMap<LottieNode, readonly LaidOutText[]>;
  readonly #boxes = new Map<LaidOutText, readonly Polygon[]>();
  readonly #perFrame: number;
  readonly #picture: Polygon;

  /** @throws RenderError template_invalid for a font that is missing or unusable */
  static async open(renderInput: RenderInput): Promise<TextGeometry> {
    const texts = new Map<LottieNode, LaidOutText[]>();
    for (const text of await layOutLayers(renderInput.animation, renderInput.fonts)) {
      const textsOfLayer = texts.get(text.layer.layer);
      if (textsOfLayer === undefined) texts.set(text.layer.layer, [text]);
      else textsOfLayer.push(text);
    }
    return new TextGeometry(renderInput, texts);
  }

  private constructor(renderInput: RenderInput, texts: ReadonlyMap<LottieNode, readonly LaidOutText[]>) {
    this.#renderInput = renderInput;
    this.#texts = texts;
    this.#layers = new DrawnLayers(renderInput.animation, isText);
    this.#perFrame = animationFramesPerFrame(renderInput);
    this.#picture = visibleArea(renderInput);
  }

  /** Returns the frames at which texts are compared, in ascending order. */
  sampleFrames(): number[] {
    const { frameCount, fps } = this.#renderInput;
    const step = Math.max(1, Math.round(fps * SAMPLE_SECONDS), Math.ceil(frameCount / MAX_SAMPLES));
    return Array.from({ length: Math.ceil(frameCount / step) }, (_, index) => index * step);
  }

  /** Returns the texts on a frame that are not empty, in layer order. @param frame of the output */
  at(frame: number): PlacedText[] {
    const { animation } = this.#renderInput;
    const shorterSide = Math.min(animation.w, animation.h);
    return this.#layers.at(frame * this.#perFrame).flatMap((drawn): PlacedText[] => {
      const { layer, matrix, strength, isMasked, time } = drawn;
      const laidOut = documentAt(this.#texts.get(layer) ?? [], layer, time);
      if (laidOut === undefined) return [];
      const lines: Polygon[] = [];
      let [totalArea, visible, beyond] = [0, 0, 0];
      for (const box of this.#boxesOf(laidOut)) {
        const line = moved(box, matrix);
        lines.push(line);
        totalArea += areaOf(line);
        visible += areaOf(intersectionOf(line, this.#picture));
        beyond = Math.max(beyond, overhang(line, this.#picture));
      }
      if (lines.length === 0) return [];
      const scale = smallerScale(matrix) * scaleOfCharacters(laidOut.layer.animators, time);
      return [
        {
          laidOut,
          strength,
          lines,
          isDrawnAsLaidOut: !isMasked && !laidOut.layer.animators.some(moves),
          isWholeNow: !isMasked && !laidOut.layer.animators.some((each) => moves(each) && appliesAt(each, time)),
          visibleShare: totalArea < 1 ? 0 : visible / totalArea,
          beyond: beyond / shorterSide,
          size: laidOut.layout.size * scale * (1080 / shorterSide),
        },
      ];
    });
  }

  #boxesOf(text: LaidOutText): readonly Polygon[] {
    const cached = this.#boxes.get(text);
    if (cached !== undefined) return cached;
    const boxes = inkBoxes(text);
    this.#boxes.set(text, boxes);
    return boxes;
  }
}

function isText({ ty }: LottieNode): boolean {
  return ty === LAYER_TYPE.text;
}

/** Returns the part of the animation that the output shows. An output of another shape cuts it on two sides. */
export function visibleArea({ width, height, animation }: RenderInput): Polygon {
  const scale = Math.max(width / animation.w, height / animation.h);
  const [visibleWidth, visibleHeight] = [width / scale, height / scale];
  const [left, top] = [(animation.w - visibleWidth) / 2, (animation.h - visibleHeight) / 2];
  return rectangle(left, top, left + visibleWidth, top + visibleHeight);
}

export function rectangle(left: number, top: number, right: number, bottom: number): Polygon {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}

/** Returns the text document that is shown at a time of the layer's composition. */
function documentAt(texts: readonly LaidOutText[], layer: LottieNode, time: number): LaidOutText | undefined {
  if (texts.length < 2) return texts[0];
  const { k: keyframes } = (layer.t as { d: { k: readonly { t?: unknown; s?: unknown }[] } }).d;
  const current = keyframes.filter(({ t: start }) => typeof start !== 'number' || start <= time).at(-1) ?? keyframes[0];
  return texts.find(({ document }) => document === current?.s) ?? texts[0];
}

/** Returns whether an animator changes the position or size of characters. */
function moves({ a: properties }: LottieNode): boolean {
  return isRecord(properties) && ['p', 's', 'r', 't', 'a', 'sk'].some((field) => properties[field] !== undefined);
}

/** Shapes of range selectors that select everything on one side of the range. */
const [RAMP_UP, RAMP_DOWN] = [2, 3];

/**
 * Returns whether an animator can apply to a character at a time: not while its range lies beyond the text.
 *
 * @see Lottie specification 1.0.1, "Text Range Selector"
 */
function appliesAt({ s: selector }: LottieNode, time: number): boolean {
  // A range in characters instead of percent.
  if (!isRecord(selector) || selector.r === 2) return true;
  const numberAt = (field: string, initial: number): number => propertyValue(selector[field], time)?.[0] ?? initial;
  const offset = numberAt('o', 0);
  const ends = [numberAt('s', 0) + offset, numberAt('e', 100) + offset];
  const [isBefore, isAfter] = [Math.max(...ends) <= 0, Math.min(...ends) >= 100];
  const isBeyond = (isBefore && selector.sh !== RAMP_UP) || (isAfter && selector.sh !== RAMP_DOWN);
  return !isBeyond && numberAt('a', 100) !== 0;
}

/** Returns the smaller of the scales along a line of text and across it. */
function smallerScale([a, b, c, d]: Matrix): number {
  const along = Math.hypot(a, b);
  return along === 0 ? 0 : Math.min(along, Math.abs(a * d - b * c) / along);
}

/** Returns the scale that animators apply to all characters of a text. */
function scaleOfCharacters(animators: readonly LottieNode[], time: number): number {
  return animators.reduce((scale, animator) => {
    const [x = 100, y = x] = isRecord(animator.a) ? (propertyValue(animator.a.s, time) ?? []) : [];
    return selectsPart(animator) ? scale : (scale * Math.min(Math.abs(x), Math.abs(y))) / 100;
  }, 1);
}

/** Returns the boxes around the ink of each line in pixels of the layer. */
function inkBoxes({ spec, layout }: LaidOutText): Polygon[] {
  const { size, lineHeight, baseline, lines } = layout;
  return lines.flatMap((line, index): Polygon[] => {
    const ink = inkOf(line.cells.map(({ cell }) => cell));
    if (ink === null) return [];
    const left = lineLeft(line, spec, size);
    const lineBaseline = baseline + index * lineHeight;
    return [rectangle(left, lineBaseline - ink.top * size, left + line.width * size, lineBaseline - ink.bottom * size)];
  });
}

function moved(polygon: Polygon, matrix: Matrix): Polygon {
  const points: (readonly [number, number])[] = [];
  for (const [x, y] of polygon) points.push(transformed(matrix, x, y));
  return points;
}

export function transformed([a, b, c, d, e, f]: Matrix, x: number, y: number): readonly [number, number] {
  return [a * x + c * y + e, b * x + d * y + f];
}

export function areaOf(polygon: Polygon): number {
  let twice = 0;
  for (const [index, [x, y]] of polygon.entries()) {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length]!;
    twice += x * nextY - nextX * y;
  }
  return Math.abs(twice) / 2;
}

/**
 * Returns the intersection of two convex polygons; empty if they do not overlap.
 *
 * @see Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974
 */
export function intersectionOf(subject: Polygon, clip: Polygon): Polygon {
  const turn = Math.sign(signedArea(clip)) || 1;
  let kept = subject;
  for (const [index, [ax, ay]] of clip.entries()) {
    const [bx, by] = clip[(index + 1) % clip.length]!;
    // Distances are positive inside the edge from a to b.
    const inside: (readonly [number, number])[] = [];
    for (const [at, point] of kept.entries()) {
      const next = kept[(at + 1) % kept.length]!;
      const distance = turn * ((bx - ax) * (point[1] - ay) - (by - ay) * (point[0] - ax));
      const nextDistance = turn * ((bx - ax) * (next[1] - ay) - (by - ay) * (next[0] - ax));
      if (distance >= 0) inside.push(point);
      if (distance >= 0 === nextDistance >= 0) continue;
      const share = distance / (distance - nextDistance);
      inside.push([point[0] + share * (next[0] - point[0]), point[1] + share * (next[1] - point[1])]);
    }
    kept = inside;
  }
  return kept;
}

function signedArea(polygon: Polygon): number {
  return polygon.reduce((sum, [x, y], index) => {
    const [nextX, nextY] = polygon[(index + 1) % polygon.length]!;
    return sum + x * nextY - nextX * y;
  }, 0);
}

/** Returns how far a polygon reaches beyond an upright rectangle, in pixels. */
function overhang(polygon: Polygon, [topLeft, , bottomRight]: Polygon): number {
  const [left, top] = topLeft!;
  const [right, bottom] = bottomRight!;
  let most = 0;
  for (const [x, y] of polygon) most = Math.max(most, left - x, x - right, top - y, y - bottom);
  return most;
}

/** Returns the box around polygons in shares of a picture; null if they lie outside. */
export function boxAround(polygons: readonly Polygon[], [topLeft, , bottomRight]: Polygon): PictureBox | null {
  const [[left, top], [right, bottom]] = [topLeft!, bottomRight!];
  const corners = polygons.flat();
  const within = (axis: 0 | 1, min: number, max: number) => {
    const values = corners.map((corner) => corner[axis]);
    const [from, to] = [Math.max(min, Math.min(...values)), Math.min(max, Math.max(...values))];
    return { from: (from - min) / (max - min), length: (to - from) / (max - min) };
  };
  const [across, down] = [within(0, left, right), within(1, top, bottom)];
  if (corners.length === 0 || across.length <= 0 || down.length <= 0) return null;
  return { x: across.from, y: down.from, width: across.length, height: down.length };
}
