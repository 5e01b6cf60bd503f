import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkPlaces, type Place, placesOf } from '../../../src/contract/timeline/place.ts';
import {
  add,
  compare,
  multiply,
  ONE,
  type Rational,
  rational,
  subtract,
  toNumber,
} from '../../../src/contract/timeline/rational.ts';
import { resolveTimeline } from '../../../src/contract/timeline/resolve-timeline.ts';
import { framesShowing, type TimeMap, templateTimeAt } from '../../../src/contract/timeline/time-map.ts';
import type { SceneInput, TemplateFacts, TimelineInput } from '../../../src/contract/timeline/timeline.ts';
import { runs } from '../../support/full-run.ts';
import { timelineJson } from './timeline-json.ts';

const rates = fc.constantFrom(24, 25, 29.97, 30, 60);

/** Places between ascending cuts of the template, in any order of priority. */
function placesWithin(frames: number): fc.Arbitrary<Place[]> {
  const cuts = fc.uniqueArray(fc.integer({ min: 0, max: frames }), { minLength: 2, maxLength: 7 });
  const place = (from: number, to: number): fc.Arbitrary<Place> => {
    const natural = to - from;
    const max = fc.option(fc.integer({ min: natural, max: 4 * natural }), { nil: undefined });
    return fc.oneof(
      fc
        .option(fc.integer({ min: 0, max: 300 }), { nil: undefined })
        .map((most) => ({ hold: from, ...limit({ max: most }) })),
      max.map((most) => ({ loop: [from, to] as const, ...limit({ max: most }) })),
      fc
        .tuple(fc.option(fc.integer({ min: 1, max: natural }), { nil: undefined }), max)
        .map(([min, most]) => ({ stretch: [from, to] as const, ...limit({ min, max: most }) })),
    );
  };
  return cuts
    .map((times) => [...times].sort((a, b) => a - b))
    .chain((times) => fc.tuple(...times.slice(1).map((to, index) => place(times[index]!, to))))
    .chain((places) => fc.shuffledSubarray(places, { minLength: 0 }))
    .filter((places) => checkPlaces(places, frames).length === 0);
}

function limit(limits: { min?: number | undefined; max?: number | undefined }): { min?: number; max?: number } {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}

const templates: fc.Arbitrary<TemplateFacts> = fc
  .record({ rate: rates, frames: fc.integer({ min: 2, max: 400 }) })
  .chain(({ rate, frames }) =>
    fc.record({
      width: fc.constant(1920),
      height: fc.constant(1080),
      rate: fc.constant(rate),
      frames: fc.constant(frames),
      stillcuts: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 0, max: frames - 1 })),
      timing: placesWithin(frames),
    }),
  );

const scenes: fc.Arbitrary<Omit<SceneInput, 'id'>> = fc.record(
  {
    template: fc.constantFrom('one', 'two', 'three'),
    duration: fc.oneof(fc.double({ min: 0.1, max: 30, noNaN: true }), fc.constant('content' as const)),
    content: fc.array(
      fc.record({
        name: fc.constant('voice'),
        samples: fc.integer({ min: 0, max: 900_000 }),
        rate: fc.constant(44_100),
      }),
      { maxLength: 2 },
    ),
    shorten: fc.constantFrom('cut' as const, 'speed' as const),
    left_out: fc.boolean(),
  },
  { requiredKeys: ['template'] },
);

const inputs: fc.Arbitrary<TimelineInput> = fc
  .record({
    templates: fc.record({ one: templates, two: templates, three: templates }),
    scenes: fc.array(scenes, { minLength: 1, maxLength: 12 }),
    transition: fc.record({ type: fc.constant('fade'), duration: fc.double({ min: 0.05, max: 3, noNaN: true }) }),
  })
  .map((input) => ({ ...input, scenes: input.scenes.map((scene, index) => ({ ...scene, id: `s${index}` })) }));

