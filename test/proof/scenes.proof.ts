import fc from 'fast-check';
import { expect, test } from 'vitest';
import { frameRateOf } from '../../src/contract/timeline/frame-rate.ts';
import { ceiling, divide, multiply, nearest, rational, rationalRate } from '../../src/contract/timeline/rational.ts';
import { checkInput } from '../../src/engine/check-input.ts';
import { sceneSpans, sceneStarts } from '../../src/engine/scenes/scene-spans.ts';
import { drawingsOf, segmentKeysOf } from '../../src/engine/segments/drawings.ts';
import type { RenderedSegment } from '../../src/engine/segments/rendered-segment.ts';
import { segmentRanges } from '../../src/engine/segments/segment.ts';
import type { RenderInput, ScenesInput, VideoInput } from '../../src/template/render-input.ts';
import { inputOf, placed, rectangleLayer } from '../engine/inputs.ts';
import { joinSegments, renderFile, renderSegments } from '../support/in-memory.ts';
import { count, tell } from '../support/proof.ts';
import { sceneVideo, type TestScene, type TestVideo } from '../support/scene-videos.ts';
import { drawFrames } from '../support/segment-frames.ts';

const RATES = [24, 25, 29.97, 30, 60];
const SILENCE = { track: null, findings: [] };

interface Template {
  readonly rate: number;
  readonly frames: number;
  readonly color: readonly [number, number, number];
  /** Size of the picture; others than 32 × 18 need `fit`. */
  readonly side: readonly [number, number];
}

/** A square that crosses the picture, one that appears in the middle, and a composition that repeats both. */
function templateInput({ rate, frames, color, side: [width, height] }: Template): RenderInput {
  const ease = { o: { x: 0.3, y: 0 }, i: { x: 0.7, y: 1 } };
  const keys = [
    { t: 0, s: [0, 4, 0], ...ease },
    { t: frames, s: [width - 6, 6, 0] },
  ];
  const crossing = rectangleLayer(1, [0, 0, 8, 8], color, { ks: placed(0, 0, { p: { a: 1, k: keys } }) });
  const appearing = rectangleLayer(2, [2, 2, 5, 9], [1, 1, 1], { ip: frames / 2, op: frames });
  const repeated = { ty: 0, ind: 3, refId: 'both', w: width, h: height, ip: 1, op: frames, st: 1, ks: placed(6, 3) };
  const behind = rectangleLayer(4, [0, 0, width, height - 4], [0.1, 0.2, 0.3]);
  const assets = [{ id: 'both', w: width, h: height, layers: [crossing, appearing] }];
  return inputOf([crossing, appearing, repeated, behind], {
    ...{ width, height, fps: rate, frameCount: frames },
    document: { assets },
  });
}

/** A scene as plain values, so that mutations can change them. */
interface ScenePlan extends Template {
  /** Length in frames at 30 frames per second; null for the natural length. */
  readonly length: number | null;
  readonly loops: boolean;
  readonly transition: null | {
    readonly type: 'fade' | 'dip' | 'slide' | 'push' | 'wipe' | 'iris' | 'zoom';
    readonly frames: number;
    readonly isBefore: boolean;
    readonly easing: 'linear' | 'ease-in-out';
    readonly direction: 'left' | 'up';
    readonly color: '#ffffff' | '#ff0000';
  };
  readonly fit: 'cover' | 'contain';
  readonly background: '#000000' | '#00ff00';
}

interface VideoPlan {
  readonly scenes: readonly ScenePlan[];
  /** Of the output. */
  readonly fps: number;
}

const color = fc.constantFrom<ScenePlan['color'][]>([1, 0, 0], [0, 1, 0], [0, 0.4, 1], [1, 1, 0]);
const transition = fc.record({
  type: fc.constantFrom('fade', 'dip', 'slide', 'push', 'wipe', 'iris', 'zoom'),
  frames: fc.integer({ min: 1, max: 8 }),
  isBefore: fc.boolean(),
  easing: fc.constantFrom('linear', 'ease-in-out'),
  direction: fc.constantFrom('left', 'up'),
  color: fc.constantFrom('#ffffff', '#ff0000'),
}) as fc.Arbitrary<NonNullable<ScenePlan['transition']>>;

function scenePlan(rates: readonly number[]): fc.Arbitrary<ScenePlan> {
  return fc.record({
    rate: fc.constantFrom(...rates),
    frames: fc.integer({ min: 16, max: 40 }),
    color,
    side: fc.oneof(
      { weight: 4, arbitrary: fc.constant([32, 18] as const) },
      fc.constantFrom([64, 36] as const, [20, 20] as const),
    ),
    length: fc.option(fc.integer({ min: 60, max: 110 }), { nil: null, freq: 2 }),
    loops: fc.boolean(),
    transition: fc.option(transition, { nil: null }),
    fit: fc.constantFrom('cover', 'contain'),
    background: fc.oneof({ weight: 4, arbitrary: fc.constant('#000000' as const) }, fc.constant('#00ff00' as const)),
  }) as fc.Arbitrary<ScenePlan>;
}

