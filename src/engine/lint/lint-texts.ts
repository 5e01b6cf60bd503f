import type { SafeAreaName } from '../../template/lint-severities.ts';
import type { RenderInput } from '../../template/render-input.ts';
import { type FindingMoment, type LintDefect, momentAt } from '../lint-finding.ts';
import { filledTextLayers } from '../text/text-layers.ts';
import { contrastNeeded } from './contrast.ts';
import type { MeasuredFrames, TextVisibility } from './measured-frames.ts';
import { type Edge, edgesCrossed } from './safe-areas.ts';
import { findShrunk, MIN_DESIGN_SHARE, type ShrunkText } from './shrunk-texts.ts';
import { changedGrounds, findLowContrast, framesToMeasure, type LowContrast } from './text-contrast.ts';
import { MIN_CUT_SHARE } from './text-cuts.ts';
import { visibleArea } from './text-geometry.ts';
import { TextGrounds } from './text-grounds.ts';
import {
  type Collision,
  findCollisions,
  findCut,
  findNeverShown,
  findTooSmall,
  longestRun,
  MIN_SIZE,
  MIN_STRENGTH,
  MIN_VISIBLE,
  type TextTrack,
  trackTexts,
} from './text-tracks.ts';
import { type TextFrames, TextMeasurer } from './text-visibility.ts';

/**
 * Finds texts of editables that viewers could not read. By layout: texts that are cut off, outside the picture or a safe area, too
 * small, shrunk far below their design, or overlap. By pixels: texts that are covered or have too little contrast.
 *
 * @param moments by editable: the frame that shows its texts best
 */
export async function lintTexts(
  renderInput: RenderInput,
  moments: ReadonlyMap<string, FindingMoment>,
  safeArea: SafeAreaName | null,
  measuredFrames: MeasuredFrames,
): Promise<LintDefect[]> {
  const tracks = await trackTexts(renderInput);
  const editables = new Set(filledTextLayers(renderInput.animation).map(({ editable }) => editable));
  const found: LintDefect[] = findNeverShown(renderInput, tracks).map((editable) => ({
    code: 'text_hidden',
    editable,
    reason: 'never_shown',
    ...momentAt(renderInput, 0),
  }));
  const collisions = findCollisions(tracks, renderInput);
  const shrunk = findShrunk(tracks, renderInput);
  const frames = new Map<string, readonly number[]>();
  for (const editable of editables) {
    const editableTracks = tracksOf(editable, tracks);
    if (editableTracks.length === 0) continue;
    found.push(...lintLayout(renderInput, editable, editableTracks, safeArea));
    const best = moments.get(editable)?.frame;
    const isInvolved = (track: TextTrack | undefined) => track !== undefined && editableTracks.includes(track);
    const colliding = collisions.filter(({ first, second }) => isInvolved(first) || isInvolved(second));
    const compared = shrunk.filter(({ track, larger }) => isInvolved(track) || isInvolved(larger?.track));
    const spread = framesToMeasure(editableTracks, renderInput);
    const decisive = [...colliding, ...compared].map(({ frame }) => frame);
    const measured = best === undefined ? [...spread, ...decisive] : [best, ...spread, ...decisive];
    // Emoji have fixed colours, so their contrast cannot be measured.
    frames.set(editable, editableTracks.every(isEmojiOnly) ? [] : [...new Set(measured)]);
  }
  const measured = { frames, tracks, moments };
  const { visibilities, defects } = await lintMeasured(renderInput, measured, measuredFrames);
  found.push(...defects);
  const isVisible = ({ editable }: TextTrack, frame: number): boolean => {
    const measured = editable === null ? undefined : visibilities.get(editable);
    return !measured?.length || measured.some((result) => result.frame === frame && result.ratio !== null);
  };
  const tooSmall = found.filter(({ code }) => code === 'text_too_small').flatMap(({ editable }) => editable ?? []);
  return [
    ...found,
    ...lintCollisions(renderInput, collisions, isVisible),
    ...lintShrunk(renderInput, shrunk, isVisible, tooSmall),
  ];
}

interface TextsToMeasure {
  /** Frames to measure at least, by editable. */
  readonly frames: TextFrames;
  readonly tracks: readonly TextTrack[];
  readonly moments: ReadonlyMap<string, FindingMoment>;
}