/** Runs a check on all inputs that have a timeline. Scenes that are too short or too long lose their length first. */
function assertTimelines(check: (timeline: Resolved, input: TimelineInput) => void): void {
  let resolved = 0;
  fc.assert(
    fc.property(inputs, (input) => {
      const wrong = new Set(resolveTimeline(input).findings.map(({ scene }) => scene));
      const scenes = input.scenes.map(({ duration, ...scene }) =>
        duration === undefined || wrong.has(scene.id) ? scene : { ...scene, duration },
      );
      const possible = { ...input, scenes };
      const { timeline } = resolveTimeline(possible);
      if (timeline === null) return;
      resolved++;
      check(timeline, possible);
    }),
    { numRuns: runs(2000) },
  );
  expect(resolved).toBeGreaterThan(runs(2000) / 2);
}
type Resolved = NonNullable<ReturnType<typeof resolveTimeline>['timeline']>;

describe('every timeline', () => {
  it('has scenes that follow each other, and their sum as its length', () => {
    assertTimelines((timeline) => {
      let start = 0;
      for (const scene of timeline.scenes) {
        expect(scene.start).toBe(start);
        expect(scene.length).toBeGreaterThan(0);
        start += scene.length;
      }
      expect(timeline.frames).toBe(start);
    });
  });

  it('has maps that cover their scene and stay inside the template', () => {
    assertTimelines((timeline, { templates: facts }) => {
      for (const { map, length, template } of timeline.scenes) {
        const frames = rational(facts[template]!.frames);
        expect(map[0]!.from).toEqual(rational(0));
        expect(map.at(-1)!.to).toEqual(rational(length));
        for (const [index, { from, to }] of map.entries()) {
          expect(compare(from, to)).toBeLessThan(0);
          if (index > 0) expect(from).toEqual(map[index - 1]!.to);
        }
        for (const time of [0, length - 1]) {
          const shown = templateTimeAt(map, rational(time));
          expect(compare(shown, rational(0))).toBeGreaterThanOrEqual(0);
          expect(compare(shown, frames)).toBeLessThan(0);
        }
      }
    });
  });

  it('goes forward except from one pass of a loop to the next', () => {
    assertTimelines((timeline) => {
      for (const { map, why } of timeline.scenes) {
        const loops = why.places.filter(({ kind }) => kind === 'loop');
        const jumpsBack = map.filter(
          ({ from, at }, index) => index > 0 && compare(at, endOf(map, index - 1, from)) < 0,
        );
        const passes = loops.reduce((sum, { passes, held }) => sum + passes - 1 + (held > 0 ? 1 : 0), 0);
        expect(jumpsBack.length).toBeLessThanOrEqual(passes);
      }
    });
  });

  it('has places within their limits, and loops within 0.8 to 1.25', () => {
    assertTimelines((timeline, { templates: facts }) => {
      for (const { template, length, why, map } of timeline.scenes) {
        const full = facts[template]!;
        const timelineRate = timeline.rate.numerator / timeline.rate.denominator;
        const ratio = timelineRate / (full.rate === 29.97 ? 30_000 / 1001 : full.rate);
        for (const { kind, from, to, change, held } of why.places) {
          const place = placesOf(full).find(
            (candidate) => candidate.kind === kind && candidate.from === from && candidate.to === to,
          )!;
          const resulting = (to - from) * ratio + change;
          expect(resulting).toBeGreaterThanOrEqual(place.min * ratio - 1e-6);
          if (place.max !== null) expect(resulting).toBeLessThanOrEqual(place.max * ratio + 1e-6);
          if (kind === 'loop' && why.shortened === undefined) {
            const speeds = map.filter(({ at, speed }) => toNumber(at) === from && toNumber(speed) > 0);
            const pace = toNumber(speeds[0]!.speed) * ratio;
            expect(pace).toBeGreaterThanOrEqual(0.8 - 1e-9);
            expect(pace).toBeLessThanOrEqual(1.25 + 1e-9);
            expect(held).toBeLessThanOrEqual(0.36 * (to - from) * ratio + 1);
          }
        }
        const changed = why.places.reduce((sum, { change }) => sum + change, 0);
        expect(why.natural + changed - (why.shortened?.frames ?? 0)).toBe(length);
      }
    });
  });

  it('is as long as the wish in seconds', () => {
    assertTimelines((timeline, { scenes: wishes }) => {
      const rate = timeline.rate.numerator / timeline.rate.denominator;
      for (const { id, length } of timeline.scenes) {
        const wish = wishes.find((scene) => scene.id === id)!.duration;
        if (typeof wish === 'number') expect(Math.abs(length - wish * rate)).toBeLessThanOrEqual(0.5 + 1e-6);
      }
    });
  });

  it('lets every sound of a content scene end, unless a finding names it', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const { timeline, findings } = resolveTimeline(input);
        if (timeline === null) return;
        const rate = timeline.rate.numerator / timeline.rate.denominator;
        for (const { id, length } of timeline.scenes) {
          const { content = [] } = input.scenes.find((scene) => scene.id === id)!;
          const isCut = content.some(
            ({ samples, rate: samplesPerSecond }) => samples! / samplesPerSecond! > length / rate + 1e-9,
          );
          expect(findings.some(({ code, scene }) => code === 'sound_cut' && scene === id)).toBe(isCut);
        }
      }),
      { numRuns: runs(2000) },
    );
  });

  it('does not depend on transitions', () => {
    assertTimelines((timeline, { transition, ...input }) => {
      const without = resolveTimeline(input).timeline!;
      const lengths = ({ scenes: all }: Resolved): unknown => all.map(({ start, length, map }) => [start, length, map]);
      expect(lengths(without)).toEqual(lengths(timeline));
      for (const { start, length, transition: resolved } of timeline.scenes) {
        if (resolved === null) continue;
        expect(resolved.from).toBe(start);
        expect(resolved.frames).toBeLessThanOrEqual(length);
      }
    });
  });

  it('does not depend on the order of templates, content and stillcuts', () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const turned = <Value>(record: Readonly<Record<string, Value>>): Record<string, Value> =>
          Object.fromEntries(Object.entries(record).reverse());
        const templatesTurned = turned(
          Object.fromEntries(
            Object.entries(input.templates).map(([name, facts]) => [
              name,
              { ...facts, stillcuts: turned(facts.stillcuts) },
            ]),
          ),
        );
        const scenesTurned = input.scenes.map(({ content, ...scene }) =>
          content === undefined ? scene : { ...scene, content: [...content].reverse() },
        );
        const same = resolveTimeline({ ...input, templates: templatesTurned, scenes: scenesTurned });
        expect(timelineJson({ ...same, findings: [] })).toEqual(
          timelineJson({ ...resolveTimeline(input), findings: [] }),
        );
      }),
      { numRuns: runs(1000) },
    );
  });

  it('has the lengths of its scenes alone', () => {
    assertTimelines((timeline, { transition, ...input }) => {
      for (const scene of timeline.scenes) {
        const alone = resolveTimeline({
          ...input,
          rate: timeline.rate.numerator / timeline.rate.denominator,
          scenes: input.scenes.filter(({ id }) => id === scene.id),
        });
        expect(alone.timeline!.scenes[0]!.length).toBe(scene.length);
        expect(alone.timeline!.scenes[0]!.map).toEqual(scene.map);
      }
    });
  });
});

