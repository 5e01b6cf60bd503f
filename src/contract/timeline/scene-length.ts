import { type Fit, fitPlaces, possibleLengths } from './fit-places.ts';
import { type FullPlace, placesOf } from './place.ts';
import {
  add,
  ceiling,
  compare,
  decimal,
  divide,
  floor,
  framesOf,
  multiply,
  nearest,
  type Rational,
  rational,
  subtract,
  ZERO,
} from './rational.ts';
import { scaleTimeMap, type TimeMap, timeMapOf } from './time-map.ts';
import type {
  ContentItem,
  ContentReason,
  ContentWish,
  LengthReason,
  SceneInput,
  SceneReason,
  TemplateFacts,
  TimelineCode,
  TimelineFinding,
} from './timeline.ts';

/** Seconds after the content in a template without `timing`. */
const DEFAULT_TAIL = rational(1, 2);

/** A template at the rate of a timeline. Lengths are in frames of the timeline. */
export interface Material {
  readonly rate: Rational;
  /** Frames of the timeline for each frame of the template. */
  readonly ratio: Rational;
  readonly natural: number;
  /** In order of priority. */
  readonly places: readonly FullPlace[];
  readonly min: number;
  /** Null without limit. */
  readonly max: number | null;
  /** The part of the template after its last place. */
  readonly exit: number;
  readonly hasTiming: boolean;
}

/** The length of a scene and the rule that decided it. */
export interface SceneLength {
  readonly length: number;
  readonly reason: LengthReason;
}

/**
 * Returns a template at the rate of a timeline.
 *
 * @param templateRate rate of the template
 */
export function materialOf(template: TemplateFacts, templateRate: Rational, rate: Rational): Material {
  const ratio = divide(rate, templateRate);
  const natural = Math.max(1, nearest(multiply(rational(template.frames), ratio)));
  const places = placesOf(template);
  const last = places.length === 0 ? template.frames : Math.max(...places.map(({ to }) => to));
  const exit = natural - Math.min(natural, floor(multiply(rational(last), ratio)));
  const hasTiming = (template.timing?.length ?? 0) > 0;
  return { rate, ratio, natural, places, ...possibleLengths(places, ratio, natural), exit, hasTiming };
}

/** Decides the length of a scene. Scenes that fill the video are decided by `fillLength`. */
export class SceneLengths {
  readonly findings: TimelineFinding[] = [];

  /** Returns null after an error. */
  decide(scene: SceneInput, material: Material): SceneLength | null {
    const { duration: wish } = scene;
    if (wish === undefined || wish === 'fill') return { length: material.natural, reason: { rule: 'natural' } };
    if (typeof wish === 'number') return this.#seconds(scene, material, wish);
    return this.#content(scene, material, wish === 'content' ? { content: true } : wish);
  }

  /** Returns the length of a scene that fills the rest of the video; null after an error. */
  fill(
    scene: SceneInput,
    material: Material,
    { duration, others }: { duration: number; others: number },
  ): SceneLength | null {
    const length = duration - others;
    const reason: LengthReason = { rule: 'fill', others, duration };
    return this.#isPossible(scene, material, length) ? { length, reason } : null;
  }

  /** Builds the map of a scene, and reports what is cut or held. */
  place(
    scene: SceneInput,
    material: Material,
    { length, reason }: SceneLength,
  ): Pick<SceneReason, 'places' | 'shortened'> & { map: TimeMap } {
    const { rate, ratio, natural, places, min } = material;
    const base = Math.max(length, min);
    const fit = fitPlaces(places, ratio, base - natural);
    const by = length < min ? scene.shorten : undefined;
    const map =
      by === 'speed'
        ? scaleTimeMap(timeMapOf(fit.places, ratio, base), base, length)
        : timeMapOf(fit.places, ratio, length);
    const held = heldFrames(fit);
    if (held > 0) this.#add('loop_held', scene, { seconds: divide(rational(held), rate) });
    this.#reportCuts(scene, material, length);
    if (reason.rule === 'content') this.#reportTail(scene, material, { length, reason });
    const changed = fit.places
      .filter(({ change }) => change !== 0)
      .map(({ place: { kind, from, to }, change, held, passes }) => ({ kind, from, to, change, held, passes }));
    return { map, places: changed, ...(by === undefined ? {} : { shortened: { by, frames: min - length } }) };
  }

