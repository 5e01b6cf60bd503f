import { isRecord } from '../../kernel/json.ts';
import { changesOf, type LayerSpan, layerSpans, strengthAt } from '../lottie/visibility/layer-spans.ts';
import type { LottieDocument } from '../render-input.ts';
import type { FoundEditable } from './editable-targets.ts';

/** A frame chosen as a still. */
export interface ChosenStill {
  readonly name: string;
  /** Index from the animation's first frame. */
  readonly frame: number;
  /** `marker`: set by the designer. */
  readonly origin: 'marker' | 'chosen';
}

interface ChosenStills {
  /** Sorted by time; never empty. */
  readonly stills: readonly ChosenStill[];
  /** Editable → the still that shows it. */
  readonly stillOf: ReadonlyMap<string, string>;
  /** Editables that no frame shows, according to times and opacities. */
  readonly neverShown: readonly string[];
}

const MAX_STILLS = 6;
/** A layer counts as shown from this share of its highest opacity on, which excludes fades. */
const MIN_SHOWN_SHARE = 0.5;
/** Shorter moments are likely to be transitions. */
const STEADY_SECONDS = 1;

/**
 * Chooses the stills of an animation: the markers `stillcut_01` … if it has any, or else the middle of the longest span that
 * shows most editables, and again for the remaining editables until a still shows each of them.
 */
export function chooseStills(animation: LottieDocument, editables: readonly FoundEditable[]): ChosenStills {
  const sightings = sightingsOf(animation, editables);
  const frameCount = Math.max(1, Math.round(animation.op - animation.ip));
  const marked = markedStills(animation, frameCount);
  const steady = STEADY_SECONDS * animation.fr;
  let stills = marked;
  if (marked.length === 0) {
    const chosen = named(chooseFrames(sightings, frameCount, steady));
    // Drops stills that are not the first still of any editable.
    const used = new Set(sightings.map((sighting) => bestStill(sighting, chosen)));
    stills = named(
      chosen.filter(({ name }, index) => (used.size === 0 ? index === 0 : used.has(name))).map(({ frame }) => frame),
    );
  }
  const neverShown = sightings.filter(({ strongest }) => strongest === 0).map(({ key }) => key);
  return {
    stills,
    stillOf: new Map(sightings.map((sighting) => [sighting.key, bestStill(sighting, stills)])),
    neverShown,
  };
}

interface Sighting {
  readonly key: string;
  readonly spans: readonly LayerSpan[];
  readonly strongest: number;
}

function sightingsOf(animation: LottieDocument, editables: readonly FoundEditable[]): Sighting[] {
  const spans = layerSpans(animation);
  const moments = momentsOf(spans);
  return editables.map(({ key, layers }) => {
    const editableSpans = spans.filter(({ layer }) => layers.includes(layer));
    const candidates = editableSpans.length > 20 ? moments : momentsOf(editableSpans);
    return {
      key,
      spans: editableSpans,
      strongest: Math.max(0, ...candidates.map(({ frame }) => strength(editableSpans, frame))),
    };
  });
}

function strength(spans: readonly LayerSpan[], frame: number): number {
  return Math.max(0, ...spans.map((span) => strengthAt(span, frame)));
}

/** Returns the middle of each interval between changes of visibility. */
function momentsOf(spans: readonly LayerSpan[]): { frame: number; from: number; to: number }[] {
  const times = [...new Set(spans.flatMap(changesOf).map(Math.round))].sort((a, b) => a - b);
  return times.slice(1).map((to, index) => {
    const from = times[index]!;
    return { frame: Math.floor((from + to) / 2), from, to };
  });
}

function isShown({ spans, strongest }: Sighting, frame: number): boolean {
  return strongest > 0 && strength(spans, frame) >= strongest * MIN_SHOWN_SHARE;
}

/** @param steady minimum length in frames of a span that is not a transition */
function chooseFrames(sightings: readonly Sighting[], frameCount: number, steady: number): number[] {
  const moments = momentsOf(sightings.flatMap(({ spans }) => spans));
  const frames: number[] = [];
  let remaining = sightings.filter(({ strongest }) => strongest > 0);
  while (remaining.length > 0 && frames.length < MAX_STILLS) {
    const frame = bestFrame(remaining, moments, steady);
    const notShown = remaining.filter((sighting) => !isShown(sighting, frame));
    if (notShown.length === remaining.length) break;
    frames.push(Math.min(frameCount - 1, frame));
    remaining = notShown;
  }
  return frames.length > 0 ? frames.sort((a, b) => a - b) : [Math.floor(frameCount / 2)];
}

/** Returns the middle of the longest span in which most editables are shown. */
function bestFrame(
  sightings: readonly Sighting[],
  moments: readonly { frame: number; from: number; to: number }[],
  steady: number,
): number {
  const runs: { count: number; from: number; to: number; shown: string; frames: number[] }[] = [];
  const shownAt = (frame: number): string[] =>
    sightings.filter((sighting) => isShown(sighting, frame)).map(({ key }) => key);
  for (const { frame, from, to } of moments) {
    const keys = shownAt(frame);
    const shown = keys.join('\n');
    const last = runs.at(-1);
    if (last !== undefined && last.to === from && last.shown === shown) {
      last.to = to;
      last.frames.push(frame);
    } else runs.push({ count: keys.length, from, to, shown, frames: [frame] });
  }
  const weight = ({ count, from, to }: (typeof runs)[number]): number => count * Math.min(1, (to - from) / steady);
  const [best] = runs.sort((a, b) => weight(b) - weight(a) || b.to - b.from - (a.to - a.from));
  if (best === undefined) return 0;
  const middle = Math.floor((best.from + best.to) / 2);
  // An editable may be briefly hidden at the middle.
  if (shownAt(middle).join('\n') === best.shown) return middle;
  return best.frames.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0]!;
}

function named(frames: readonly number[]): ChosenStill[] {
  return frames.map((frame, index) => ({
    name: `stillcut_${String(index + 1).padStart(2, '0')}`,
    frame,
    origin: 'chosen',
  }));
}

function markedStills({ markers, ip }: LottieDocument, frameCount: number): ChosenStill[] {
  if (!Array.isArray(markers)) return [];
  const stills = new Map<string, ChosenStill>();
  for (const marker of markers as unknown[]) {
    const name =
      isRecord(marker) && typeof marker.cm === 'string' ? /\bstillcut_\d+\b/.exec(marker.cm)?.[0] : undefined;
    if (name === undefined || !isRecord(marker) || typeof marker.tm !== 'number') continue;
    const frame = Math.round(marker.tm - ip);
    if (frame >= 0 && frame < frameCount && !stills.has(name)) stills.set(name, { name, frame, origin: 'marker' });
  }
  return [...stills.values()].sort((a, b) => a.frame - b.frame);
}

/**
 * Returns the first still that shows the editable, or else the still on which it is most visible, or else the nearest still.
 */
function bestStill(sighting: Sighting, stills: readonly ChosenStill[]): string {
  const shown = stills.find(({ frame }) => isShown(sighting, frame));
  if (shown !== undefined) return shown.name;
  const distance = (frame: number): number =>
    Math.min(...sighting.spans.map(({ from, to }) => Math.max(from - frame, frame - to, 0)), Number.MAX_VALUE);
  const [best] = [...stills].sort(
    (a, b) =>
      strength(sighting.spans, b.frame) - strength(sighting.spans, a.frame) || distance(a.frame) - distance(b.frame),
  );
  return best!.name;
}
