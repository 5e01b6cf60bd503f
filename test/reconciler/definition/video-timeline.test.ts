import { describe, expect, it } from 'vitest';
import { rational } from '../../../src/contract/timeline/rational.ts';
import type { SoundLengths } from '../../../src/contract/video-measures.ts';
import type { SceneSpec, SpecSound } from '../../../src/contract/video-spec.ts';
import type { Source } from '../../../src/reconciler/definition/video.ts';
import {
  type TimelineTemplate,
  type TimelineVideo,
  timelineOf,
} from '../../../src/reconciler/definition/video-timeline.ts';

const template = (facts: Partial<TimelineTemplate> = {}): TimelineTemplate => ({
  width: 1920,
  height: 1080,
  fps: 30,
  frameCount: 120,
  stills: [],
  spec: { id: 'x', editables: {}, fonts: [] },
  ...facts,
});
const TEMPLATES = new Map([
  ['intro', template()],
  ['card', template({ frameCount: 150, stills: [{ name: 'stillcut_01', frame: 93 }] })],
]);
const scene = (id: string, fields: Partial<SceneSpec<Source>> = {}): SceneSpec<Source> => ({
  id,
  template: id,
  resources: new Map(),
  fonts: new Map(),
  audio: new Map(),
  ...fields,
});
const sound = (path: string, transform: SpecSound<Source>['transform'] = {}): SpecSound<Source> => ({
  source: { kind: 'file', path },
  transform,
});
const video = (scenes: readonly SceneSpec<Source>[], fields: Partial<TimelineVideo> = {}): TimelineVideo => ({
  scenes,
  audio: new Map(),
  ...fields,
});
const NONE: SoundLengths = () => null;
/** A sound of six seconds and one sample. */
const SIX: SoundLengths = () => ({ samples: 288_001, rate: 48_000 });

const lengths = (made: ReturnType<typeof timelineOf>): unknown => made?.timeline?.scenes.map(({ length }) => length);
const codes = (made: ReturnType<typeof timelineOf>): unknown => made?.findings.map(({ code }) => code);

