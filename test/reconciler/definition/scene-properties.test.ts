import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/full-run.ts';
import { resolveScenes } from '../../support/resolve-scenes.ts';

const TEMPLATE = fc.constantFrom('intro', 'card', 'loop', 'plain', 'still', 'film', 'tall', 'lost');
const SECONDS = fc.constantFrom(0, 0.01, 2, 4.5, 6, 9, 2000);
const duration = fc.oneof(
  SECONDS,
  fc.constantFrom('content', 'fill', '${n}', 'long'),
  fc.record(
    { content: fc.constant(true), min: SECONDS, max: SECONDS, tail: fc.constantFrom(1, 'exit', 'x') },
    { requiredKeys: [] },
  ),
);
const transition = fc.oneof(
  fc.constantFrom('cut', 'fade'),
  fc.record(
    {
      type: fc.constantFrom('cut', 'fade', 'dip', 'slide', 'x'),
      duration: SECONDS,
      at: fc.constant('before'),
      color: fc.constant('ff0000'),
    },
    { requiredKeys: ['type'] },
  ),
);
const scene = fc.record(
  {
    template: TEMPLATE,
    id: fc.constantFrom('a', 'b', 'B', 'audio', 'a b', '${n}'),
    resources: fc.constantFrom(
      {},
      { t_01: 'x' },
      { t_01: '${n}' },
      { t_01: { source: { text: 'x' }, when: '${n}' } },
      { no: 1 },
    ),
    audio: fc.constantFrom({ voice: 'a.mp3' }, { voice: { source: 'a.mp3', loop: true, when: 'no' } }, []),
    duration,
    transition,
    fit: fc.constantFrom('cover', 'x'),
    when: fc.constantFrom('yes', 'no', '${n}', { n: ['1', '2'] }, { x: 'y' }),
    each: fc.constantFrom(
      { from: 'data/rows.csv', id: '${n}' },
      { from: [{ n: 'p' }], where: { n: 'p' }, id: '${n}' },
      { from: [] },
    ),
    extends: fc.constantFrom('./_scene.yaml', './_lost.yaml'),
  },
  { requiredKeys: ['template'] },
);
const hostile = fc.record(
  {
    scenes: fc.oneof(fc.array(scene, { maxLength: 5 }), fc.dictionary(fc.constantFrom('a', 'intro'), scene)),
    title: fc.constant('A'),
    duration,
    transition,
    rate: fc.constantFrom(24, 29.97, 'x'),
    size: fc.constantFrom([1280, 720], [1]),
    when: fc.constantFrom('yes', '${n}', { n: '1' }),
    each: fc.constant({ from: 'data/rows.csv', id: '${n}' }),
    resources: fc.constantFrom({ t_01: 'shared' }, { logo: 'a.png' }),
    poster: fc.constantFrom('a.stillcut_01', 'stillcut_01', 'x'),
    extends: fc.constant('./_base.yaml'),
  },
  { requiredKeys: ['scenes', 'title'] },
);
/** Definitions that mostly give a video. */
const mild = fc.record(
  {
    title: fc.constant('A'),
    scenes: fc
      .array(
        fc.record(
          {
            template: fc.constantFrom('plain', 'loop', 'film'),
            duration: fc.constantFrom(6, 7.5, 'content', { content: true, max: 8 }),
            transition: fc.constantFrom('cut', { type: 'fade', duration: 0.5 }),
            audio: fc.constantFrom({ voice: 'a.mp3' }, { voice: { source: 'a.mp3', when: 'no' } }),
            when: fc.constantFrom('yes', 'no'),
            each: fc.constant({ from: 'data/rows.csv', where: { n: '2' }, id: '${n}' }),
          },
          { requiredKeys: ['template'] },
        ),
        { minLength: 1, maxLength: 4 },
      )
      .map((scenes) => scenes.map((made, index) => ({ ...made, id: `s${index}` }))),
    resources: fc.constant({ t_01: 'shared' }),
    rate: fc.constantFrom(24, 29.97),
    transition: fc.constant({ type: 'dip', duration: 1 }),
    each: fc.constant({ from: 'data/rows.csv', id: '${n}' }),
  },
  { requiredKeys: ['scenes', 'title'] },
);
const definition = fc.oneof(hostile, mild);
const OTHERS = {
  'data/rows.csv': 'n\n1\n2\n',
  'videos/_scene.yaml': 'resources: {t_01: Fragment}\n',
  'videos/_base.yaml': 'scenes: [{template: intro, resources: {t_01: x}}, {id: a, template: plain}]\n',
};

/** Returns the same value with the keys of its maps in reverse. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

const resolve = (written: unknown) => resolveScenes({ 'videos/a.yaml': JSON.stringify(written), ...OTHERS });

const videosOf = (videos: ReturnType<typeof resolve>['videos']) =>
  videos.map(({ video }) => ({ ...video, filteredScenes: video.filteredScenes?.() }));

describe('random lists of scenes', () => {
  it('give videos or located errors, which do not depend on the order of keys', () => {
    let valid = 0;
    fc.assert(
      fc.property(definition, (written) => {
        const { videos, invalid, leftOut, diagnostics } = resolve(written);
        const errors = diagnostics.filter(({ severity }) => severity === 'error');
        expect(invalid.length > 0).toBe(errors.length > 0);
        expect(diagnostics.every(({ at }) => at !== undefined)).toBe(true);
        const found = videosOf(videos);
        valid += found.length > 0 ? 1 : 0;
        for (const { scenes, filteredScenes = [] } of found) {
          const ids = scenes.map(({ id }) => id.toLowerCase());
          expect(new Set(ids).size).toBe(ids.length);
          expect(scenes.length).toBeGreaterThan(0);
          expect(filteredScenes.filter(({ id }) => ids.includes(id.toLowerCase()))).toEqual([]);
        }
        const other = resolve(reversed(written));
        expect(videosOf(other.videos)).toEqual(found);
        expect(other.leftOut).toEqual(leftOut);
        const codes = (all: typeof diagnostics): string[] =>
          all.map(({ code, message }) => `${code} ${message}`).sort();
        expect(codes(other.diagnostics)).toEqual(codes(diagnostics));
      }),
      { numRuns: runs(1000) },
    );
    expect(valid, 'definitions that give a video').toBeGreaterThan(0);
  });
});
