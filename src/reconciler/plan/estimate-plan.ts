import { secondsOf } from '../../contract/video-measures.ts';
import { defaultCodec } from '../../contract/wire/output.ts';
import { estimateSpeech, type SpeechEstimate } from '../speech/spoken-text.ts';
import { type Change, type Plan, rendersNew } from './plan.ts';

/** Cost of applying a plan. */
export interface Estimate {
  /** Number of created and updated videos. Restored videos are counted in `restores` only. */
  readonly renders: number;
  /** Null when the duration of a video is unknown. */
  readonly seconds_of_video: number | null;
  /** Absent when reelform.yaml has no prices, or nothing is rendered. */
  readonly cost?: Cost;
  /** Local files to render again on this machine, free of charge; absent when there are none. */
  readonly restores?: Restores;
  /** Segments of the videos to create or update; absent where no video's segments were counted. */
  readonly segments?: SegmentCount;
  /** Hardware encoder of videos to create or update: rendering them again gives other bytes. Absent if there is none. */
  readonly bytes_vary?: string;
  /** Texts to speak before waiting videos can be rendered; not included in `cost`. Absent if there are none. */
  readonly speech?: SpeechEstimate;
}

/** Segments of videos that this machine renders. */
export interface SegmentCount {
  /** Segments that are not cached. */
  readonly render: number;
  readonly total: number;
}

interface Restores {
  readonly videos: number;
  /** Null when the duration of a video is unknown. */
  readonly seconds_of_video: number | null;
}

export interface Cost {
  /** Null when the price depends on an unknown duration. */
  readonly amount: number | null;
  /** ISO 4217 code. */
  readonly currency: string;
}

/**
 * Estimates what applying the plan renders, and what that costs. Seconds are rounded to milliseconds, amounts to a millionth.
 *
 * @param segments by video, as far as they were counted
 */
export function estimatePlan(plan: Plan, segments: ReadonlyMap<string, SegmentCount> = new Map()): Estimate {
  const rendered = plan.changes.filter(rendersNew);
  const restored = plan.changes.filter(({ action }) => action === 'restore');
  const seconds = totalSeconds(rendered);
  const estimate = {
    renders: rendered.length,
    seconds_of_video: round(seconds),
    ...(segments.size > 0 && { segments: sumOf(segments) }),
    ...(rendered.some(isH264) && plan.hardwareEncoder !== undefined && { bytes_vary: plan.hardwareEncoder }),
    ...(plan.waiting !== undefined && { speech: estimateSpeech(plan.waiting.flatMap(({ missing }) => missing)) }),
    ...(restored.length > 0 && {
      restores: { videos: restored.length, seconds_of_video: round(totalSeconds(restored)) },
    }),
  };
  if (plan.prices === undefined || rendered.length === 0) return estimate;
  const { currency, perRender, perSecond } = plan.prices;
  const amount = seconds === null && perSecond > 0 ? null : rendered.length * perRender + (seconds ?? 0) * perSecond;
  return { ...estimate, cost: { amount: amount && Math.round(amount * 1e6) / 1e6, currency } };
}

function isH264({ desired }: Change): boolean {
  const { format, codec = defaultCodec(format) } = desired?.output ?? {};
  return codec === 'h264';
}

function sumOf(segments: ReadonlyMap<string, SegmentCount>): SegmentCount {
  const counts = [...segments.values()];
  return {
    render: counts.reduce((sum, { render }) => sum + render, 0),
    total: counts.reduce((sum, { total }) => sum + total, 0),
  };
}

function totalSeconds(changes: readonly Change[]): number | null {
  return changes.reduce<number | null>((sum, { desired }) => {
    const measures = desired?.measures ?? null;
    return sum === null || measures === null ? null : sum + secondsOf(measures);
  }, 0);
}

function round(seconds: number | null): number | null {
  return seconds && Math.round(seconds * 1000) / 1000;
}
