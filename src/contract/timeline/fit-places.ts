import { type FullPlace, type PlaceRoom, roomOf } from './place.ts';
import { add, ceiling, compare, divide, floor, multiply, ONE, type Rational, rational, subtract } from './rational.ts';

/** Speeds at which a loop may be played. */
const SLOWEST = rational(4, 5);
const FASTEST = rational(5, 4);

/** A place with the length that it has in a scene. Lengths are in frames of the timeline. */
export interface FittedPlace {
  readonly place: FullPlace;
  readonly natural: Rational;
  /** Whole frames by which it is longer than its natural length; negative if it is shorter. */
  readonly change: number;
  /** Frames of `change` for which a loop holds its last frame after its passes. */
  readonly held: number;
  /** Passes of a loop; 1 for other places. */
  readonly passes: number;
}

/** Result of `fitPlaces`. */
export interface Fit {
  /** In order of priority. */
  readonly places: readonly FittedPlace[];
  /** Frames that no place could take: positive if the scene is too long, negative if it is too short. */
  readonly rest: number;
}

/**
 * Makes a template longer or shorter. The places take the difference in order of priority, each as much as it can. A loop takes
 * the longest length not above that for which a number of passes has a speed within 0.8 to 1.25. If frames are left after the
 * last place, the first loop that could not take a length between two numbers of passes holds its last frame for them.
 *
 * @param difference whole frames of the timeline to add, or negative to remove
 * @param ratio frames of the timeline for each frame of the template
 */
export function fitPlaces(places: readonly FullPlace[], ratio: Rational, difference: number): Fit {
  let rest = difference;
  const taken = places.map((place) => {
    const room = roomOf(place, ratio);
    const wanted = rest < 0 ? Math.max(rest, 0 - room.shorter) : Math.min(rest, room.longer);
    const change = place.kind === 'loop' ? reachableChange(room, wanted) : wanted;
    rest -= change;
    return { place, room, change, unreached: wanted - change };
  });
  const fitted = taken.map(({ place, room: { natural }, change, unreached }): FittedPlace => {
    const held = Math.min(unreached, Math.max(0, rest));
    rest -= held;
    const passes = place.kind === 'loop' ? passesOf(natural, add(natural, rational(change))) : 1;
    return { place, natural, change: change + held, held, passes };
  });
  return { places: fitted, rest };
}

/**
 * Returns the possible lengths of a template, in frames of the timeline. Lengths between two numbers of passes of a loop count:
 * its last frame is held.
 *
 * @param natural natural length
 * @returns `max` is null without limit
 */
export function possibleLengths(
  places: readonly FullPlace[],
  ratio: Rational,
  natural: number,
): { min: number; max: number | null } {
  const rooms = places.map((place) => roomOf(place, ratio));
  const max = rooms.reduce((sum, { longer }) => sum + longer, natural);
  return {
    min: Math.max(
      1,
      rooms.reduce((sum, { shorter }) => sum - shorter, natural),
    ),
    max: Number.isFinite(max) ? max : null,
  };
}

/** Returns the most frames, up to `wanted`, by which a loop can become longer. */
function reachableChange({ natural }: PlaceRoom, wanted: number): number {
  if (wanted <= 0) return 0;
  const length = add(natural, rational(wanted));
  const passes = divide(length, natural);
  // With three passes and more, the lengths of two numbers of passes meet.
  const needsThird = compare(passes, divide(rational(2), SLOWEST)) > 0;
  const hasSecond = compare(passes, divide(rational(2), FASTEST)) >= 0;
  if (needsThird || hasSecond) return wanted;
  const longest = floor(subtract(divide(natural, SLOWEST), natural));
  return Math.min(wanted, longest);
}

/** Returns the number of passes whose speed is nearest to 1; the smaller of two that are equally near. */
function passesOf(natural: Rational, length: Rational): number {
  const distanceOf = (passes: number): Rational => {
    const difference = subtract(divide(multiply(natural, rational(passes)), length), ONE);
    return compare(difference, rational(0)) < 0 ? subtract(rational(0), difference) : difference;
  };
  const fewer = Math.max(1, floor(divide(length, natural)));
  const more = Math.max(1, ceiling(divide(length, natural)));
  return compare(distanceOf(more), distanceOf(fewer)) < 0 ? more : fewer;
}
