import type { DurationWish } from '../../contract/timeline/timeline.ts';
import type { ScenePlacement, Transition } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import type { Json } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { parseHexColor } from './read-resource.ts';

type Properties = { readonly [property: string]: Json };

/** Properties that decide about the length and the place of scenes, and about the sound of the whole video. */
const PLACEMENT_PROPERTIES = new Set([
  'duration',
  'transition',
  'fit',
  'background',
  'shorten',
  'size',
  'rate',
  'loudness',
  'poster',
]);

/** A placement, and what is wrong with it. */
interface PlacementReading {
  /** Empty if there is a problem. */
  readonly placement: ScenePlacement;
  readonly misplaced: readonly Diagnostic[];
}

const UNPLACED: PlacementReading = { placement: {}, misplaced: [] };

/** Placements without problems, by the JSON of their properties. */
const placements = new Map<string, PlacementReading>();
const MAX_PLACEMENTS = 1000;

/**
 * Reads and checks everything about a scene that is not a value: once for all scenes that are placed alike, whose transition is the same
 * object.
 *
 * @param json of a scene or definition
 * @param check of these properties by their schema
 */
export function readPlacement(json: Properties, check: () => readonly Diagnostic[]): PlacementReading {
  let key = '';
  for (const property of Object.keys(json)) {
    if (PLACEMENT_PROPERTIES.has(property)) key += `${property}${JSON.stringify(json[property])}`;
  }
  if (key === '') return UNPLACED;
  const known = placements.get(key);
  if (known !== undefined) return known;
  const misplaced = check();
  if (misplaced.length > 0) return { placement: {}, misplaced };
  const reading = { placement: acceptedPlacement(json), misplaced };
  if (placements.size === MAX_PLACEMENTS) placements.clear();
  placements.set(key, reading);
  return reading;
}

function acceptedPlacement({ duration, transition, fit, background, shorten }: Properties): ScenePlacement {
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
function readTransition(json: Json | undefined): Transition | undefined {
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
