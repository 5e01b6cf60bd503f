import { isRecord } from '../../kernel/json.ts';
import { floor, multiply, type Rational, rational } from './rational.ts';

/**
 * A place of a template: where it can become longer or shorter. Positions and lengths are in frames of the template. `min` and
 * `max` are lengths that the place can have: of a hold, the frames for which its picture is held; no limit if `max` is absent.
 */
export type Place =
  | { readonly hold: number; readonly max?: number }
  | { readonly loop: readonly [from: number, to: number]; readonly max?: number }
  | { readonly stretch: readonly [from: number, to: number]; readonly min?: number; readonly max?: number };

/** Limit for the places of a template. */
export const MAX_PLACES = 50;

/** Returns whether a value of unknown origin is a list of places, which may still have mistakes that `checkPlaces` finds. */
export function isTiming(value: unknown): value is Place[] {
  return Array.isArray(value) && value.length <= MAX_PLACES && value.every(isPlace);
}

function isPlace(value: unknown): value is Place {
  if (!isRecord(value)) return false;
  const { hold, loop, stretch, min, max, ...rest } = value;
  const [kind, ...others] = [hold, loop, stretch].filter((place) => place !== undefined);
  const limits = [min, max].filter((limit) => limit !== undefined);
  const isKind = hold === undefined ? Array.isArray(kind) && kind.length === 2 && kind.every(isFrame) : isFrame(hold);
  const hasMin = min !== undefined && stretch === undefined;
  return isKind && others.length === 0 && limits.every(isFrame) && !hasMin && Object.keys(rest).length === 0;
}

function isFrame(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

/** The facts about a template that decide how long it can be. */
export interface TemplateTiming {
  /** Frames per second, as in the animation. */
  readonly rate: number;
  /** Natural length. */
  readonly frames: number;
  /** Name → frame. */
  readonly stillcuts: Readonly<Record<string, number>>;
  /** In order of priority. Empty for a template that has only its natural length; absent for the default. */
  readonly timing?: readonly Place[];
}

export type PlaceKind = 'hold' | 'loop' | 'stretch';

/** A place with its defaults. */
export interface FullPlace {
  readonly kind: PlaceKind;
  /** First frame of the template in the place. */
  readonly from: number;
  /** Frame of the template after the place; `from` for a hold. */
  readonly to: number;
  /** Shortest length in frames of the template. */
  readonly min: number;
  /** Longest length in frames of the template; null for no limit. */
  readonly max: number | null;
}

/** A mistake in a list of places. */
export interface PlaceProblem {
  readonly code: 'place_outside' | 'place_limits' | 'places_overlap';
  /** Index of the place. */
  readonly place: number;
  /** Index of the earlier place that it overlaps. */
  readonly other?: number;
}

/**
 * Returns the places of a template in order of priority. Without `timing`, the template has one place: a hold at the stillcut
 * that is latest in time, or at the last frame if it has no stillcuts. A hold at the end of the template holds its last frame.
 */
export function placesOf(template: TemplateTiming): FullPlace[] {
  const { frames } = template;
  return timingOf(template).map((place) => {
    const full = fullPlace(place);
    return full.kind === 'hold' && full.from === frames ? { ...full, from: frames - 1, to: frames - 1 } : full;
  });
}

/** Returns the places of a template as written; the default place if it has no `timing`. */
export function timingOf({ timing, stillcuts, frames }: TemplateTiming): readonly Place[] {
  if (timing !== undefined) return timing;
  const last = frames - 1;
  const latest = Math.min(last, Math.max(...Object.values(stillcuts)));
  return [{ hold: Number.isFinite(latest) ? latest : last }];
}

/**
 * Checks places: each lies within the template, its natural length is between `min` and `max`, and no two share a frame. A hold
 * may lie on the first or last edge of another place.
 */
export function checkPlaces(timing: readonly Place[], frames: number): PlaceProblem[] {
  const places = timing.map(fullPlace);
  return places.flatMap((place, index): PlaceProblem[] => {
    const { kind, from, to, min, max } = place;
    const natural = to - from;
    const isInside = from >= 0 && to <= frames && (kind === 'hold' || natural > 0);
    const shortest = kind === 'stretch' ? 1 : natural;
    const hasLimits = min >= shortest && min <= natural && (max === null || max >= natural);
    const other = places.findIndex((earlier, at) => at < index && overlap(earlier, place));
    return [
      ...(isInside ? [] : [{ code: 'place_outside', place: index } as const]),
      ...(hasLimits ? [] : [{ code: 'place_limits', place: index } as const]),
      ...(other === -1 ? [] : [{ code: 'places_overlap', place: index, other } as const]),
    ];
  });
}

/** How much a place can change, in whole frames of the timeline. */
export interface PlaceRoom {
  /** Natural length. */
  readonly natural: Rational;
  /** Frames that it can lose. */
  readonly shorter: number;
  /** Frames that it can gain; infinite without limit. */
  readonly longer: number;
}

/**
 * Returns how much a place can change.
 *
 * @param ratio frames of the timeline for each frame of the template
 */
export function roomOf({ from, to, min, max }: FullPlace, ratio: Rational): PlaceRoom {
  const natural = to - from;
  const whole = (frames: number): number => floor(multiply(rational(frames), ratio));
  return {
    natural: multiply(rational(natural), ratio),
    shorter: whole(natural - min),
    longer: max === null ? Number.POSITIVE_INFINITY : whole(max - natural),
  };
}

function fullPlace(place: Place): FullPlace {
  const max = place.max ?? null;
  if ('hold' in place) return { kind: 'hold', from: place.hold, to: place.hold, min: 0, max };
  const kind = 'loop' in place ? 'loop' : 'stretch';
  const [from, to] = 'loop' in place ? place.loop : place.stretch;
  return { kind, from, to, min: ('min' in place ? place.min : undefined) ?? to - from, max };
}

function overlap(a: FullPlace, b: FullPlace): boolean {
  if (a.kind === 'hold' && b.kind === 'hold') return a.from === b.from;
  return a.from < b.to && b.from < a.to;
}
