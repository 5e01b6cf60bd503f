import { describe, expect, test } from 'vitest';
import type { SceneSpec, Transition } from '../../../src/contract/video-spec.ts';
import type { Source } from '../../../src/reconciler/definition/video.ts';
import type { Lock, LockEntry } from '../../../src/reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import type { DesiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import type { Change } from '../../../src/reconciler/plan/plan.ts';
import { changeDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { desiredScenes, type SceneParts, scene, sceneVideo } from './scene-videos.ts';
import { applied, emptyLock, lockOf, plan, text, track, type VideoParts } from './videos.ts';

type Scenes = readonly SceneSpec<Source>[];

const fade: Transition = { type: 'fade', duration: 0.4 };
const lamp = (voice: string, parts: SceneParts = {}): SceneSpec<Source> =>
  scene('card', { id: 'product/lamp', duration: 'content', audio: { voice: track(`voice/${voice}.mp3`) }, ...parts });
const campaign = (...scenes: Scenes): DesiredVideo =>
  desiredScenes(sceneVideo('spring', scenes, { audio: new Map([['music', track('sounds/spring.mp3')]]) }));
const before = [scene('intro'), lamp('3.5'), scene('outro')];

function changeOf(was: DesiredVideo, is: DesiredVideo): Change {
  return plan([is], lockOf(was)).changes[0]!;
}

function entryOf(video: DesiredVideo): LockEntry {
  return lockOf(video).videos.get('spring')!;
}

/** Returns the lock as another run reads it. */
function stored(lock: Lock): Lock {
  const read = parseLock(serialiseLock(lock), 'reelform.lock.json');
  if (!read.ok) throw new Error(JSON.stringify(read.diagnostics));
  return read.value;
}

describe('a lock entry', () => {
  test('has the scenes with their own inputs and lengths, and the inputs of the whole video', () => {
    const { template, style_version, inputs, scenes } = entryOf(campaign(...before));
    expect([template, style_version]).toEqual(['intro', 'tsv_intro']);
    expect(Object.keys(inputs)).toEqual(['audio.music']);
    expect(scenes).toEqual([
      { id: 'intro', template: 'intro', style_version: 'tsv_intro', inputs: { t_01: 'intro' }, length: 5 },
      {
        id: 'product/lamp',
        template: 'card',
        style_version: 'tsv_card',
        inputs: {
          t_01: 'card',
          'audio.voice': expect.stringMatching(/^sha256:/),
          'timeline.duration': 'content tail=0.5',
          'timeline.timing': 'hold 93',
        },
        length: 4,
      },
      { id: 'outro', template: 'outro', style_version: 'tsv_outro', inputs: { t_01: 'outro' }, length: 3 },
    ]);
  });

  test('has scenes for an only scene with a length, and none at its natural length', () => {
    const only = (parts: SceneParts, video: VideoParts = {}) =>
      entryOf(desiredScenes(sceneVideo('spring', [scene('loop', parts)], video)));
    expect(only({ duration: 5 })).toEqual(only({}));
    expect(only({}).scenes).toBeUndefined();
    const { inputs, scenes } = only({ duration: 8 }, { audio: new Map([['main', track('a.mp3')]]) });
    expect(Object.keys(inputs)).toEqual(['audio.main']);
    expect(scenes).toEqual([
      {
        id: 'loop',
        template: 'loop',
        style_version: 'tsv_loop',
        inputs: { t_01: 'loop', 'timeline.duration': '8', 'timeline.timing': 'loop 30-90' },
        length: 8,
      },
    ]);
  });

  test('is read again as it was written', () => {
    const lock = lockOf(campaign(...before));
    expect(stored(lock)).toEqual(lock);
    expect(plan([campaign(...before)], stored(lock)).changes[0]!.action).toBe('noop');
  });

  test.each([
    ['a list', {}],
    ['texts as inputs', [{ id: 'a', template: 'a', style_version: 'a', inputs: { a: 1 } }]],
    ['an id', [{ template: 'a', style_version: 'a', inputs: {} }]],
    ['a length above 0', [{ id: 'a', template: 'a', style_version: 'a', inputs: {}, length: 0 }]],
  ])('needs %s', (_, scenes) => {
    const entry = { ...entryOf(campaign(...before)), scenes } as unknown as LockEntry;
    const read = parseLock(serialiseLock({ videos: new Map([['spring', entry]]), extra: {} }), 'lock');
    expect(read.ok ? [] : read.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining('an invalid "scenes", expected a list of scenes'),
    ]);
  });

  test('follows renamed scenes without a rendering', () => {
    const renamed = campaign(scene('intro'), lamp('3.5', { id: 'lamp' }), scene('outro'));
    const lock = lockOf(campaign(...before));
    const planned = plan([renamed], lock);
    const [change] = planned.changes;
    expect(change).toMatchObject({
      action: 'relabel',
      fields: [{ field: 'scenes', before: 'intro, product/lamp, outro', after: 'intro, lamp, outro' }],
    });
    expect(changeDocument(change!).scenes?.map(({ difference }) => difference)).toEqual([null, null, null]);
    const after = applied(lock, planned);
    expect(after).toEqual({ ...lockOf(renamed) });
    expect(plan([renamed], after).changes[0]!.action).toBe('noop');
  });
});

