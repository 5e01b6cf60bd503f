import { normalizeLineBreaks } from '../../template/lottie/lottie-slots.ts';
import type { Scene } from '../../template/scene.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { areaOf, intersectionOf, type PlacedText, type Polygon, TextGeometry } from './text-geometry.ts';

/** A text on the sampled frames that show it. A layer of a precomposition has one for each layer that shows it. */
export interface TextTrack {
  /** Null for a fixed text. */
  readonly editable: string | null;
  readonly text: string;
  readonly samples: readonly TextSample[];
}

export interface TextSample extends PlacedText {
  /** Index of a frame of the output. */
  readonly frame: number;
  /** True if the text hardly moves, so that people can read it. */
  readonly isAtRest: boolean;
}

/** Limits below which a text is at rest: its middle moves by shorter sides of the picture, its size changes by shares, a second. */
const REST_SPEED = 0.04;
const REST_GROWTH = 0.4;
/** Time for which a defect must last, in seconds or as a share of the text's own time, whichever is shorter. */
const LEAST_SECONDS = 0.4;
const LEAST_SHARE = 0.5;

/** Follows the texts of a scene through time. */
export async function trackTexts(scene: Scene): Promise<TextTrack[]> {
  const geometry = await TextGeometry.open(scene);
  const stills = scene.stills.map(({ frame }) => frame).filter((frame) => frame < scene.frameCount);
  const frames = [...new Set([...geometry.sampleFrames(), ...stills])].sort((a, b) => a - b);
  const { w, h } = scene.animation;
  const shorter = Math.min(w, h);
  const rests = (from: PlacedText, to: PlacedText, seconds: number): boolean =>
    distance(from, to) <= REST_SPEED * shorter * seconds &&
    Math.abs(Math.log(to.size / from.size)) <= REST_GROWTH * seconds;
  const tracks = new Map<unknown, { text: PlacedText; samples: TextSample[] }[]>();
  for (const frame of frames) {
    const seen = new Map<unknown, number>();
    for (const text of geometry.at(frame)) {
      const { layer } = text.laidOut.layer;
      const nth = seen.get(layer) ?? 0;
      seen.set(layer, nth + 1);
      const own = tracks.get(layer) ?? [];
      if (own.length === 0) tracks.set(layer, own);
      own[nth] ??= { text, samples: [] };
      const { samples } = own[nth];
      const previous = samples.at(-1);
      const isAtRest = previous === undefined || rests(previous, text, (frame - previous.frame) / scene.fps);
      samples.push({ ...text, frame, isAtRest });
    }
  }
  return [...tracks.values()].flat().map(({ text: { laidOut }, samples: [first, ...rest] }) => ({
    editable: laidOut.layer.editable,
    text: normalizeLineBreaks(laidOut.spec.text),
    // The first sample has none before it: it rests if the next one does.
    samples: [{ ...first!, isAtRest: rest[0]?.isAtRest ?? true }, ...rest],
  }));
}

/** Returns how far the middle of the text has moved, in pixels. */
function distance(one: PlacedText, other: PlacedText): number {
  const [[x, y], [otherX, otherY]] = [middleOf(one), middleOf(other)];
  return Math.hypot(otherX - x, otherY - y);
}

function middleOf({ lines }: PlacedText): readonly [number, number] {
  const corners = lines.flat();
  const mean = (axis: 0 | 1) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  return [mean(0), mean(1)];
}

/**
 * Returns the middle of the longest run of samples that meet a condition, if it lasts long enough to be noticed; a still within
 * the run takes precedence.
 */
export function longestRun<Sample extends { readonly frame: number }>(
  samples: readonly Sample[],
  { fps, stills }: Scene,
  meets: (sample: Sample) => boolean,
): Sample | undefined {
  const runs: Sample[][] = [[]];
  for (const sample of samples) {
    if (meets(sample)) runs.at(-1)!.push(sample);
    else runs.push([]);
  }
  const longest = runs.reduce((best, run) => (lengthOf(run) > lengthOf(best) ? run : best));
  const needed = Math.min(LEAST_SECONDS * fps, LEAST_SHARE * lengthOf(samples));
  if (longest.length === 0 || lengthOf(longest) < needed) return undefined;
  return (
    longest.find(({ frame }) => stills.some((still) => still.frame === frame)) ??
    longest[Math.floor(longest.length / 2)]
  );
}

/** Frames from the first to the last sample, inclusive. */
function lengthOf(samples: readonly { readonly frame: number }[]): number {
  return samples.length === 0 ? 0 : samples.at(-1)!.frame - samples[0]!.frame + 1;
}

/** Share of the picture's shorter side that ink may reach beyond an edge, and the share of its area. */
export const LEAST_BEYOND = 0.005;
const LEAST_CUT = 0.005;
/** Opacity of a text that people are meant to read. */
export const READABLE = 0.5;

