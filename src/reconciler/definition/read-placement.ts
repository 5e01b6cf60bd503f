import type { DurationWish } from '../../contract/timeline/timeline.ts';
import type { ScenePlacement, Transition } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import type { Json } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { parseHexColor } from './read-resource.ts';

type Properties = { readonly [property: string]: Json };

/** Properties that decide about the length and the place of scenes, and about the sound of the whole video. */
export const PLACEMENT_PROPERTIES = [
  'duration',
  'transition',
  'fit',
  'background',
  'shorten',
  'size',
  'rate',
  'loudness',
  'poster',
] as const;

export function hasPlacement(json: Properties): boolean {
  return PLACEMENT_PROPERTIES.some((property) => json[property] !== undefined);
}

/**
 * Reads everything about a scene that is not a value.
 *
 * @param json of a scene or definition that the schema has accepted; of another, the result is not used
 */
export function readPlacement({ duration, transition, fit, background, shorten }: Properties): ScenePlacement {
  const color = typeof background === 'string' ? parseHexColor(background) : null;
  return defined({
    duration: duration as DurationWish | undefined,
    transition: readTransition(transition),
    fit: fit as ScenePlacement['fit'],
    // A default that is written means the same as none.
    background: color === null || color.slice(0, 6) === '000000' ? undefined : color.slice(0, 6),
    shorten: shorten as ScenePlacement['shorten'],
  });
}

/** Reads a transition; undefined for a cut, and for a form that the schema has rejected. */
export function readTransition(json: Json | undefined): Transition | undefined {
  if (!isRecord(json) || json.type === 'cut') return undefined;
  const { type, duration, at, easing, direction, color } = json as unknown as Transition;
  const parsed = typeof color === 'string' ? parseHexColor(color) : null;
  return {
    type,
    duration,
    ...defined({
      at: at === 'before' ? at : undefined,
      easing,
      direction,
      color: parsed?.slice(0, 6),
    } satisfies Record<Exclude<keyof Transition, 'type' | 'duration'>, unknown>),
  };
}