describe('timelineOf()', () => {
  it('places the scenes of a video at their natural lengths', () => {
    const made = timelineOf(video([scene('intro'), scene('card')]), TEMPLATES, NONE);
    expect(made?.timeline).toMatchObject({ width: 1920, height: 1080, frames: 270, rate: { numerator: 30 } });
    expect(made?.timeline?.scenes.map(({ start }) => start)).toEqual([0, 120]);
    expect(made?.findings).toEqual([]);
  });

  it('returns null if the facts of a template are not known', () => {
    expect(timelineOf(video([scene('intro'), scene('remote')]), TEMPLATES, NONE)).toBeNull();
  });

  it('resolves videos of equal scenes and lengths once, whatever their values are', () => {
    const of = (text: string, duration: number): ReturnType<typeof timelineOf> => {
      const resources = new Map([['t_01', { kind: 'text' as const, text }]]);
      return timelineOf(video([scene('intro', { resources }), scene('card', { duration })]), TEMPLATES, NONE);
    };
    expect(of('one', 6)).toBe(of('two', 6));
    expect(of('two', 7)).not.toBe(of('two', 6));
  });

  it('resolves a video once, and again when a length, a template or a property of the video differs', () => {
    const audio = new Map([['voice', sound('voice.mp3')]]);
    const made = video([scene('intro'), scene('card', { duration: { content: true, max: 9 }, audio })]);
    const unknown = timelineOf(made, TEMPLATES, NONE);
    expect(timelineOf({ ...made }, new Map(TEMPLATES), () => null)).toBe(unknown);
    const measured = timelineOf(made, TEMPLATES, SIX);
    expect(lengths(measured)).toEqual([120, 196]);
    expect(timelineOf(made, TEMPLATES, () => ({ samples: 288_001, rate: 48_000 }))).toBe(measured);
    expect(lengths(timelineOf(made, TEMPLATES, () => ({ samples: 240_000, rate: 48_000 })))).toEqual([120, 165]);
    expect(lengths(timelineOf({ ...made, rate: 15 }, TEMPLATES, SIX))).toEqual([60, 99]);
    const longer = new Map([...TEMPLATES, ['intro', template({ frameCount: 90 })]] as const);
    expect(lengths(timelineOf(made, longer, SIX))).toEqual([90, 196]);
  });

  it('ends a scene with its content: the track of the scene, without its beginning that is cut', () => {
    const duration = { content: true, tail: 0 } as const;
    const voiced = (transform: SpecSound<Source>['transform']): unknown => {
      const audio = new Map([['voice', sound('voice.mp3', transform)]]);
      return lengths(timelineOf(video([scene('intro'), scene('card', { duration, audio })]), TEMPLATES, SIX));
    };
    expect(voiced({})).toEqual([120, 181]);
    expect(voiced({ trim_start_time: 0.5 })).toEqual([120, 166]);
    expect(voiced({ loop: true })).toEqual([120, 150]);
  });

  it('ends a scene with a track that starts later, and not with a track that goes on after it', () => {
    const duration = { content: true, tail: 0 } as const;
    const made = (transform: SpecSound<Source>['transform']) => {
      const audio = new Map([
        ['line', sound('line.mp3')],
        ['voice', sound('voice.mp3', transform)],
      ]);
      return timelineOf(video([scene('card', { duration, audio })]), TEMPLATES, SIX);
    };
    expect(lengths(made({}))).toEqual([181]);
    expect(lengths(made({ start: 2 }))).toEqual([241]);
    expect(lengths(made({ start: 2, overrun: true }))).toEqual([181]);
  });

  it('counts the tracks of the video as content of its only scene', () => {
    const audio = new Map([['voice', sound('voice.mp3')]]);
    const scenes = [scene('card', { duration: { content: true, tail: 0 } })];
    expect(lengths(timelineOf(video(scenes, { audio }), TEMPLATES, SIX))).toEqual([181]);
    const several = timelineOf(video([...scenes, scene('intro')], { audio }), TEMPLATES, SIX);
    expect(lengths(several)).toEqual([150, 120]);
    expect(codes(several)).toEqual(['content_empty']);
  });

  it('reports a length that is not known', () => {
    const audio = new Map([
      ['voice', sound('voice.mp3')],
      ['remote', { source: { kind: 'url', url: 'https://example.com/a.mp3' }, transform: {} } as const],
    ]);
    const made = (length: SoundLengths): ReturnType<typeof timelineOf> =>
      timelineOf(video([scene('card', { duration: 'content', audio })]), TEMPLATES, length);
    expect(made(NONE)?.findings).toEqual([{ code: 'content_unlimited', scene: 'card', name: 'voice' }]);
    const local: SoundLengths = (location) => (location.startsWith('http') ? null : SIX(location));
    expect(made(local)?.findings).toEqual([{ code: 'content_unlimited', scene: 'card', name: 'remote' }]);
    expect(made(SIX)?.findings).toEqual([]);
  });

  it('shortens the default transition of a video, and refuses a scene’s own', () => {
    const transition = { type: 'fade', duration: 4.5 } as const;
    const scenes = [scene('intro'), scene('card', { transition })];
    expect(codes(timelineOf(video(scenes), TEMPLATES, NONE))).toEqual(['transition_too_long']);
    const soft = timelineOf(video(scenes, { softTransitions: ['card'] }), TEMPLATES, NONE);
    expect(soft?.timeline?.scenes[1]?.transition).toEqual({ type: 'fade', from: 120, frames: 120 });
    expect(codes(soft)).toEqual(['transition_shortened']);
  });

  it('gives a scene without a transition a cut, also beside scenes with the default', () => {
    const transition = { type: 'fade', duration: 1 } as const;
    const scenes = [scene('intro'), scene('cut', { template: 'intro' }), scene('card', { transition })];
    const made = timelineOf(video(scenes, { softTransitions: ['card'] }), TEMPLATES, NONE);
    expect(made?.timeline?.scenes.map(({ transition: found }) => found?.frames ?? null)).toEqual([null, null, 30]);
  });

  it('takes the length of the video for its only scene, unless others are left out', () => {
    const scenes = [scene('card')];
    expect(lengths(timelineOf(video(scenes, { duration: 7 }), TEMPLATES, NONE))).toEqual([210]);
    const leftOut = [{ scene: 'outro', reason: 'offer is empty' }];
    const made = timelineOf(video(scenes, { duration: 7, leftOut }), TEMPLATES, NONE);
    expect(made?.findings).toEqual([
      { code: 'duration_missed', possible: { min: rational(5), max: rational(5) }, wanted: rational(7) },
    ]);
    const track = [{ scene: 'card', name: 'music', reason: 'music is empty' }];
    expect(lengths(timelineOf(video(scenes, { duration: 7, leftOut: track }), TEMPLATES, NONE))).toEqual([210]);
  });

  it('uses the places of the template', () => {
    const timing = [{ stretch: [0, 60], min: 30, max: 90 }] as const;
    const templates = new Map([['card', template({ spec: { id: 'x', editables: {}, fonts: [], timing } })]]);
    const made = (duration: number): unknown =>
      codes(timelineOf(video([scene('card', { duration })]), templates, NONE));
    expect([made(3), made(5), made(2.9), made(5.1)]).toEqual([[], [], ['scene_too_short'], ['scene_too_long']]);
  });
});