function videoPlan(rates: readonly number[], scenes: number): fc.Arbitrary<VideoPlan> {
  return fc.record({
    scenes: fc.array(scenePlan(rates), { minLength: 1, maxLength: scenes }),
    fps: fc.constantFrom(...rates),
  });
}

function sceneOf(plan: ScenePlan, index: number): TestScene {
  const { transition: how, length, loops, frames } = plan;
  return {
    id: `s${index}`,
    of: templateInput(plan),
    ...(length === null ? {} : { duration: length / 30 }),
    // A loop of the middle, and a hold for lengths that it cannot have.
    ...(loops ? { timing: [{ loop: [4, 12] }, { hold: frames - 1 }] as never } : { timing: [{ hold: 9 }] as never }),
    fit: plan.fit,
    background: plan.background,
    ...(how === null
      ? {}
      : {
          transition: {
            ...{
              type: how.type,
              duration: how.frames / 30,
              easing: how.easing,
              direction: how.direction,
              color: how.color,
            },
            ...(how.isBefore ? { at: 'before' as const } : {}),
          },
        }),
  };
}

/** @returns null for scenes that are no timeline, for instance because a transition is longer than what is left of a scene */
function videoOf({ scenes, fps }: VideoPlan, options: TestVideo = {}): ScenesInput | null {
  try {
    const video = sceneVideo(scenes.map(sceneOf), { size: [32, 18], rate: scenes[0]!.rate, fps, ...options });
    checkInput(video);
    return video;
  } catch {
    return null;
  }
}

/** Draws frames of a video as a render of segments does. */
async function drawRange(video: VideoInput, range: { first: number; end: number }): Promise<Buffer[]> {
  const frames: Buffer[] = [];
  for (const { renderInput, ranges, span } of drawingsOf(video, [range])) {
    for (const { first, end } of ranges) {
      const drawn = await drawFrames(renderInput, { first: first - span.offset, end: end - span.offset });
      frames.push(...drawn.values());
    }
  }
  return frames;
}

test('random lists of scenes have the lengths and starts of their timeline, and show each scene as if it were drawn alone', async () => {
  const figures = { frames: 0, alone: 0, wrong: 0, retimed: 0 };
  const runs = count(2_000, 40);
  await fc.assert(
    fc.asyncProperty(videoPlan(RATES, 4), async (plan) => {
      const video = videoOf(plan);
      fc.pre(video !== null);
      const { timeline, fps, frameCount } = video;
      const ratio = divide(rationalRate(frameRateOf(fps)), rationalRate(timeline.rate));
      expect(frameCount).toBe(Math.max(1, nearest(multiply(rational(timeline.frames), ratio))));
      const starts = sceneStarts(video);
      for (const [index, { start }] of timeline.scenes.entries()) {
        expect(starts[index]).toBe(Math.min(frameCount, ceiling(multiply(rational(start), ratio))));
      }
      const spans = sceneSpans(video);
      expect(spans.reduce((sum, { first, end }) => sum + end - first, 0)).toBe(frameCount);
      figures.frames += frameCount;
      for (const { first, end, scene, offset, neighbour } of spans) {
        if (neighbour !== 0) continue;
        const { length } = timeline.scenes[scene]!;
        const { length: planned, side, background, fit } = plan.scenes[scene]!;
        const isOwn = planned === null && side[0] * 18 === side[1] * 32 && background === '#000000';
        const alone = isOwn
          ? { ...templateInput(plan.scenes[scene]!), width: 32, height: 18, fps, frameCount: end - offset }
          : sceneVideo(
              [
                {
                  ...sceneOf({ ...plan.scenes[scene]!, transition: null }, 0),
                  duration: (length * timeline.rate.denominator) / timeline.rate.numerator,
                  fit,
                },
              ],
              {
                ...{ size: [32, 18], rate: plan.scenes[0]!.rate, fps },
              },
            );
        const range = { first: first - offset, end: Math.min(end - offset, alone.frameCount) };
        const [drawn, expected] = [
          await drawRange(video, { first, end: offset + range.end }),
          await drawRange(alone, range),
        ];
        figures.alone += drawn.length;
        if (!isOwn) figures.retimed += drawn.length;
        const differing = drawn.flatMap((frame, at) => (frame.equals(expected[at]!) ? [] : [at]));
        figures.wrong += differing.length;
        expect(differing).toEqual([]);
      }
    }),
    { numRuns: runs },
  );
  const { frames, alone, retimed, wrong } = figures;
  tell(
    `${runs} lists of scenes: ${frames} frames, ${alone} outside transitions (${retimed} of retimed or fitted scenes), ${wrong} differ from the scene alone`,
  );
});

