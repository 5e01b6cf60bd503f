import type { RenderInput } from '../../template/render-input.ts';
import type { TextVisibility } from './measured-frames.ts';
import type { TextGrounds } from './text-grounds.ts';
import { lastingRun, MIN_VISIBLE, type TextSample, type TextTrack } from './text-tracks.ts';

/** A text is measured only while its opacity reaches this share of its maximum. */
const MIN_OPACITY_SHARE = 0.9;
/** Shares of a text's duration at which it is measured, and the grid on which measurements of several texts share frames. */
const MEASURED_AT = [0.15, 0.38, 0.62, 0.85];
const GRID_SECONDS = 0.5;

/** Returns the samples on which a text is fully shown: those at rest, unless it always moves. */
export function shownSamples({ samples }: TextTrack): TextSample[] {
  let strongest = -Infinity;
  for (const { strength } of samples) strongest = Math.max(strongest, strength);
  const [shown, resting]: [TextSample[], TextSample[]] = [[], []];
  for (const sample of samples) {
    if (sample.strength < MIN_OPACITY_SHARE * strongest) continue;
    if (sample.visibleShare <= MIN_VISIBLE && sample.isDrawnAsLaidOut) continue;
    shown.push(sample);
    if (sample.isAtRest) resting.push(sample);
  }
  return resting.length > 0 ? resting : shown;
}

/** Returns frames spread over the time in which a text is fully shown. */
export function framesToMeasure(tracks: readonly TextTrack[], { fps }: RenderInput): number[] {
  const samples = tracks.flatMap(shownSamples);
  if (samples.length === 0) return [];
  const grid = GRID_SECONDS * fps;
  return MEASURED_AT.map((share) => {
    const { frame } = samples[Math.min(samples.length - 1, Math.floor(share * samples.length))]!;
    const snapped = Math.round(frame / grid) * grid;
    let nearest = samples[0]!.frame;
    for (const sample of samples) {
      if (Math.abs(sample.frame - snapped) < Math.abs(nearest - snapped)) nearest = sample.frame;
    }
    return nearest;
  });
}

/** Backgrounds count as equal if they differ by at most this much, of 255. */
const MAX_CHANGE = 8;
/** A changed background is measured if the estimated contrast is smaller than the needed contrast times this factor. */
const ESTIMATE_FACTOR = 1.5;
/** Limit for the additional frames. The largest changes are measured first; all remaining frames count as the most similar measured frame. */
const MAX_FRAMES = 24;

/** The texts of an editable, with their measurements. */
export interface MeasuredText {
  readonly editable: string;
  readonly tracks: readonly TextTrack[];
  readonly measured: readonly TextVisibility[];
  /** Contrast ratio that the texts need. */
  readonly needed: number;
}

/**
 * Finds the frames on which the background of a text differs from those of all measured frames and may have too little contrast.
 *
 * @returns frames by editable
 */
export function changedGrounds(texts: readonly MeasuredText[], grounds: TextGrounds): Map<string, readonly number[]> {
  const candidates = texts.flatMap(({ editable, tracks, measured, needed }) => {
    const visible = measured.filter(({ ratio }) => ratio !== null);
    if (visible.length === 0) return [];
    const luminance = [
      Math.min(...visible.map(({ luminance: [dark] }) => dark)),
      Math.max(...visible.map(({ luminance: [, bright] }) => bright)),
    ] as const;
    return tracks.flatMap(shownSamples).flatMap(({ frame }) => {
      if (grounds.contrast(editable, frame, luminance) >= ESTIMATE_FACTOR * needed) return [];
      let change = Infinity;
      for (const result of measured) change = Math.min(change, grounds.change(editable, result.frame, frame));
      return [{ editable, frame, change }];
    });
  });
  const chosen = new Map<string, Set<number>>();
  const frames = new Set<number>();
  while (frames.size < MAX_FRAMES && candidates.length > 0) {
    let mostChanged = candidates[0]!;
    for (const candidate of candidates) if (candidate.change > mostChanged.change) mostChanged = candidate;
    const { frame: next, change } = mostChanged;
    if (change <= MAX_CHANGE) break;
    frames.add(next);
    // Texts share frames: drawing takes most of the time.
    const shared = new Set<string>();
    for (const { frame, editable } of candidates) if (frame === next) shared.add(editable);
    for (const editable of shared) chosen.set(editable, (chosen.get(editable) ?? new Set()).add(next));
    for (const candidate of candidates) {
      const { editable, frame } = candidate;
      if (!shared.has(editable)) continue;
      candidate.change = Math.min(candidate.change, grounds.change(editable, next, frame));
    }
  }
  return new Map([...chosen].map(([editable, chosenFrames]) => [editable, [...chosenFrames]]));
}