describe('framesShowing()', () => {
  const steps = fc.constantFrom(ONE, rational(5, 4), rational(1, 2), rational(1001, 1200));

  it('returns the frames whose template time is in the range, and only these', () => {
    fc.assert(
      fc.property(
        inputs,
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        steps,
        (input, a, b, step) => {
          const { timeline } = resolveTimeline(input);
          if (timeline === null) return;
          for (const { map, length, template } of timeline.scenes) {
            const { frames } = input.templates[template]!;
            const range = [Math.floor(Math.min(a, b) * frames), Math.ceil(Math.max(a, b) * frames)] as const;
            const spans = framesShowing(map, rational(range[0]), rational(range[1]), step);
            for (let frame = 0; frame * toNumber(step) < length; frame++) {
              const time = multiply(rational(frame), step);
              if (compare(time, rational(length)) >= 0) break;
              const shown = templateTimeAt(map, time);
              const isInRange = compare(shown, rational(range[0])) >= 0 && compare(shown, rational(range[1])) < 0;
              expect(spans.some(({ from, to }) => frame >= from && frame < to)).toBe(isInRange);
            }
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });
});

/** Returns the template's time at the end of a segment. */
function endOf(map: TimeMap, index: number, end: Rational): Rational {
  const { from, at, speed } = map[index]!;
  return add(at, multiply(subtract(end, from), speed));
}
