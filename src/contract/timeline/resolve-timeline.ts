import { defined } from '../../kernel/defined.ts';
import { sha256 } from '../../kernel/digest.ts';
import { remembered } from '../../kernel/memory.ts';
import type { VideoMeasures } from '../video-measures.ts';
import { type FrameRate, frameRateOf } from './frame-rate.ts';
import { checkPlaces } from './place.ts';
import {
  ceiling,
  compare,
  divide,
  framesOf,
  multiply,
  nearest,
  type Rational,
  rational,
  rationalRate,
  toNumber,
} from './rational.ts';
import { type Material, materialOf, type SceneLength, SceneLengths } from './scene-length.ts';
import type { SceneInput, TemplateFacts, Timeline, TimelineFinding, TimelineInput, TimelineScene } from './timeline.ts';
import { TIMELINE_CODES } from './timeline.ts';
import { resolveTransitions } from './transitions.ts';

/** Frames per second, as in animations. */
const MAX_RATE = 240;

/** Limits of a video. */
export const MAX_SCENES = 200;
export const MAX_VIDEO_SECONDS = 30 * 60;

/** A timeline, or null if any finding is an error, with all findings. */
export interface ResolvedTimeline {
  readonly timeline: Timeline | null;
  readonly findings: readonly TimelineFinding[];
}

/** Timelines by their keys. Videos of a repository, their rows, languages and formats, and sessions of a service share a few. */
const timelines = new Map<string, ResolvedTimeline>();
const MAX_TIMELINES = 64;
/** Pieces of the time maps of a timeline that is kept. */
const MAX_PIECES = 1_000;

/**
 * Resolves a timeline once for each key, as far as they are few.
 *
 * @param key differs for inputs that differ
 */
export function resolveOnce(key: string, input: () => TimelineInput): ResolvedTimeline {
  const known = timelines.get(key);
  if (known !== undefined) return known;
  const resolved = resolveTimeline(input());
  const pieces = (resolved.timeline?.scenes ?? []).reduce((sum, { map }) => sum + map.length, 0);
  if (pieces > MAX_PIECES) return resolved;
  if (timelines.size === MAX_TIMELINES) timelines.clear();
  timelines.set(key, resolved);
  return resolved;
}

/** Returns the digest of facts about a template, which have many stillcuts and places, for keys of timelines. */
export const factsDigest = remembered((facts: TemplateFacts) => sha256(JSON.stringify(facts)));

/**
 * Resolves a video's scenes to whole frames: where each starts, how long it is and why, and which frame of its template it shows
 * at each time. Pure and exact: the result depends only on the input, which the corpus of docs/reference/timeline.md shows.
 *
 * @param input each scene has a template; ids are unique
 */
export function resolveTimeline(input: TimelineInput): ResolvedTimeline {
  const findings = checkInput(input);
  const scenes = shownScenes(input);
  // Another shape changes no length, so mistakes in lengths are reported beside it.
  const isBlocked = hasError(findings.filter(({ code }) => code !== 'fit_missing'));
  if (scenes.length === 0 || isBlocked) return { timeline: null, findings };

  const first = input.templates[input.scenes[0]!.template]!;
  const frameRate = frameRateOf(input.rate ?? first.rate);
  const rate = rationalRate(frameRate);
  // Templates of two names may be the same.
  const materialByFacts = new Map<TemplateFacts, Material>();
  const materials = scenes.map(({ template }) => {
    const facts = input.templates[template]!;
    const material = materialByFacts.get(facts) ?? materialOf(facts, rationalRate(frameRateOf(facts.rate)), rate);
    materialByFacts.set(facts, material);
    return material;
  });
  const lengths = new SceneLengths();
  const decided = decideLengths(lengths, { input, scenes, materials, rate });
  findings.push(...lengths.findings, ...decided.findings);
  if (hasError(findings)) return { timeline: null, findings };

  const total = decided.lengths.reduce((sum, { length }) => sum + length, 0);
  if (compare(divide(rational(total), rate), rational(MAX_VIDEO_SECONDS)) > 0) {
    return {
      timeline: null,
      findings: [...findings, { code: 'video_too_long', wanted: divide(rational(total), rate) }],
    };
  }
  const starts = startsOf(decided.lengths);
  const placed = scenes.map((scene, index) => ({
    scene,
    start: starts[index]!,
    length: decided.lengths[index]!.length,
  }));
  const { transitions, findings: transitionFindings } = resolveTransitions(placed, input.transition, rate);
  const maps = new SceneLengths();
  const timelineScenes = placed.map(({ scene, start, length }, index): TimelineScene => {
    const { map, ...reasons } = maps.place(scene, materials[index]!, decided.lengths[index]!);
    const after = scenes[index - 1]?.id ?? null;
    const why = { after, natural: materials[index]!.natural, length: decided.lengths[index]!.reason, ...reasons };
    return { id: scene.id, template: scene.template, start, length, transition: transitions[index]!, map, why };
  });
  findings.push(...maps.findings, ...transitionFindings);
  if (hasError(findings)) return { timeline: null, findings };
  const [width, height] = input.size ?? [first.width, first.height];
  return { timeline: { rate: frameRate, width, height, frames: total, scenes: timelineScenes }, findings };
}

/** Returns the size and length of a timeline. */
export const timelineMeasures = remembered(({ rate, width, height, frames }: Timeline): VideoMeasures => {
  return { width, height, rate: toNumber(rationalRate(rate)), frames };
});