/** Templates whose last video had defects by pixels, by number of layers and editables. Their next video is not estimated first. */
const withDefects = new Set<string>();

/**
 * Finds defects by pixels. Estimates them first: an estimate is on the safe side, so texts without an estimated defect have none, and
 * most videos have none.
 */
async function lintMeasured(
  renderInput: RenderInput,
  { frames, tracks, moments }: TextsToMeasure,
  measuredFrames: MeasuredFrames,
): Promise<{ visibilities: ReadonlyMap<string, readonly TextVisibility[]>; defects: readonly LintDefect[] }> {
  const grounds = await TextGrounds.draw(
    renderInput,
    tracks.filter(({ editable }) => editable !== null && frames.get(editable)?.length),
    measuredFrames.isLast,
  );
  const measurer = new TextMeasurer(renderInput, measuredFrames, tracks);
  const lint = async (isEstimated: boolean) => {
    const measure = measurer.measure.bind(measurer);
    const { visibilities, low } = await measureContrast(renderInput, frames, tracks, grounds, (texts, cuttable) =>
      measure(texts, cuttable, isEstimated),
    );
    const defects = [...frames.keys()].flatMap((editable) =>
      lintPixels(renderInput, editable, {
        measured: visibilities.get(editable) ?? [],
        tracks: tracksOf(editable, tracks),
        best: moments.get(editable),
        low: low.get(editable) ?? [],
      }),
    );
    return { visibilities, defects };
  };
  const template = [renderInput.animation.layers.length, ...frames.keys()].join(' ');
  try {
    const estimated = withDefects.has(template) ? null : await lint(true);
    if (estimated?.defects.length === 0) return estimated;
    const measured = await lint(false);
    if (measured.defects.length === 0) withDefects.delete(template);
    else withDefects.add(template);
    return measured;
  } finally {
    measurer.close();
  }
}

/** Returns whether a text is visible on a frame, as far as its pixels were measured. */
type IsVisible = (track: TextTrack, frame: number) => boolean;

function tracksOf(editable: string, tracks: readonly TextTrack[]): TextTrack[] {
  return tracks.filter((track) => track.editable === editable);
}

function lintCollisions(
  renderInput: RenderInput,
  collisions: readonly Collision[],
  isVisible: IsVisible,
): LintDefect[] {
  return collisions.flatMap(({ frame, first, second }): LintDefect[] => {
    const [subject, obstacle] = first.editable === null ? [second, first] : [first, second];
    if (!isVisible(first, frame) || !isVisible(second, frame) || subject.editable === null) return [];
    const collision = { code: 'text_collision', other: obstacle.editable, otherText: obstacle.text } as const;
    return [{ ...collision, editable: subject.editable, ...momentAt(renderInput, frame) }];
  });
}

/** @param tooSmall editables whose texts are reported as too small, which is more serious */
function lintShrunk(
  renderInput: RenderInput,
  shrunk: readonly ShrunkText[],
  isVisible: IsVisible,
  tooSmall: readonly string[],
): LintDefect[] {
  const found: LintDefect[] = [];
  // Several layers may show the text of an editable.
  const reported = new Set(tooSmall);
  for (const { frame, track, size, designed, larger } of shrunk) {
    const { editable } = track;
    if (editable === null || reported.has(editable) || !isVisible(track, frame)) continue;
    const isComparable = larger !== null && isVisible(larger.track, frame);
    if (size >= MIN_DESIGN_SHARE * designed && !isComparable) continue;
    const largerText = isComparable
      ? { editable: larger.track.editable, text: larger.track.text, size: larger.size }
      : null;
    found.push({ code: 'text_shrunk', editable, ...momentAt(renderInput, frame), size, designed, larger: largerText });
    reported.add(editable);
  }
  return found;
}

/** Rounds in which changed backgrounds and runs of low contrast are measured more closely. */
const MAX_ROUNDS = 4;

/**
 * Measures texts on frames, on those where their backgrounds change, and within runs of low contrast.
 *
 * @param frames to measure at least, by editable
 * @returns results and runs of low contrast, by editable
 */