/** Returns a sample on which the edge of the picture cuts a text that is at rest, or that is never whole. Ignores masked texts. */
export function findCut({ samples }: TextTrack, scene: Scene): TextSample | undefined {
  if (!samples.every(({ isDrawnAsLaidOut }) => isDrawnAsLaidOut)) return undefined;
  const isCut = ({ visibleShare, beyond, strength }: TextSample) =>
    visibleShare < 1 - LEAST_CUT && visibleShare > LEAST_VISIBLE && beyond > LEAST_BEYOND && strength >= READABLE;
  const atRest = longestRun(samples, scene, (sample) => sample.isAtRest && isCut(sample));
  if (atRest !== undefined) return atRest;
  const isAlwaysMoving = !samples.some(({ isAtRest }) => isAtRest);
  const isNeverWhole = samples.every(({ visibleShare }) => visibleShare < 1 - LEAST_CUT);
  const travel = distance(samples[0]!, samples.at(-1)!);
  const isCrawl = travel > Math.min(scene.animation.w, scene.animation.h) / 2;
  return isAlwaysMoving && isNeverWhole && !isCrawl ? longestRun(samples, scene, isCut) : undefined;
}

/** Share of a text that must lie in the picture for it to be seen at all. */
export const LEAST_VISIBLE = 0.02;

/** Smallest readable font sizes, in pixels of a picture whose shorter side has 1080: as designed, and if a box shrank the text. */
export const LEAST_SIZE = { designed: 12, shrunk: 20 };
const UNCHANGED = 0.99;

/** Returns the sample on which a text is largest, if it is too small to read even there. */
export function findTooSmall({ samples }: TextTrack): { sample: TextSample; isShrunk: boolean } | undefined {
  const shown = samples.filter(({ strength, visibleShare }) => strength >= READABLE && visibleShare > LEAST_VISIBLE);
  if (shown.length === 0) return undefined;
  const sample = shown.reduce((best, one) => (one.size > best.size ? one : best));
  const { spec, layout } = sample.laidOut;
  const isShrunk = layout.size < spec.size * UNCHANGED;
  return sample.size < LEAST_SIZE[isShrunk ? 'shrunk' : 'designed'] ? { sample, isShrunk } : undefined;
}

/** Share of the smaller of two lines that must overlap, or of its height that an overlap must have in every direction. */
const LEAST_OVERLAP = 0.12;
const LEAST_DEPTH = 0.3;

export interface Collision {
  readonly frame: number;
  readonly one: TextTrack;
  readonly other: TextTrack;
}

/** Finds texts whose lines overlap while both are at rest. At least one of them has an editable; something may cover them. */
export function findCollisions(tracks: readonly TextTrack[], scene: Scene): Collision[] {
  return tracks.flatMap((one, index) =>
    tracks.slice(index + 1).flatMap((other): Collision[] => {
      const isOwn = one.editable === other.editable || one.text === other.text;
      if (isOwn) return [];
      const others = new Map(other.samples.map((sample) => [sample.frame, sample]));
      const found = longestRun(one.samples, scene, (sample) => {
        const beside = others.get(sample.frame);
        const isReadable = (text: TextSample | undefined) =>
          text?.isAtRest === true && text.isDrawnAsLaidOut && text.strength >= READABLE;
        return isReadable(sample) && isReadable(beside) && overlaps(sample.lines, beside!.lines);
      });
      return found === undefined ? [] : [{ frame: found.frame, one, other }];
    }),
  );
}

function overlaps(lines: readonly Polygon[], others: readonly Polygon[]): boolean {
  return lines.some((line) =>
    others.some((other) => {
      const smaller = areaOf(line) < areaOf(other) ? line : other;
      const overlap = intersectionOf(line, other);
      if (areaOf(smaller) < 1) return false;
      return areaOf(overlap) > LEAST_OVERLAP * areaOf(smaller) || depthOf(overlap) > LEAST_DEPTH * depthOf(smaller);
    }),
  );
}

/** Returns the area of a polygon divided by its greatest extent: about the shorter side of a long one. */
function depthOf(polygon: Polygon): number {
  const extents = polygon.flatMap(([x, y], index) =>
    polygon.slice(index + 1).map(([otherX, otherY]) => Math.hypot(otherX - x, otherY - y)),
  );
  return areaOf(polygon) / Math.max(1, ...extents);
}

/** Returns the editables of texts with at least one visible character that no frame shows. */
export function findNeverShown(scene: Scene, tracks: readonly TextTrack[]): string[] {
  const shown = new Set(tracks.map(({ editable }) => editable));
  const filled = filledTextLayers(scene.animation).filter(({ documents }) =>
    documents.some(({ t }) => String(t ?? '').trim() !== ''),
  );
  return [...new Set(filled.map(({ editable }) => editable))].filter((editable) => !shown.has(editable));
}
