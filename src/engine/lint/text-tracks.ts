import { normalizeLineBreaks } from '../../template/lottie/slots/lottie-slots.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { areaOf, intersectionOf, type PlacedText, type Polygon, TextGeometry } from './text-geometry.ts';

/** A text on the sampled frames that show it. A text in a precomposition has a track for each layer that shows it. */
export interface TextTrack {
  /** Null for a fixed text. */
  readonly editable: string | null;
  readonly text: string;
  readonly samples: readonly TextSample[];
}

export interface TextSample extends PlacedText {
  /** Index of a frame of the output. */
  readonly frame: number;
  /** The text moves slowly enough to be read. */
  readonly isAtRest: boolean;
}

/** Limits per second for a text at rest: movement in shorter sides of the picture, and relative change of size. */
const REST_SPEED = 0.04;
const REST_GROWTH = 0.4;
/** Minimum duration of a defect, in seconds or as a share of the text's duration, whichever is shorter. */
const MIN_SECONDS = 0.4;
const MIN_DURATION_SHARE = 0.5;

/** Samples the texts of an input over time. */
export async function trackTexts(renderInput: RenderInput): Promise<TextTrack[]> {
  const geometry = await TextGeometry.open(renderInput);
  const stills = renderInput.stills.map(({ frame }) => frame).filter((frame) => frame < renderInput.frameCount);
  const frames = [...new Set([...geometry.sampleFrames(), ...stills])].sort((a, b) => a - b);
  const shorterSide = Math.min(renderInput.animation.w, renderInput.animation.h);
  const rests = (from: PlacedText, to: PlacedText, seconds: number): boolean =>
    distance(from, to) <= REST_SPEED * shorterSide * seconds &&
    Math.abs(Math.log(to.size / from.size)) <= REST_GROWTH * seconds;
  const tracks = new Map<unknown, { text: PlacedText; samples: TextSample[] }[]>();
  for (const frame of frames) {
    const occurrences = new Map<unknown, number>();
    for (const text of geometry.at(frame)) {
      const { layer } = text.laidOut.layer;
      const nth = occurrences.get(layer) ?? 0;
      occurrences.set(layer, nth + 1);
      const tracksOfLayer = tracks.get(layer) ?? [];
      tracks.set(layer, tracksOfLayer);
      tracksOfLayer[nth] ??= { text, samples: [] };
      const { samples } = tracksOfLayer[nth];
      const previous = samples.at(-1);
      const isAtRest = previous === undefined || rests(previous, text, (frame - previous.frame) / renderInput.fps);
      samples.push({ ...text, frame, isAtRest });
    }
  }
  return [...tracks.values()].flat().map(({ text: { laidOut }, samples: [first, ...rest] }) => ({
    editable: laidOut.layer.editable,
    text: normalizeLineBreaks(laidOut.spec.text),
    // The first sample has no predecessor, so it is at rest if its successor is.
    samples: [{ ...first!, isAtRest: rest[0]?.isAtRest ?? true }, ...rest],
  }));
}

/** Returns the distance between the middles of two texts, in pixels. */
function distance(from: PlacedText, to: PlacedText): number {
  const [[fromX, fromY], [toX, toY]] = [middleOf(from), middleOf(to)];
  return Math.hypot(toX - fromX, toY - fromY);
}

function middleOf({ lines }: PlacedText): readonly [number, number] {
  const corners = lines.flat();
  const mean = (axis: 0 | 1) => corners.reduce((sum, corner) => sum + corner[axis], 0) / corners.length;
  return [mean(0), mean(1)];
}

/**
 * Returns the middle sample of the longest run that meets a condition, or a still in the run; undefined if the run is too short to
 * be noticed.
 */
export function longestRun<Sample extends { readonly frame: number }>(
  samples: readonly Sample[],
  renderInput: RenderInput,
  meets: (sample: Sample) => boolean,
): Sample | undefined {
  const longest = lastingRun(samples, renderInput, meets);
  return (
    longest?.find(({ frame }) => renderInput.stills.some((still) => still.frame === frame)) ??
    longest?.[Math.floor(longest.length / 2)]
  );
}

/** Returns the longest run of samples that meet a condition; undefined if it is too short to be noticed. */
export function lastingRun<Sample extends { readonly frame: number }>(
  samples: readonly Sample[],
  { fps }: RenderInput,
  meets: (sample: Sample) => boolean,
): readonly Sample[] | undefined {
  const runs: Sample[][] = [[]];
  for (const sample of samples) {
    if (meets(sample)) runs.at(-1)!.push(sample);
    else runs.push([]);
  }
  let longest = runs[0]!;
  for (const run of runs) if (lengthOf(run) > lengthOf(longest)) longest = run;
  const needed = Math.min(MIN_SECONDS * fps, MIN_DURATION_SHARE * lengthOf(samples));
  return longest.length === 0 || lengthOf(longest) < needed ? undefined : longest;
}

/** Returns the number of frames from the first to the last sample, inclusive. */
function lengthOf(samples: readonly { readonly frame: number }[]): number {
  return samples.length === 0 ? 0 : samples.at(-1)!.frame - samples[0]!.frame + 1;
}

/** A text is cut if more than this share of the picture's shorter side, and of its own area, lies beyond an edge. */
export const MIN_BEYOND = 0.005;
const MIN_CUT = 0.005;
/** Minimum opacity of a text that is meant to be read. */
export const MIN_STRENGTH = 0.5;

