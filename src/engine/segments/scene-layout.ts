import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import {
  add,
  ceiling,
  compare,
  divide,
  multiply,
  ONE,
  type Rational,
  type RationalJson,
  rational,
  rationalJson,
  rationalRate,
  subtract,
  toNumber,
  ZERO,
} from '../../contract/timeline/rational.ts';
import {
  isNatural,
  type TimeMap,
  type TimeMapJson,
  templateTimeAt,
  timeMapFrom,
  timeMapJson,
} from '../../contract/timeline/time-map.ts';
import { Memory } from '../../kernel/memory.ts';
import type { InputTimeline, LottieDocument, ScenesInput, TransitionStyle } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import type { DrawnTransition, ShownScene } from '../scenes/drawn-input.ts';
import { sceneTimes } from '../scenes/scene-clock.ts';
import { type SceneSpan, sceneSpans, sceneStarts, timelineStep } from '../scenes/scene-spans.ts';
import type { Times } from './shown-layers.ts';

/** A scene in some frames of a span. */
export interface PlacedScene {
  readonly scene: number;
  readonly neighbour: ShownScene['neighbour'];
  /** The times of the template that are shown. */
  readonly times: readonly Times[];
  /** For a scene without clips. If it stands still, it looks the same wherever it is in its own time. */
  readonly shown: SceneFrames;
  /** For a scene with clips. */
  readonly sinceStart: SceneFrames;
  /** The frames in which it replaces the scene below; null for the scene below. */
  readonly transition: Omit<DrawnTransition, keyof TransitionStyle> | null;
}

type SceneFrames = Pick<ShownScene, 'frame' | 'map'>;

/** What a layout depends on beside the timeline. */
interface LaidOutFile extends Pick<ScenesInput, 'fps' | 'frameCount' | 'timeline'> {
  readonly scenes: readonly LaidOutScene[];
}

interface LaidOutScene {
  readonly map: TimeMapJson;
  readonly animation: Pick<LottieDocument, 'ip' | 'op' | 'fr'>;
}

const layouts = new WeakMap<InputTimeline, SceneLayout[]>();

/** Returns the layout of a file. Files that share a timeline share their layouts: a plan asks for those of each video. */
export function sceneLayout(file: LaidOutFile): SceneLayout {
  const known = layouts.get(file.timeline) ?? [];
  const fitting = known.find((layout) => layout.fits(file));
  if (fitting !== undefined) return fitting;
  const layout = new SceneLayout(file);
  layouts.set(file.timeline, [...known, layout]);
  return layout;
}

/** Where scenes are in the spans of a file, and which frames of their templates they show there, whatever these hold. */
export class SceneLayout {
  readonly spans: readonly SceneSpan[];
  /** Frames of the timeline for each frame of the file. */
  readonly step: RationalJson;
  readonly #file: LaidOutFile;
  readonly #step: Rational;
  readonly #starts: readonly number[];
  readonly #maps: readonly TimeMap[];
  /** Whether each scene shows its template from its start, at the template's own pace. */
  readonly #natural: readonly boolean[];
  readonly #placed = new Memory<readonly PlacedScene[]>();