async function measureContrast(
  renderInput: RenderInput,
  frames: TextFrames,
  tracks: readonly TextTrack[],
  grounds: TextGrounds,
  measure: (texts: TextFrames, cuttable: ReadonlySet<string>) => ReturnType<TextMeasurer['measure']>,
): Promise<{ visibilities: Map<string, readonly TextVisibility[]>; low: Map<string, readonly LowContrast[]> }> {
  const texts = [...frames.keys()].map((editable) => {
    const editableTracks = tracksOf(editable, tracks);
    return { editable, tracks: editableTracks, needed: neededContrast(renderInput, editableTracks) };
  });
  const resting = new Set(texts.filter((text) => text.tracks.some(rests)).map(({ editable }) => editable));
  const visibilities = new Map<string, readonly TextVisibility[]>();
  const low = new Map<string, readonly LowContrast[]>();
  let next = new Map(frames);
  for (let round = 0; round < MAX_ROUNDS && next.size > 0; round++) {
    for (const [editable, measured] of await measure(next, round === 0 ? resting : NONE)) {
      visibilities.set(editable, [...(visibilities.get(editable) ?? []), ...measured]);
    }
    const measured = texts.map((text) => ({ ...text, measured: visibilities.get(text.editable) ?? [] }));
    next = round === 0 ? changedGrounds(measured, grounds) : new Map();
    for (const text of measured) {
      const runs = text.tracks.flatMap((track) => findLowContrast(track, renderInput, text, grounds) ?? []);
      low.set(text.editable, runs);
      const measuredFrames = new Set(text.measured.map(({ frame }) => frame));
      const missing = runs.flatMap(({ confirming }) => confirming).filter((frame) => !measuredFrames.has(frame));
      if (missing.length === 0) continue;
      next.set(text.editable, [...new Set([...(next.get(text.editable) ?? []), ...missing])]);
    }
  }
  return { visibilities, low };
}

const NONE: ReadonlySet<string> = new Set();

function lintLayout(
  renderInput: RenderInput,
  editable: string,
  tracks: readonly TextTrack[],
  area: SafeAreaName | null,
): LintDefect[] {
  const found: LintDefect[] = [];
  for (const track of tracks) {
    const cut = findCut(track, renderInput);
    if (cut === undefined) continue;
    const { text } = track;
    found.push({
      code: 'text_overflow',
      editable,
      ...momentAt(renderInput, cut.frame),
      text,
      beyond: 'frame',
      overflow: null,
    });
    break;
  }
  for (const track of area === null ? [] : tracks) {
    const outside = findOutside(track, renderInput, area!);
    if (outside === undefined) continue;
    const { frame, edges } = outside;
    found.push({ code: 'outside_safe_area', editable, ...momentAt(renderInput, frame), area: area!, edges });
    break;
  }
  const small = tracks.map(findTooSmall);
  if (small.every((result) => result !== undefined) && small[0] !== undefined) {
    const { sample, isShrunk } = small[0];
    const needed = MIN_SIZE[isShrunk ? 'shrunk' : 'designed'];
    const moment = momentAt(renderInput, sample.frame);
    found.push({ code: 'text_too_small', editable, ...moment, size: sample.size, needed, isShrunk });
  }
  return found;
}

/** The pixels of an editable's texts. */
interface TextPixels {
  readonly measured: readonly TextVisibility[];
  readonly tracks: readonly TextTrack[];
  readonly best: FindingMoment | undefined;
  /** The texts whose contrast is low for long enough to be noticed. */
  readonly low: readonly LowContrast[];
}