/** Returns the first frame of an output that shows a frame of the timeline, such as the start of a scene. */
export function outputFrameOf(frame: number, timelineRate: FrameRate, outputRate: FrameRate): number {
  return ceiling(multiply(rational(frame), divide(rationalRate(outputRate), rationalRate(timelineRate))));
}

/** Returns the length of an output in frames. */
export function outputLengthOf(frames: number, timelineRate: FrameRate, outputRate: FrameRate): number {
  const ratio = divide(rationalRate(outputRate), rationalRate(timelineRate));
  return Math.max(1, nearest(multiply(rational(frames), ratio)));
}

/** Returns the scenes that are not left out. The only scene of a video has the video's length if it has no length of its own. */
function shownScenes({ scenes, duration }: TimelineInput): SceneInput[] {
  const [only, second] = scenes;
  const all = only === undefined || second !== undefined ? scenes : [{ ...defined({ duration }), ...only }];
  return all.filter(({ left_out }) => left_out !== true);
}

/** Returns the lengths of all scenes; of some only after an error. */
function decideLengths(
  lengths: SceneLengths,
  {
    input,
    scenes,
    materials,
    rate,
  }: { input: TimelineInput; scenes: readonly SceneInput[]; materials: readonly Material[]; rate: Rational },
): { lengths: SceneLength[]; findings: TimelineFinding[] } {
  const findings: TimelineFinding[] = [];
  const isFill = ({ duration }: SceneInput): boolean => duration === 'fill';
  const fills = scenes.filter(isFill);
  for (const { id } of fills.slice(1)) findings.push({ code: 'fill_twice', scene: id });
  if (fills.length > 0 && input.duration === undefined) {
    findings.push({ code: 'fill_without_duration', scene: fills[0]!.id });
  }
  const duration = input.duration === undefined ? null : framesOf(input.duration, rate);
  if (input.duration !== undefined && (duration === null || duration < 1)) findings.push({ code: 'duration_invalid' });

  const decided = scenes.map((scene, index) => (isFill(scene) ? null : lengths.decide(scene, materials[index]!)));
  const isComplete = decided.every((length, index) => length !== null || isFill(scenes[index]!));
  if (findings.length > 0 || !isComplete) return { lengths: [], findings };
  const others = decided.reduce((sum, length) => sum + (length?.length ?? 0), 0);
  if (duration !== null && fills.length === 0 && others !== duration) {
    const sum = divide(rational(others), rate);
    findings.push({
      code: 'duration_missed',
      possible: { min: sum, max: sum },
      wanted: divide(rational(duration), rate),
    });
  }
  const all = decided.map((length, index) => {
    return length ?? lengths.fill(scenes[index]!, materials[index]!, { duration: duration!, others });
  });
  return { lengths: all.filter((length) => length !== null), findings };
}

/** Checks everything that does not depend on lengths. */
function checkInput(input: TimelineInput): TimelineFinding[] {
  const scenes = input.scenes.filter(({ left_out }) => left_out !== true);
  const used = Object.entries(input.templates).filter(([name]) => scenes.some(({ template }) => template === name));
  const findings: TimelineFinding[] = [];
  if (scenes.length === 0) findings.push({ code: 'video_empty' });
  if (scenes.length > MAX_SCENES) findings.push({ code: 'too_many_scenes', wanted: rational(scenes.length) });
  for (const [name, { timing = [], frames, rate }] of used) {
    findings.push(...checkPlaces(timing, frames).map(({ code, place }) => ({ code, name, place })));
    if (!isRate(rate)) findings.push({ code: 'rate_unsupported', name });
  }
  const first = input.scenes[0] === undefined ? undefined : input.templates[input.scenes[0].template];
  const rate = input.rate ?? first?.rate;
  if (input.rate !== undefined && !isRate(input.rate)) findings.push({ code: 'rate_unsupported' });
  if (rate !== undefined && isRate(rate)) findings.push(...mixedRates(used, rate));
  const size = input.size ?? (first === undefined ? undefined : ([first.width, first.height] as const));
  if (size !== undefined) {
    const misfits = scenes.filter(
      ({ template, fit }) => fit === undefined && !hasShape(input.templates[template]!, size),
    );
    findings.push(
      ...misfits.map(({ id, template }) => ({
        code: 'fit_missing' as const,
        scene: id,
        ...defined({ name: template }),
      })),
    );
  }
  return findings;
}

/** Reports templates whose frames do not fall onto frames of the timeline, or onto every second, third … of them. */
function mixedRates(used: readonly (readonly [string, TemplateFacts])[], rate: number): TimelineFinding[] {
  const timelineRate = rationalRate(frameRateOf(rate));
  return used.flatMap(([name, template]): TimelineFinding[] => {
    if (!isRate(template.rate)) return [];
    const { numerator, denominator } = divide(timelineRate, rationalRate(frameRateOf(template.rate)));
    return numerator === 1 || denominator === 1 ? [] : [{ code: 'rate_differs', name }];
  });
}

function isRate(rate: number): boolean {
  return rate >= 1 && rate <= MAX_RATE;
}

/** Returns whether a template has the shape of the video, to the pixel of its own width or height. */
function hasShape({ width, height }: TemplateFacts, [videoWidth, videoHeight]: readonly [number, number]): boolean {
  return Math.abs(width * videoHeight - height * videoWidth) <= Math.max(videoWidth, videoHeight);
}

function startsOf(lengths: readonly SceneLength[]): number[] {
  let start = 0;
  return lengths.map(({ length }) => {
    start += length;
    return start - length;
  });
}

function hasError(findings: readonly TimelineFinding[]): boolean {
  return findings.some(({ code }) => TIMELINE_CODES[code] === 'error');
}
