import { sceneAt } from '../../engine/scenes/scene-spans.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { isRecord } from '../../kernel/json.ts';
import type { LottieNode } from '../../template/lottie/lottie-layers.ts';
import {
  type LayerSpan,
  layerSpans,
  MIN_VISIBLE_STRENGTH,
  strengthAt,
} from '../../template/lottie/visibility/layer-spans.ts';
import type { VideoInput } from '../../template/render-input.ts';
import { type ShownDocument, shownDocuments } from './shown-documents.ts';

/** A point in time at which a change is shown. */
export interface Moment {
  /** From the start of the video, aligned to a frame. */
  readonly timeSeconds: number;
  /** Requested editables that are visible at this time. */
  readonly editables: readonly string[];
  /** Id of the scene in a video of several. */
  readonly scene?: string;
}

interface ChooseOptions {
  /** Changed editables; empty if the template changed or the video is new. */
  readonly editables: readonly string[];
  /** Maximum number of moments, at least 1. */
  readonly most: number;
  /** Frames to choose if there is room; not if a chosen frame shows the same scene. None when absent. */
  readonly further?: readonly { readonly frame: number; readonly scene?: string }[];
}

/**
 * Chooses the fewest moments that show all changed editables. Prefers stills of the template; otherwise takes the middle of
 * the interval in which an editable is most visible. Falls back to the template's stills, then to the middle of the video,
 * for editables that no layer shows and for changes without an editable.
 *
 * @returns at least one moment, in order of time
 */
export function chooseMoments(video: VideoInput, { editables, most, further = [] }: ChooseOptions): Moment[] {
  const stills = new Set(video.stills.map(({ frame }) => frame));
  const documents = shownDocuments(video).map((document) => ({ document, spans: editableSpans(document) }));
  const wanted = new Set(editables.filter((key) => documents.some(({ spans }) => spans.has(key))));
  const candidates = documents.flatMap(({ document, spans }) => candidatesOf(document, { spans, wanted, stills }));
  const chosen = new Map<number, readonly string[]>();
  const left = new Set(wanted);
  while (left.size > 0 && chosen.size < most) {
    const [best] = candidates
      .map((candidate) => ({ ...candidate, worth: worthOf(candidate, left) }))
      .sort((a, b) => b.worth - a.worth || a.frame - b.frame);
    if (best === undefined || best.worth === 0) break;
    chosen.set(best.frame, [...best.seen.keys()]);
    for (const key of best.seen.keys()) left.delete(key);
  }
  const shown = new Set([...chosen.keys()].map((frame) => momentAt(video, frame, []).scene));
  for (const { frame, scene } of further) {
    if (chosen.size < most && !chosen.has(frame) && (scene === undefined || !shown.has(scene))) chosen.set(frame, []);
  }
  if (chosen.size === 0) for (const frame of spread([...stills], most)) chosen.set(frame, []);
  if (chosen.size === 0) chosen.set(Math.floor(video.frameCount / 2), []);
  return [...chosen].sort(([a], [b]) => a - b).map(([frame, keys]) => momentAt(video, frame, keys));
}

/** Returns the moment of a frame. */
export function momentAt(video: VideoInput, frame: number, editables: readonly string[]): Moment {
  const moment = { timeSeconds: frame / video.fps, editables };
  if (!('scenes' in video) || video.scenes.length === 1) return moment;
  return { ...moment, scene: video.timeline.scenes[sceneAt(video, frame)!]!.id };
}

interface Candidate {
  readonly frame: number;
  /** Visibility of the wanted editables, 0..1. */
  readonly seen: ReadonlyMap<string, number>;
  readonly isStill: boolean;
}

function candidatesOf(
  document: ShownDocument,
  {
    spans,
    wanted,
    stills,
  }: {
    readonly spans: ReadonlyMap<string, readonly LayerSpan[]>;
    readonly wanted: ReadonlySet<string>;
    readonly stills: ReadonlySet<number>;
  },
): Candidate[] {
  const searched = [...wanted].flatMap((key) => {
    const shown = spans.get(key);
    return shown === undefined ? [] : [[key, shown] as const];
  });
  const { first, end } = document.frames;
  const ofStills = [...stills].filter((frame) => frame >= first && frame < end);
  const frames = new Set([...ofStills, ...document.candidates(searched.flatMap(([, shown]) => shown))]);
  return [...frames].map((frame) => {
    const strengths = searched.map(([key, shown]) => {
      return [key, Math.max(...shown.map((span) => strengthAt(span, document.timeAt(frame))))] as const;
    });
    const seen = new Map(strengths.filter(([, strength]) => strength >= MIN_VISIBLE_STRENGTH));
    return { frame, seen, isStill: stills.has(frame) };
  });
}

/**
 * Scores a frame by the visibility of the editables not covered yet. A still of the template gets a bonus, because its
 * author chose it.
 */
function worthOf({ seen, isStill }: Candidate, left: ReadonlySet<string>): number {
  const strength = [...left].reduce((sum, key) => sum + (seen.get(key) ?? 0), 0);
  return strength === 0 ? 0 : strength + (isStill ? 0.5 : 0);
}

/** Picks evenly distributed elements of a list, including the first and the last. */
function spread(frames: readonly number[], most: number): number[] {
  const sorted = [...frames].sort((a, b) => a - b);
  if (sorted.length <= most) return sorted;
  if (most === 1) return [sorted[Math.floor(sorted.length / 2)]!];
  return Array.from({ length: most }, (_, index) => sorted[Math.round((index * (sorted.length - 1)) / (most - 1))]!);
}

/** Maps the name of each editable of a document to the spans of the layers that contain a value filled by it. */
function editableSpans({ animation, nameOf }: ShownDocument): Map<string, LayerSpan[]> {
  const assets = new Map((animation.assets ?? []).map((asset) => [asset.id, asset]));
  const known = new Map<LottieNode, readonly string[]>();
  const editablesOf = (layer: LottieNode): readonly string[] => {
    const found = known.get(layer) ?? filledWithin(layer, assets.get(String(layer.refId)));
    known.set(layer, found);
    return found;
  };
  const shown = layerSpans(animation).flatMap((span) =>
    editablesOf(span.layer).map((editable) => ({ editable: nameOf(editable), span })),
  );
  const groups = groupBy(shown, ({ editable }) => editable);
  return new Map([...groups].map(([editable, alike]) => [editable, alike.map(({ span }) => span)]));
}

/** Ignores the content of precompositions, because their layers have separate spans. */
function filledWithin(layer: LottieNode, asset: LottieNode | undefined): string[] {
  const found = new Set<string>();
  // `checkAnimation` bounds the depth of recursion.
  const visit = (value: object): void => {
    if (isRecord(value) && typeof value.editable === 'string') found.add(value.editable);
    for (const child of Array.isArray(value) ? value : Object.values(value)) {
      if (typeof child === 'object' && child !== null) visit(child);
    }
  };
  visit(layer);
  if (asset !== undefined && !Array.isArray(asset.layers)) visit(asset);
  return [...found];
}