/** Samples around the middle of a run that must have been measured: at least this many on each side, and for this time. */
const CONFIRMED_SAMPLES = 2;
const CONFIRMED_SECONDS = 0.3;

/** A run of samples on which a text has too little contrast. */
export interface LowContrast {
  readonly samples: readonly TextSample[];
  /** The frames that must have been measured to be certain. */
  readonly confirming: readonly number[];
}

/**
 * Finds the longest run of samples on which a text has too little contrast, if it lasts. A sample that was not measured counts as
 * the nearest measured frame with the same background.
 */
export function findLowContrast(
  track: TextTrack,
  renderInput: RenderInput,
  { editable, measured, needed }: MeasuredText,
  grounds: TextGrounds,
): LowContrast | undefined {
  const visible = measured.filter(({ ratio }) => ratio !== null);
  const results = new Map(measured.map((result) => [result.frame, result]));
  const shown = new Set(shownSamples(track));
  const samples = lastingRun(track.samples, renderInput, (sample) => {
    if (!shown.has(sample)) return false;
    const { frame } = sample;
    const judged = results.get(frame) ?? mostSimilar(visible, frame, editable, grounds);
    if (judged === undefined || judged.ratio === null || judged.ratio >= needed) return false;
    return !isFading(judged, visible, renderInput);
  });
  if (samples === undefined) return undefined;
  const middle = Math.floor(samples.length / 2);
  const confirming = samples.filter(
    ({ frame }, index) =>
      Math.abs(index - middle) <= CONFIRMED_SAMPLES ||
      Math.abs(frame - samples[middle]!.frame) <= CONFIRMED_SECONDS * renderInput.fps,
  );
  return { samples, confirming: confirming.map(({ frame }) => frame) };
}

/** Returns whether animators or layers above are fading a text in or out, so that its contrast is lower than when it is fully shown. */
function isFading(result: TextVisibility, measured: readonly TextVisibility[], { fps }: RenderInput): boolean {
  const strongest = Math.max(...measured.map(({ coverage }) => coverage));
  if (result.coverage >= MIN_OPACITY_SHARE * strongest) return false;
  return measured.some(
    ({ frame, coverage }) =>
      Math.abs(frame - result.frame) <= CONFIRMED_SECONDS * fps &&
      Math.abs(coverage - result.coverage) > (1 - MIN_OPACITY_SHARE) * strongest,
  );
}

/** Returns the nearest result with the same background, or else the result with the most similar background. */
function mostSimilar(
  measured: readonly TextVisibility[],
  frame: number,
  editable: string,
  grounds: TextGrounds,
): TextVisibility | undefined {
  let [nearest, similar]: [TextVisibility | undefined, TextVisibility | undefined] = [undefined, undefined];
  let [least, distance] = [Infinity, Infinity];
  for (const result of measured) {
    const change = grounds.change(editable, result.frame, frame);
    if (similar === undefined || change < least) [similar, least] = [result, change];
    if (change > MAX_CHANGE || Math.abs(result.frame - frame) >= distance) continue;
    [nearest, distance] = [result, Math.abs(result.frame - frame)];
  }
  return nearest ?? similar;
}