function lintPixels(
  renderInput: RenderInput,
  editable: string,
  { measured, tracks, best, low }: TextPixels,
): LintDefect[] {
  // A masked text that the edge cuts is found by its pixels, because its layout ignores masks.
  const isMasked = tracks.some(({ samples }) => samples.some(({ isDrawnAsLaidOut }) => !isDrawnAsLaidOut));
  const atEdge =
    isMasked && best !== undefined && measured.find(({ frame }) => frame === best.frame)?.isAtEdge === true;
  const cut: LintDefect[] = atEdge
    ? [{ code: 'text_overflow', editable, ...best, text: tracks[0]!.text, beyond: 'frame', overflow: null }]
    : [];
  cut.push(...findCutInside(renderInput, tracks, measured, best));
  const visible = measured.flatMap(({ frame, ratio }) => (ratio === null ? [] : [{ frame, ratio }]));
  if (visible.length === 0) {
    const isOff = tracks.every(({ samples }) =>
      samples.every(({ visibleShare, isDrawnAsLaidOut }) => isDrawnAsLaidOut && visibleShare < MIN_VISIBLE),
    );
    // A text too fine to measure has no result, which does not mean that it is covered.
    if (!isOff && (measured.length === 0 || sizeOf(tracks) < MIN_SIZE.shrunk)) return [];
    const reason = isOff ? 'off_frame' : 'covered';
    const moment = best ?? momentAt(renderInput, tracks[0]!.samples[0]!.frame);
    return [{ code: 'text_hidden', editable, reason, ...moment }];
  }
  const needed = neededContrast(renderInput, tracks);
  const failed = visible.filter(({ ratio }) => ratio < needed);
  const failedAtBest = failed.find(({ frame }) => frame === best?.frame);
  // A short change of the background is ignored, except on stills.
  if (low.length === 0 && (failedAtBest === undefined || best?.still === null)) return cut;
  const frames = new Set(low.flatMap(({ samples }) => samples.map(({ frame }) => frame)));
  const during = failed.filter(({ frame }) => frames.has(frame));
  const { frame, ratio } =
    failedAtBest ??
    (during.length === 0 ? failed : during).reduce((worst, result) => (result.ratio < worst.ratio ? result : worst));
  return [...cut, { code: 'low_contrast', editable, ...momentAt(renderInput, frame), ratio, needed }];
}

/**
 * Finds a text that masks, mattes or layers above cut off on every measured frame, so that viewers never see it whole. Ignores
 * texts that never rest, such as a ticker in a window: their cuts are not measured.
 */
function findCutInside(
  renderInput: RenderInput,
  tracks: readonly TextTrack[],
  measured: readonly TextVisibility[],
  best: FindingMoment | undefined,
): LintDefect[] {
  const cuts = measured.flatMap(({ frame, ratio, cutShare }) =>
    ratio === null || cutShare === null ? [] : [{ frame, cutShare }],
  );
  if (cuts.length === 0 || !cuts.every(({ cutShare }) => cutShare >= MIN_CUT_SHARE)) return [];
  const least = cuts.reduce((smallest, cut) => (cut.cutShare < smallest.cutShare ? cut : smallest));
  const { frame, cutShare } = cuts.find((cut) => cut.frame === best?.frame) ?? least;
  const { editable, text } = tracks[0]!;
  const moment = momentAt(renderInput, frame);
  return [{ code: 'text_overflow', editable: editable!, ...moment, text, beyond: 'layer', overflow: cutShare }];
}

/** Returns the contrast that a text needs at its size. */
function neededContrast({ animation }: RenderInput, tracks: readonly TextTrack[]): number {
  return contrastNeeded(sizeOf(tracks) * (Math.min(animation.w, animation.h) / animation.h));
}

function rests({ samples }: TextTrack): boolean {
  return samples.some(({ isAtRest }) => isAtRest);
}

function isEmojiOnly({ samples }: TextTrack): boolean {
  const cells = samples.flatMap(({ laidOut }) => laidOut.layout.lines.flatMap((line) => line.cells));
  return cells.every(({ cell }) => cell.isColored || cell.isSpace);
}

/** Returns the largest font size at which a text is drawn, in pixels of a picture whose shorter side has 1080. */
function sizeOf(tracks: readonly TextTrack[]): number {
  return Math.max(0, ...tracks.flatMap(({ samples }) => samples.map(({ size }) => size)));
}

/**
 * Finds a frame on which a readable text lies outside a safe area, and the edges that it crosses. Ignores masked texts.
 */
function findOutside(
  { samples }: TextTrack,
  renderInput: RenderInput,
  name: SafeAreaName,
): { readonly frame: number; readonly edges: readonly Edge[] } | undefined {
  const crossed = edgesCrossed(renderInput, visibleArea(renderInput), name);
  if (crossed === null) return undefined;
  const isAlwaysMoving = !samples.some(({ isAtRest }) => isAtRest);
  const found = longestRun(samples, renderInput, (sample) => {
    const isShown = sample.strength >= MIN_STRENGTH && sample.visibleShare > MIN_VISIBLE && sample.isDrawnAsLaidOut;
    return isShown && (sample.isAtRest || isAlwaysMoving) && crossed(sample).length > 0;
  });
  return found === undefined ? undefined : { frame: found.frame, edges: crossed(found) };
}