  #seconds(scene: SceneInput, material: Material, seconds: number): SceneLength | null {
    const length = framesOf(seconds, material.rate);
    if (length === null || length < 1) return this.#invalid(scene);
    return this.#isPossible(scene, material, length) ? { length, reason: { rule: 'seconds', seconds } } : null;
  }

  #content(scene: SceneInput, material: Material, wish: ContentWish): SceneLength | null {
    const [min, max] = [framesOf(wish.min ?? 0, material.rate), framesOf(wish.max ?? 0, material.rate)];
    const tail = tailFrames(wish.tail, material);
    const longest = wish.max === undefined ? null : max;
    if (min === null || max === null || tail === null) return this.#invalid(scene);
    if (longest !== null && (longest < 1 || longest < min)) return this.#invalid(scene);
    if (longest !== null && longest < material.min && !this.#isPossible(scene, material, longest)) return null;
    if (material.max !== null && min > material.max && !this.#isPossible(scene, material, min)) return null;

    const items = (scene.content ?? []).filter(({ loop, overrun }) => loop !== true && overrun !== true);
    const unknown = items.find((item) => endOf(item) === null);
    if (unknown !== undefined) {
      this.#add(longest === null ? 'content_unlimited' : 'content_unknown', scene, { name: unknown.name });
      if (longest === null) return null;
    }
    const last = unknown ?? lastItem(items);
    if (last === null) {
      this.#add('content_empty', scene);
      return { length: material.natural, reason: { rule: 'content_empty' } };
    }
    const knownEnd = endOf(last);
    const ending =
      knownEnd === null ? { end: longest!, tail: 0 } : { end: ceiling(multiply(knownEnd, material.rate)), tail };
    return limited({ rule: 'content', item: last.name, ...ending }, material, { min, max: longest });
  }

  /** Reports a length that the template cannot have. */
  #isPossible(scene: SceneInput, { rate, min, max }: Material, length: number): boolean {
    const isShort = length < min && (scene.shorten === undefined || length < 1);
    const isLong = max !== null && length > max;
    if (!isShort && !isLong) return true;
    const seconds = (frames: number): Rational => divide(rational(frames), rate);
    const possible = { min: seconds(min), max: max === null ? null : seconds(max) };
    this.#add(isShort ? 'scene_too_short' : 'scene_too_long', scene, { possible, wanted: seconds(length) });
    return false;
  }

  #reportCuts(scene: SceneInput, { rate }: Material, length: number): void {
    const end = divide(rational(length), rate);
    for (const item of scene.content ?? []) {
      const itemEnd = endOf(item);
      if (item.loop === true || item.overrun === true || itemEnd === null || compare(itemEnd, end) <= 0) continue;
      const code = item.kind === 'cue' ? 'cue_cut' : 'sound_cut';
      this.#add(code, scene, { name: item.name, seconds: subtract(itemEnd, end) });
    }
  }

  #reportTail(
    scene: SceneInput,
    { rate }: Material,
    { length, reason }: { length: number; reason: ContentReason },
  ): void {
    const lost = Math.min(reason.tail, reason.end + reason.tail - length);
    if (lost > 0) this.#add('tail_shortened', scene, { seconds: divide(rational(lost), rate) });
  }

  #invalid(scene: SceneInput): null {
    this.#add('duration_invalid', scene);
    return null;
  }

  #add(code: TimelineCode, { id }: SceneInput, facts: Omit<TimelineFinding, 'code' | 'scene'> = {}): void {
    this.findings.push({ code, scene: id, ...facts });
  }
}

/** Applies the limits of a wish, then those of the template, then moves on to a length that a loop can have. */
function limited(
  reason: ContentReason,
  material: Material,
  { min, max }: { readonly min: number; readonly max: number | null },
): SceneLength {
  let length = reason.end + reason.tail;
  let limit: ContentReason['limit'];
  const change = (to: number, by: NonNullable<ContentReason['limit']>): void => {
    [length, limit] = [to, by];
  };
  if (length < min) change(min, 'min');
  if (max !== null && length > max) change(max, 'max');
  if (length < material.min) {
    if (max !== null && max < material.min) change(max, 'max');
    else change(material.min, 'template_min');
  }
  if (material.max !== null && length > material.max) change(material.max, 'template_max');
  const reachable = reachableLength(material, length, max);
  if (reachable !== length) change(reachable, 'loop');
  return { length, reason: limit === undefined ? reason : { ...reason, limit } };
}

/** Returns the shortest length from `length` on at which no loop holds its last frame; `length` if the limits have none. */
function reachableLength({ places, ratio, natural, max }: Material, length: number, wishMax: number | null): number {
  const last = Math.min(max ?? Number.POSITIVE_INFINITY, wishMax ?? Number.POSITIVE_INFINITY);
  for (let candidate = length; candidate <= last; candidate++) {
    if (candidate <= natural || heldFrames(fitPlaces(places, ratio, candidate - natural)) === 0) return candidate;
  }
  return length;
}

function heldFrames(fit: Fit): number {
  return fit.places.reduce((sum, { held }) => sum + held, 0);
}

function tailFrames(tail: number | 'exit' | undefined, { rate, exit, hasTiming }: Material): number | null {
  if (tail === 'exit' || (tail === undefined && hasTiming)) return exit;
  return tail === undefined ? nearest(multiply(DEFAULT_TAIL, rate)) : framesOf(tail, rate);
}

/** Returns the end of an item in seconds from the start of its scene; null if its length is not known. */
function endOf({ start = 0, samples = null, rate, end }: ContentItem): Rational | null {
  if (end !== undefined) return decimal(end);
  if (samples === null || rate === undefined) return null;
  return add(decimal(start), rational(samples, rate));
}

/** Returns the item that ends last, the first of several; null without items. */
function lastItem(items: readonly ContentItem[]): ContentItem | null {
  return items.reduce<ContentItem | null>((last, item) => {
    return last === null || compare(endOf(item) ?? ZERO, endOf(last) ?? ZERO) > 0 ? item : last;
  }, null);
}