/** Returns a sample on which the edge of the picture cuts a text that is at rest or never fully visible. Ignores masked texts. */
export function findCut({ samples }: TextTrack, renderInput: RenderInput): TextSample | undefined {
  if (!samples.every(({ isDrawnAsLaidOut }) => isDrawnAsLaidOut)) return undefined;
  const isCut = ({ visibleShare, beyond, strength }: TextSample) =>
    visibleShare < 1 - MIN_CUT && visibleShare > MIN_VISIBLE && beyond > MIN_BEYOND && strength >= MIN_STRENGTH;
  const atRest = longestRun(samples, renderInput, (sample) => sample.isAtRest && isCut(sample));
  if (atRest !== undefined) return atRest;
  const isAlwaysMoving = !samples.some(({ isAtRest }) => isAtRest);
  const isNeverWhole = samples.every(({ visibleShare }) => visibleShare < 1 - MIN_CUT);
  const travel = distance(samples[0]!, samples.at(-1)!);
  const isCrawl = travel > Math.min(renderInput.animation.w, renderInput.animation.h) / 2;
  return isAlwaysMoving && isNeverWhole && !isCrawl ? longestRun(samples, renderInput, isCut) : undefined;
}

/** Minimum share of a text in the picture; a smaller share is not visible. */
export const MIN_VISIBLE = 0.02;

/** Smallest readable font sizes, in pixels of a picture whose shorter side has 1080: as designed, and shrunk to fit a box. */
export const MIN_SIZE = { designed: 12, shrunk: 20 };
const UNCHANGED = 0.99;

/** Returns the sample on which a text is largest, if it is too small to read even there. */
export function findTooSmall({ samples }: TextTrack): { sample: TextSample; isShrunk: boolean } | undefined {
  const shown = samples.filter(({ strength, visibleShare }) => strength >= MIN_STRENGTH && visibleShare > MIN_VISIBLE);
  if (shown.length === 0) return undefined;
  const sample = shown.reduce((best, candidate) => (candidate.size > best.size ? candidate : best));
  const { spec, layout } = sample.laidOut;
  const isShrunk = layout.size < spec.size * UNCHANGED;
  return sample.size < MIN_SIZE[isShrunk ? 'shrunk' : 'designed'] ? { sample, isShrunk } : undefined;
}

/** Minimum overlap of two lines, as a share of the smaller line's area, or of its height in every direction. */
const MIN_OVERLAP = 0.12;
const MIN_DEPTH = 0.3;

export interface Collision {
  readonly frame: number;
  readonly first: TextTrack;
  readonly second: TextTrack;
}

/** Finds texts whose lines overlap while both are at rest, at least one with an editable. Other content may cover them. */
export function findCollisions(tracks: readonly TextTrack[], renderInput: RenderInput): Collision[] {
  const byFrame = new Map(tracks.map((track) => [track, samplesByFrame(track)]));
  return tracks.flatMap((first, index) =>
    tracks.slice(index + 1).flatMap((second): Collision[] => {
      if (first.editable === second.editable || first.text === second.text) return [];
      const found = longestRun(first.samples, renderInput, (sample) => {
        const sampleOfSecond = byFrame.get(second)!.get(sample.frame);
        if (sampleOfSecond === undefined) return false;
        return canBeRead(sample) && canBeRead(sampleOfSecond) && overlaps(sample.lines, sampleOfSecond.lines);
      });
      return found === undefined ? [] : [{ frame: found.frame, first, second }];
    }),
  );
}

function samplesByFrame({ samples }: TextTrack): Map<number, TextSample> {
  const byFrame = new Map<number, TextSample>();
  for (const sample of samples) byFrame.set(sample.frame, sample);
  return byFrame;
}

function canBeRead({ isAtRest, isDrawnAsLaidOut, strength }: TextSample): boolean {
  return isAtRest && isDrawnAsLaidOut && strength >= MIN_STRENGTH;
}

/** Returns whether lines of two texts overlap so far that it is seen. */
export function overlaps(firstLines: readonly Polygon[], secondLines: readonly Polygon[]): boolean {
  return firstLines.some((first) =>
    secondLines.some((second) => {
      const smaller = areaOf(first) < areaOf(second) ? first : second;
      const overlap = intersectionOf(first, second);
      if (areaOf(smaller) < 1) return false;
      return areaOf(overlap) > MIN_OVERLAP * areaOf(smaller) || depthOf(overlap) > MIN_DEPTH * depthOf(smaller);
    }),
  );
}

/** Returns the area of a polygon divided by its greatest extent: about the shorter side of a long polygon. */
function depthOf(polygon: Polygon): number {
  const extents = polygon.flatMap(([x, y], index) =>
    polygon.slice(index + 1).map(([cornerX, cornerY]) => Math.hypot(cornerX - x, cornerY - y)),
  );
  return areaOf(polygon) / Math.max(1, ...extents);
}

/** Returns the editables of non-empty texts that no frame shows. */
export function findNeverShown(renderInput: RenderInput, tracks: readonly TextTrack[]): string[] {
  const shown = new Set(tracks.map(({ editable }) => editable));
  const filled = filledTextLayers(renderInput.animation).filter(({ documents }) =>
    documents.some((document) => String(document.t ?? '').trim() !== ''),
  );
  return [...new Set(filled.map(({ editable }) => editable))].filter((editable) => !shown.has(editable));
}