type Mutation = (plan: VideoPlan) => VideoPlan;

function changed(plan: VideoPlan, at: number, change: (scene: ScenePlan) => Partial<ScenePlan>): VideoPlan {
  const index = at % plan.scenes.length;
  return { ...plan, scenes: plan.scenes.map((scene, i) => (i === index ? { ...scene, ...change(scene) } : scene)) };
}

const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(fc.nat(), scenePlan([10]), fc.nat(12))
  .map(([at, scene, kind]): Mutation => {
    const swapped: Record<number, keyof ScenePlan> = {
      0: 'color',
      1: 'length',
      2: 'transition',
      3: 'fit',
      4: 'background',
      5: 'frames',
      6: 'side',
      7: 'loops',
    };
    const field = swapped[kind];
    if (field !== undefined) return (plan) => changed(plan, at, () => ({ [field]: scene[field] }));
    if (kind === 8) return (plan) => ({ ...plan, scenes: [scene, ...plan.scenes] });
    if (kind === 9) return (plan) => ({ ...plan, scenes: plan.scenes.toReversed() });
    if (kind === 10) return (plan) => ({ ...plan, scenes: [...plan.scenes, scene] });
    if (kind === 11)
      return (plan) =>
        changed(plan, at, ({ transition: how }) => ({
          transition: how && { ...how, direction: 'up', easing: 'linear' },
        }));
    return (plan) =>
      changed(plan, at, ({ transition: how }) => ({ transition: how && { ...how, isBefore: !how.isBefore } }));
  });

/** Each shows its figures when it ends. Of them, several can run side by side: `-t "part 3"`. */
const PARTS = Array.from({ length: count(10, 1) }, (_, index) => index + 1);

test.each(PARTS)('segments with equal keys are equal, whichever scenes surround them, part %i', async () => {
  const runs = count(500, 40);
  const figures = { segments: 0, reused: 0, wrong: 0 };
  await fc.assert(
    fc.asyncProperty(videoPlan([10], 4), mutation, async (plan, mutate) => {
      const [video, mutated] = [videoOf({ ...plan, fps: 10 }), videoOf({ ...mutate(plan), fps: 10 })];
      fc.pre(video !== null && mutated !== null);
      const [keysOf, mutatedKeysOf] = [video, mutated].map((of) => segmentKeysOf(of, [of.output], 'test'));
      const known = new Map(segmentRanges(video).map((range) => [keysOf!(range)[0], range]));
      for (const range of segmentRanges(mutated)) {
        figures.segments += 1;
        const same = known.get(mutatedKeysOf!(range)[0]);
        if (same === undefined) continue;
        figures.reused += 1;
        const [frames, others] = [await drawRange(mutated, range), await drawRange(video, same)];
        const isEqual = frames.length === others.length && frames.every((frame, at) => frame.equals(others[at]!));
        if (!isEqual) figures.wrong += 1;
        expect(isEqual).toBe(true);
      }
    }),
    { numRuns: runs },
  );
  const { segments, reused, wrong } = figures;
  tell(`${runs} videos of scenes and a mutation of each: ${segments} segments, ${reused} reused, ${wrong} wrong`);
});

test('a video joined from reused segments has the bytes of one that is rendered whole', async () => {
  const runs = count(200, 4);
  let reused = 0;
  await fc.assert(
    fc.asyncProperty(videoPlan([10], 3), mutation, async (plan, mutate) => {
      const [video, mutated] = [videoOf({ ...plan, fps: 10 }), videoOf({ ...mutate(plan), fps: 10 })];
      fc.pre(video !== null && mutated !== null);
      const [keysOf, mutatedKeysOf] = [video, mutated].map((of) => segmentKeysOf(of, [of.output], 'test'));
      const known = new Map(segmentRanges(video).map((range) => [keysOf!(range)[0], range]));
      const segments: RenderedSegment[] = [];
      for (const range of segmentRanges(mutated)) {
        const same = known.get(mutatedKeysOf!(range)[0]);
        if (same !== undefined) reused += 1;
        const [segment] = await renderSegments(same === undefined ? mutated : video, [same ?? range]);
        segments.push({ ...segment!, ...range });
      }
      const [joined, whole] = [await joinSegments(mutated, segments, SILENCE), await renderFile(mutated)];
      expect(Buffer.compare(joined.video, whole.video)).toBe(0);
    }),
    { numRuns: runs },
  );
  tell(`${runs} videos joined from segments, ${reused} of them reused, equal those rendered whole`);
});