describe('the changes of scenes', () => {
  const differences = (was: DesiredVideo, is: DesiredVideo) =>
    changeDocument(changeOf(was, is)).scenes?.map(({ id, difference }) => [id, difference]);

  test('are values by their scene, and lengths with their cause', () => {
    const change = changeOf(campaign(...before), campaign(scene('intro'), lamp('6.3'), scene('outro')));
    expect(change.reason).toBe('asset_changed');
    expect(change.inputs).toEqual([
      {
        key: 'product/lamp.audio.voice',
        scene: 'product/lamp',
        before: expect.stringMatching(/^sha256:/),
        after: expect.stringMatching(/^sha256:/),
      },
    ]);
    expect(changeDocument(change).scenes).toEqual([
      { id: 'intro', template: 'intro', difference: null, start: 0, length: 5, before: 5, rule: 'natural' },
      {
        id: 'product/lamp',
        template: 'card',
        difference: 'changed',
        start: 5,
        length: 6.8,
        before: 4,
        rule: 'content',
        item: 'voice',
      },
      { id: 'outro', template: 'outro', difference: null, start: 11.8, length: 3, before: 3, rule: 'natural' },
    ]);
  });

  const [intro, product, outro] = before as [SceneSpec<Source>, SceneSpec<Source>, SceneSpec<Source>];
  const other = scene('loop');
  const cases: [string, Scenes, Change['reason'], [string, string | null][]][] = [
    [
      'added',
      [intro, product, other, outro],
      'scenes_changed',
      [
        ['intro', null],
        ['product/lamp', null],
        ['loop', 'added'],
        ['outro', null],
      ],
    ],
    [
      'removed',
      [intro, outro],
      'scenes_changed',
      [
        ['intro', null],
        ['outro', null],
        ['product/lamp', 'removed'],
      ],
    ],
    [
      'moved',
      [outro, intro, product],
      'scenes_changed',
      [
        ['outro', 'moved'],
        ['intro', null],
        ['product/lamp', null],
      ],
    ],
    [
      'left alone',
      [intro],
      'scenes_changed',
      [
        ['intro', null],
        ['product/lamp', 'removed'],
        ['outro', 'removed'],
      ],
    ],
    [
      'of another template',
      [intro, product, { ...other, id: 'outro' }],
      'template_changed',
      [
        ['intro', null],
        ['product/lamp', null],
        ['outro', 'changed'],
      ],
    ],
    [
      'with another transition',
      [intro, { ...product, transition: fade }, outro],
      'timeline_changed',
      [
        ['intro', null],
        ['product/lamp', 'changed'],
        ['outro', null],
      ],
    ],
    [
      'with another text',
      [intro, lamp('3.5', { resources: { t_01: text('Bye') } }), outro],
      'input_changed',
      [
        ['intro', null],
        ['product/lamp', 'changed'],
        ['outro', null],
      ],
    ],
  ];
  test.each(cases)('%s', (_, scenes, reason, expected) => {
    const [was, is] = [campaign(...before), campaign(...scenes)];
    expect(changeOf(was, is).reason).toBe(reason);
    expect(differences(was, is)).toEqual(expected);
    expect(plan([is], applied(lockOf(was), plan([is], lockOf(was)))).changes[0]!.action).toBe('noop');
  });

  test('compare a template with values to the scene of the same template', () => {
    const plain = desiredScenes(sceneVideo('spring', [scene('intro', { resources: { t_01: text('Old') } })]));
    const change = changeOf(plain, campaign(...before));
    expect(change.reason).toBe('scenes_changed');
    expect(change.inputs.filter(({ scene: id }) => id !== undefined)).toEqual([
      { key: 'intro.t_01', scene: 'intro', before: 'Old', after: 'intro' },
    ]);
    const back = changeOf(campaign(...before), plain);
    expect(back.inputs.find(({ key }) => key === 't_01')).toEqual({ key: 't_01', before: 'intro', after: 'Old' });
    const longer = changeOf(
      plain,
      desiredScenes(sceneVideo('spring', [scene('intro', { duration: 6, resources: { t_01: text('Old') } })])),
    );
    expect(longer.reason).toBe('timeline_changed');
  });

  test('name a template whose timing changed', () => {
    const was = campaign(...before);
    const lock = lockOf(was);
    const entry = lock.videos.get('spring')!;
    const scenes = entry.scenes!.map((item) => ({
      ...item,
      inputs: { ...item.inputs, ...('timeline.timing' in item.inputs && { 'timeline.timing': 'hold 90' }) },
    }));
    const changed = { ...entry, scenes, fingerprint: `v1:${'0'.repeat(64)}` as LockEntry['fingerprint'] };
    const [change] = plan([was], { ...emptyLock, videos: new Map([['spring', changed]]) }).changes;
    expect(change).toMatchObject({
      reason: 'timeline_changed',
      inputs: [{ key: 'product/lamp.timeline.timing', before: 'hold 90', after: 'hold 93' }],
    });
  });
});
