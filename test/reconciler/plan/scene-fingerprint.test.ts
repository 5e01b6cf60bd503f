import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SceneSpec, Transition } from '../../../src/contract/video-spec.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { Source, Video } from '../../../src/reconciler/definition/video.ts';
import { desiredScenes, FACTS, type SceneParts, scene, sceneVideo } from './scene-videos.ts';
import { text, track, type VideoParts } from './videos.ts';

const fade: Transition = { type: 'fade', duration: 0.4 };
const of = (scenes: readonly SceneSpec<Source>[], parts: VideoParts = {}): string =>
  desiredScenes(sceneVideo('a', scenes, parts)).fingerprint;
const pair = (parts: SceneParts): string => of([scene('intro'), scene('loop', parts)]);
const only = (parts: SceneParts = {}, video: VideoParts = {}): string => of([scene('loop', parts)], video);

describe('the fingerprint of scenes', () => {
  test('is the digest of the canonical JSON written out here', () => {
    const transition = '{"color":"000000","direction":"left","duration":0.4,"easing":"ease-in-out","type":"fade"}';
    const content =
      '{"rate":30,"render_epoch":1,"scenes":[{"resources":{"t_01":{"text":"intro"}},"style_version":"tsv_intro"},' +
      '{"duration":7,"resources":{"t_01":{"text":"loop"}},"style_version":"tsv_loop",' +
      `"timing":[{"from":30,"kind":"loop","max":null,"min":60,"to":90}],"transition":${transition}}],` +
      '"service":"embedded","size":[1920,1080]}';
    expect(pair({ duration: 7, transition: fade })).toBe(`v1:${sha256(content)}`);
  });

  test('of a list of one scene is that of the template', () => {
    const plain =
      '{"render_epoch":1,"resources":{"t_01":{"text":"loop"}},"service":"embedded","style_version":"tsv_loop"}';
    expect(only()).toBe(`v1:${sha256(plain)}`);
    expect(only({ id: 'other' })).toBe(only());
  });

  const repeated: [string, SceneParts, VideoParts?][] = [
    ['the natural seconds', { duration: 5 }],
    ['seconds within half a frame of them', { duration: 5.001 }],
    ['the natural seconds of the video', {}, { duration: 5 }],
    ['a scene that fills its natural length', { duration: 'fill' }, { duration: 5 }],
    ['a transition of the first scene', { transition: fade }],
    ['a fit of the same shape', { fit: 'contain' }],
    ['the default fit', { fit: 'cover' }],
    ['a black background', { background: '000000' }],
    ['a permission that is not needed', { shorten: 'speed', duration: 5 }],
    ['the size of the template', {}, { size: [1920, 1080] }],
    ['the rate of the template', {}, { rate: 30 }],
  ];
  test.each(repeated)('ignores %s', (_, parts, video) => expect(only(parts, video)).toBe(only()));

  const equal: [string, SceneParts, SceneParts][] = [
    ['a content wish without limits', { duration: 'content' }, { duration: { content: true, min: 0 } }],
    ['the tail that is the default', { duration: 'content' }, { duration: { content: true, tail: 'exit' } }],
    ['the easing that is the default', { transition: fade }, { transition: { ...fade, easing: 'ease-in-out' } }],
    ['the colour of a fade', { transition: fade }, { transition: { ...fade, color: 'FFFFFF', direction: 'up' } }],
    ['names of tracks', { audio: { voice: track('1.mp3') } }, { audio: { line: track('1.mp3') } }],
    ['ids', {}, { id: 'product/lamp' }],
  ];
  test.each(equal)('ignores %s', (_, a, b) => expect(pair(a)).toBe(pair(b)));

  test('has the captions of the video and of its scenes, without defaults and names', () => {
    const cues = [{ start: 0.5, end: 2, text: 'Light' }];
    const captions = { cues, style: { size: 5.5, color: '#FFFFFF', weight: 700 } };
    const plain = '{"cues":[{"end":2,"start":0.5,"text":"Light"}],"style":{"weight":700}}';
    const resources = '"resources":{"t_01":{"text":"loop"}}';
    const content = `{"captions":${plain},"render_epoch":1,${resources},"service":"embedded","style_version":"tsv_loop"}`;
    expect(only({}, { captions })).toBe(`v1:${sha256(content)}`);
    expect(pair({ captions })).not.toBe(pair({}));
    expect(only({}, { captions: { cues } })).toBe(only());
  });

  test('has the epoch of captions only with captions', () => {
    const captions = { cues: [{ start: 0, end: 1, text: 'Light' }], embed: true } as const;
    const at = (parts: VideoParts, captionsEpoch: number) =>
      desiredScenes(sceneVideo('a', [scene('loop')], parts), { captionsEpoch }).fingerprint;
    expect(at({}, 1)).toBe(at({}, 0));
    expect(at({ captions }, 0)).toBe(of([scene('loop')], { captions }));
    expect(at({ captions }, 1)).not.toBe(at({ captions }, 0));
  });

  test('ignores the duration that the lengths add up to', () => {
    const scenes = [scene('intro'), scene('loop')];
    expect(of(scenes, { duration: 10 })).toBe(of(scenes));
    const filled = [scene('intro'), scene('loop', { duration: 'fill' })];
    expect(of(filled, { duration: 12 })).not.toBe(of(filled, { duration: 13 }));
  });

  const changed: SceneParts[] = [
    {},
    { duration: 7 },
    { duration: 'content' },
    { duration: { content: true, tail: 1 } },
    { duration: { content: true, max: 9 } },
    { transition: fade },
    { transition: { ...fade, at: 'before' } },
    { transition: { ...fade, duration: 0.5 } },
    { transition: { ...fade, easing: 'linear' } },
    { transition: { type: 'slide', duration: 0.4 } },
    { transition: { type: 'slide', duration: 0.4, direction: 'up' } },
    { transition: { type: 'dip', duration: 0.4 } },
    { transition: { type: 'dip', duration: 0.4, color: 'FFFFFF' } },
    { background: 'FFFFFF' },
    { duration: 4, shorten: 'cut' },
    { duration: 4, shorten: 'speed' },
    { resources: { t_01: text('Bye') } },
    { audio: { voice: track('1.mp3') } },
    { audio: { voice: track('2.mp3') } },
    { audio: { voice: track('1.mp3', { volume: 0.5 }) } },
    { fonts: new Map([['A', 'B']]) },
    { template: 'card' },
  ];
  test('changes with each value and each placement', () => {
    const fingerprints = changed.map(pair);
    expect(new Set(fingerprints).size).toBe(changed.length);
    const tall = (parts: SceneParts) => of([scene('intro'), scene('tall', { fit: 'cover', ...parts })]);
    expect(tall({ fit: 'contain' })).not.toBe(tall({}));
    const scenes = [scene('intro'), scene('loop')];
    const videos: VideoParts[] = [{}, { size: [1280, 720] }, { rate: 25 }, { audio: new Map([['a', track('1.mp3')]]) }];
    expect(new Set(videos.map((parts) => of(scenes, parts))).size).toBe(videos.length);
  });

  test('has the places of a template only where a length is set', () => {
    const renamed = { ...FACTS, loop: { ...FACTS.loop!, timing: [{ loop: [30, 91] as const }] } };
    const withFacts = (parts: SceneParts, facts = FACTS) =>
      desiredScenes(sceneVideo('a', [scene('intro'), scene('loop', parts)]), { facts }).fingerprint;
    expect(withFacts({}, renamed)).toBe(withFacts({}));
    expect(withFacts({ duration: 7 }, renamed)).not.toBe(withFacts({ duration: 7 }));
    const explicit = { ...FACTS, card: { ...FACTS.card!, timing: [{ hold: 93 }] } };
    const card = (facts = FACTS) =>
      desiredScenes(sceneVideo('a', [scene('card', { duration: 6 })]), { facts }).fingerprint;
    expect(card(explicit)).toBe(card());
  });

  test('has no resolved length', () => {
    const video = sceneVideo('a', [
      scene('intro'),
      scene('card', { duration: 'content', audio: { v: track('6.3.mp3') } }),
    ]);
    const { fingerprint, measures, times } = desiredScenes(video);
    expect(measures).toEqual({ width: 1920, height: 1080, rate: 30, frames: 150 + 204 });
    expect(times?.map(({ start, length }) => [start, length])).toEqual([
      [0, 150],
      [150, 204],
    ]);
    expect(desiredScenes(video, { measures: null, times: [] }).fingerprint).toBe(fingerprint);
  });

  test('has the timeline epoch if it is not 0, and only with a timeline', () => {
    const several = sceneVideo('a', [scene('intro'), scene('loop')]);
    const at = (video: Video, timelineEpoch: number) => desiredScenes(video, { timelineEpoch }).fingerprint;
    expect(at(several, 0)).toBe(desiredScenes(several).fingerprint);
    expect(at(several, 1)).not.toBe(at(several, 0));
    const single = sceneVideo('a', [scene('loop', { duration: 5 })]);
    expect(at(single, 1)).toBe(at(single, 0));
  });

  const anyScene = fc
    .record({
      name: fc.constantFrom('intro', 'card', 'loop'),
      text: fc.constantFrom('a', 'b'),
      duration: fc.constantFrom(undefined, 8, 9.5),
      transition: fc.constantFrom(undefined, fade, { ...fade, type: 'push' as const }),
    })
    .map(({ name, text: words, duration, transition }) => ({ name, words, duration, transition }));

  test('is equal exactly for the same scenes in the same order', () => {
    const build = (
      list: { name: string; words: string; duration?: number | undefined; transition?: Transition | undefined }[],
      ids: string,
    ) =>
      of(
        list.map(({ name, words, duration, transition }, index) =>
          scene(name, {
            id: `${ids}${index}`,
            resources: { t_01: text(words) },
            ...(duration !== undefined && { duration }),
            ...(transition !== undefined && { transition }),
          }),
        ),
      );
    const key = (list: object[]) =>
      JSON.stringify(list.map((item, index) => (index === 0 ? { ...item, transition: undefined } : item)));
    const lists = fc.array(anyScene, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(lists, lists, (a, b) => {
        expect(build(a, 'x') === build(b, 'y')).toBe(key(a) === key(b));
        expect(build(a, 'x')).toBe(build(a, 'z'));
      }),
      { numRuns: 300 },
    );
  });
});
