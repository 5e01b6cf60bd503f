import { possibleLengths } from '../contract/timeline/fit-places.ts';
import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { checkPlaces, type Place, placesOf } from '../contract/timeline/place.ts';
import { framesOf, ONE, rationalRate } from '../contract/timeline/rational.ts';
import { defined } from '../kernel/defined.ts';
import type { ManifestPlace } from './parse-timing.ts';
import type { PackageProblem, TemplatePackage } from './template-package.ts';

/**
 * Converts places to frames of the template, and checks them against its length.
 *
 * @param fps frames per second of the animation
 * @param frames length of the animation
 */
export function placeFrames(
  places: readonly ManifestPlace[],
  { fps, frames }: { readonly fps: number; readonly frames: number },
): { readonly timing: readonly Place[]; readonly problems: readonly PackageProblem[] } {
  const rate = rationalRate(frameRateOf(fps));
  const frameOf = (seconds: number): number => framesOf(seconds, rate)!;
  const timing = places.map(({ kind, from, to, min, max }): Place => {
    const limits = defined({
      min: min === null ? undefined : frameOf(min),
      max: max === null ? undefined : frameOf(max),
    });
    if (kind === 'hold') return { hold: frameOf(from), ...limits };
    return kind === 'loop'
      ? { loop: [frameOf(from), frameOf(to)], ...limits }
      : { stretch: [frameOf(from), frameOf(to)], ...limits };
  });
  const seconds = Number((frames / fps).toFixed(3));
  const found = checkPlaces(timing, frames);
  const outside = new Set(found.filter(({ code }) => code === 'place_outside').map(({ place }) => place));
  // A place outside of the template has no length to compare with its limits.
  const mistakes = found.filter(({ code, place }) => code === 'place_outside' || !outside.has(place));
  const problems = mistakes.map(({ code, place, other }): PackageProblem => {
    const written = places[place]!;
    const message = {
      place_outside: `The ${nameOf(written)} must have at least one frame and lie within the ${seconds} s of the template`,
      place_limits: `The ${nameOf(written)} has ${limitsText(written)}`,
      places_overlap: `The ${nameOf(written)} overlaps the ${nameOf(places[other ?? place]!)}`,
    }[code];
    return { file: 'template.yaml', at: written.at, message };
  });
  return { timing, problems };
}

/** The lengths that a template can have at its own frame rate, in seconds rounded to milliseconds. */
export interface TemplateLengths {
  readonly minSeconds: number;
  /** Null without limit. */
  readonly maxSeconds: number | null;
}

/** Returns the possible lengths of a template; null if it has no `timing`. */
export function templateLengths({ spec, fps, frameCount, stills }: TemplatePackage): TemplateLengths | null {
  if (spec.timing === undefined) return null;
  const stillcuts = Object.fromEntries(stills.map(({ name, frame }) => [name, frame]));
  const places = placesOf({ rate: fps, frames: frameCount, stillcuts, timing: spec.timing });
  const { min, max } = possibleLengths(places, ONE, frameCount);
  const seconds = (frames: number): number => Number((frames / fps).toFixed(3));
  return { minSeconds: seconds(min), maxSeconds: max === null ? null : seconds(max) };
}

function nameOf({ kind, from, to }: ManifestPlace): string {
  return kind === 'hold' ? `hold at ${from} s` : `${kind} from ${from} to ${to} s`;
}

function limitsText({ kind, from, to, min, max }: ManifestPlace): string {
  const natural = Number((to - from).toFixed(3));
  if (kind === 'loop') return `a max of ${max} s, but one pass takes ${natural} s`;
  const limits = `min ${min ?? natural} and max ${max ?? 'without limit'}`;
  return `${natural} s, which must be within ${limits}, and a min of at least one frame`;
}