  constructor({ fps, frameCount, timeline, scenes }: LaidOutFile) {
    // Without the values of the video.
    const timesOnly = scenes.map(({ map, animation: { ip, op, fr } }) => ({ map, animation: { ip, op, fr } }));
    this.#file = { fps, frameCount, timeline, scenes: timesOnly };
    this.#step = timelineStep(this.#file);
    this.step = rationalJson(this.#step);
    this.spans = sceneSpans(this.#file);
    this.#starts = sceneStarts(this.#file);
    this.#maps = scenes.map(({ map }) => timeMapFrom(map));
    this.#natural = scenes.map(({ animation }, scene) => {
      const rate = rationalRate(frameRateOf(animation.fr));
      return isNatural(this.#maps[scene]!, divide(rate, rationalRate(timeline.rate)));
    });
  }

  /** Returns whether this is the layout of a file of the same timeline. */
  fits({ fps, frameCount, scenes }: LaidOutFile): boolean {
    const file = this.#file;
    return (
      fps === file.fps &&
      frameCount === file.frameCount &&
      scenes.every(({ map, animation: { ip, op, fr } }, index) => {
        const { map: knownMap, animation } = file.scenes[index]!;
        return map === knownMap && ip === animation.ip && op === animation.op && fr === animation.fr;
      })
    );
  }

  /** Returns whether a scene shows its template from its start, at the template's own pace. */
  isNatural(scene: number): boolean {
    return this.#natural[scene]!;
  }

  /**
   * Returns the scenes of a span in some of its frames, from below.
   *
   * @param ranges frames from the offset of the span, in ascending order
   */
  place(span: SceneSpan, ranges: readonly FrameRange[]): readonly PlacedScene[] {
    const [range, second] = ranges;
    // Of several ranges, a video is drawn once; keys need each segment of each video.
    if (second !== undefined) return this.#place(span, ranges);
    return this.#placed.of(span, `${range!.first} ${range!.end}`, () => this.#place(span, ranges));
  }

  #place(span: SceneSpan, ranges: readonly FrameRange[]): PlacedScene[] {
    const { scene, neighbour } = span;
    const own = { map: this.#maps[scene]!, frame: 0 };
    switch (neighbour) {
      case 0:
        return [this.#placeScene(scene, neighbour, own, ranges, null)];
      case -1:
        return [
          this.#placeScene(scene - 1, neighbour, this.#leftScene(span), ranges, null),
          this.#placeScene(scene, 0, own, ranges, this.#transitionTo(scene, span)),
        ];
      case 1:
        return [
          this.#placeScene(scene, 0, own, ranges, null),
          this.#placeScene(scene + 1, neighbour, this.#awaitedScene(span), ranges, this.#transitionTo(scene + 1, span)),
        ];
    }
  }

  /** Returns the scene before the span, which stays on its last frame. Its clips go on. */
  #leftScene({ scene, offset }: SceneSpan): SceneTime {
    const left = scene - 1;
    const { length } = this.#file.timeline.scenes[left]!;
    const map = this.#maps[left]!;
    const frame = offset - this.#starts[left]!;
    // Of a scene whose length is no whole number of frames, the last frame may end later than the scene.
    const shown = multiply(rational(frame), this.#step);
    const end = compare(shown, rational(length)) < 0 ? shown : rational(length);
    const held = { from: end, to: add(end, ONE), at: templateTimeAt(map, rational(length - 1)), speed: ZERO };
    return { map: [...clipped(map, ZERO, end), held], frame };
  }

  /** Returns the scene after the span, which stays on its first frame, with its clips. */
  #awaitedScene({ scene, offset }: SceneSpan): SceneTime {
    const at = templateTimeAt(this.#maps[scene + 1]!, ZERO);
    return { map: [{ from: ZERO, to: ONE, at, speed: ZERO }], frame: offset - this.#starts[scene + 1]! };
  }

  #transitionTo(scene: number, span: SceneSpan): PlacedScene['transition'] {
    const { scenes } = this.#file.timeline;
    const times = scenes[scene]!.transition!;
    const { start } = scenes[span.scene]!;
    const framesOf = (frames: number): number => toNumber(divide(rational(frames), this.#step));
    return { from: framesOf(times.from - start), frames: framesOf(times.frames) };
  }

  #placeScene(
    scene: number,
    neighbour: ShownScene['neighbour'],
    { map, frame }: SceneTime,
    ranges: readonly FrameRange[],
    transition: PlacedScene['transition'],
  ): PlacedScene {
    const step = this.#step;
    const { animation } = this.#file.scenes[scene]!;
    const timeAt = sceneTimes({ map, frame, animation, step });
    const frames = ranges.flatMap((range) => edgesOf(range, map, { frame, step }));
    const timeOf = (at: number): Rational => multiply(rational(Math.max(0, frame + at)), step);
    // A scene that is awaited shows its first frame at all times.
    const [from, to] = [timeOf(ranges[0]!.first), add(timeOf(ranges.at(-1)!.end - 1), step)];
    const shownMap = clipped(map, from, to);
    const [only, second] = shownMap;
    const isStill = second === undefined && compare(only!.speed, ZERO) === 0;
    return {
      scene,
      neighbour,
      times: intervalsOf(frames.map((at) => animation.ip + timeAt(at))),
      shown: isStill
        ? { frame: 0, map: timeMapJson([{ from: ZERO, to: ONE, at: only!.at, speed: ZERO }]) }
        : { frame, map: timeMapJson(shownMap) },
      sinceStart: { frame, map: timeMapJson(clipped(map, ZERO, to)) },
      transition,
    };
  }
}

/** The times of a scene, and its frame at frame 0 of a span. */
interface SceneTime {
  readonly map: TimeMap;
  readonly frame: number;
}

/**
 * Returns the frames of a range at which the time of a template may begin or stop to pass evenly, and the last frame before each: the
 * times of all other frames lie between theirs.
 *
 * @param scene its frame at frame 0, and the frames of the timeline for each frame
 */
function edgesOf({ first, end }: FrameRange, map: TimeMap, scene: { frame: number; step: Rational }): number[] {
  const edges = [first];
  const append = (frame: number): void => {
    if (frame > edges.at(-1)! && frame < end) edges.push(frame);
  };
  for (const { to } of map) {
    const bound = ceiling(divide(to, scene.step)) - scene.frame;
    append(bound - 1);
    append(bound);
  }
  append(end - 1);
  return edges;
}

/** Layers that are shown a little later than at a whole frame, see `timeRemap`. */
const LATER = 1 / 64;

/** Returns the intervals of the template's time that some frames show. */
function intervalsOf(times: readonly number[]): Times[] {
  const intervals: { from: number; to: number }[] = [];
  for (const time of times) {
    const last = intervals.at(-1);
    if (last !== undefined && time + LATER >= last.to) last.to = time + LATER;
    else intervals.push({ from: time, to: time + LATER });
  }
  return intervals;
}

/** Returns the part of a map from a time up to another; of a map that has ended, its last speed. */
function clipped(map: TimeMap, from: Rational, to: Rational): TimeMap {
  const last = map.at(-1)!;
  return map.flatMap((piece) => {
    const start = compare(piece.from, from) < 0 ? from : piece.from;
    const end = piece !== last && compare(piece.to, to) < 0 ? piece.to : to;
    if (compare(start, end) >= 0) return [];
    return [{ ...piece, from: start, to: end, at: add(piece.at, multiply(subtract(start, piece.from), piece.speed)) }];
  });
}
