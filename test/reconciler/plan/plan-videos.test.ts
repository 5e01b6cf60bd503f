import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import type { JournalState } from '../../../src/reconciler/lock/journal.ts';
import type { Fingerprint, Lock } from '../../../src/reconciler/lock/lock.ts';
import type { DesiredVideo, RenderingContext } from '../../../src/reconciler/plan/desired-video.ts';
import { type Change, isEmptyPlan, type Plan, renders } from '../../../src/reconciler/plan/plan.ts';
import { planVideos, withKnownFingerprints } from '../../../src/reconciler/plan/plan-videos.ts';
import { runs } from '../../support/full-run.ts';
import {
  anyWorld,
  applied,
  clip,
  color,
  desired,
  emptyLock,
  file,
  lockOf,
  place,
  plan,
  text,
  track,
  url,
  type VideoParts,
  versions,
} from './videos.ts';

const brief = ({ id, previousId, action, reason }: Change) => [id, previousId, action, reason];
const briefly = (...args: Parameters<typeof plan>) => plan(...args).changes.map(brief);

const remote: Partial<RenderingContext> = { service: 'https://api.example.com', renderEpoch: null };
const a = { t_01: text('A') };
const b = { t_01: text('B') };
const music = new Map([['main', track('a.mp3')]]);
const fonts = new Map([['A', 'B']]);
const output = { format: 'webm', height: 720 } as const;

describe('planVideos()', () => {
  test('creates a video that the lock lacks', () => {
    expect(briefly([desired('berlin')], emptyLock)).toEqual([['berlin', null, 'create', 'new']]);
  });

  test('changes nothing for a rendered video', () => {
    const made = plan([desired('berlin')], lockOf(desired('berlin')));
    expect(made.changes.map(brief)).toEqual([['berlin', null, 'noop', null]]);
    expect(isEmptyPlan(made)).toBe(true);
  });

  test('forgets a video that only the lock has', () => {
    const made = plan([], lockOf(desired('berlin')));
    expect(made.changes.map(brief)).toEqual([['berlin', null, 'forget', null]]);
    expect(made.diagnostics).toEqual([]);
  });

  test('refuses a repository without videos unless allowed', () => {
    const inputs = { desired: [], lock: lockOf(desired('a')), observations: { missingOutputs: new Set<string>() } };
    expect(planVideos(inputs).diagnostics).toMatchObject([{ code: 'all_videos_gone', severity: 'error' }]);
    expect(planVideos({ ...inputs, allowEmpty: true }).diagnostics).toEqual([]);
    expect(planVideos({ ...inputs, lock: emptyLock }).diagnostics).toEqual([]);
  });

  test('reports each protected video that it would forget', () => {
    const lock = lockOf(desired('a', { protect: true, resources: a }), desired('b', { resources: b }));
    const { diagnostics } = plan([], lock);
    expect(diagnostics).toMatchObject([{ code: 'protected_video', severity: 'error', message: /"a"/ }]);
  });

  test('restores a video whose local output is missing', () => {
    expect(briefly([desired('berlin')], lockOf(desired('berlin')), ['berlin'])).toEqual([
      ['berlin', null, 'restore', 'output_missing'],
    ]);
  });

  test('restores a video whose local output is damaged, even if it was delivered', () => {
    const damaged = { damagedOutputs: new Set(['berlin']) };
    const delivered = desired('berlin', { deliver: [place('s3://videos/')] });
    for (const video of [desired('berlin'), delivered]) {
      expect(briefly([video], lockOf(video), [], damaged)).toEqual([['berlin', null, 'restore', 'output_damaged']]);
    }
  });

  test('does not restore excluded outputs unless a delivery needs them', () => {
    const left = { restores: () => false, damagedOutputs: new Set(['oslo']) };
    const [berlin, oslo] = [desired('berlin', { resources: a }), desired('oslo', { resources: b })];
    const lock = lockOf(berlin, oslo);
    expect(isEmptyPlan(plan([berlin, oslo], lock, ['berlin'], left))).toBe(true);
    const titled = desired('berlin', { resources: a, title: 'Berlin' });
    expect(briefly([titled, oslo], lock, ['berlin'], left)).toEqual([
      ['berlin', null, 'relabel', null],
      ['oslo', null, 'noop', null],
    ]);
    const sent = ['berlin', 'oslo'].map((id) =>
      desired(id, { resources: id === 'oslo' ? b : a, deliver: [place('s3://videos/')] }),
    );
    expect(briefly(sent, lock, ['berlin'], left)).toEqual([
      ['berlin', null, 'restore', 'output_missing'],
      ['oslo', null, 'restore', 'output_damaged'],
    ]);
  });

  test('updates instead of restoring a changed video', () => {
    expect(briefly([desired('berlin', { resources: b })], lockOf(desired('berlin')), ['berlin'])).toEqual([
      ['berlin', null, 'update', 'input_changed'],
    ]);
  });

  test.each<[string, VideoParts, object]>([
    ['title', { title: 'New' }, { field: 'title', before: 'The video berlin', after: 'New' }],
    ['a label', { labels: { region: 'eu' } }, { field: 'labels.region', before: null, after: 'eu' }],
    ['protection', { protect: true }, { field: 'protect', before: 'false', after: 'true' }],
    ['the name of the template', { template: 'renamed' }, { field: 'template', before: 'launch', after: 'renamed' }],
  ])('only relabels a video after a change of %s', (_, parts, field) => {
    const made = plan([desired('berlin', parts)], lockOf(desired('berlin')));
    expect(made.changes).toMatchObject([{ action: 'relabel', reason: null, inputs: [], fields: [field] }]);
  });

  test('does not depend on the order of labels', () => {
    const lock = lockOf(desired('berlin', { labels: { x: '1', y: '2' } }));
    expect(isEmptyPlan(plan([desired('berlin', { labels: { y: '2', x: '1' } })], lock))).toBe(true);
  });

  describe('moves', () => {
    test('a rendering to a new id', () => {
      expect(briefly([desired('paris')], lockOf(desired('berlin')))).toMatchObject([['paris', 'berlin', 'move', null]]);
    });

    test('with a new title, in one change', () => {
      const made = plan([desired('paris', { title: 'Paris' })], lockOf(desired('berlin', { title: 'Berlin' })));
      expect(made.changes).toMatchObject([
        { action: 'move', fields: [{ field: 'title', before: 'Berlin', after: 'Paris' }] },
      ]);
    });

    test('and restores a missing output, in one change', () => {
      expect(briefly([desired('paris')], lockOf(desired('berlin')), ['berlin'])).toEqual([
        ['paris', 'berlin', 'restore', 'output_missing'],
      ]);
    });

    test('several identical videos in the order of their ids', () => {
      const lock = lockOf(desired('x'), desired('y'));
      const moved = [
        ['a', 'x', 'move', null],
        ['b', 'y', 'move', null],
      ];
      expect(briefly([desired('a'), desired('b')], lock)).toEqual(moved);
      expect(briefly([desired('b'), desired('a')], lock)).toEqual(moved);
    });

    test('as many renderings as exist, and adopts or forgets the others', () => {
      expect(briefly([desired('a'), desired('b')], lockOf(desired('x')))).toEqual([
        ['a', 'x', 'move', null],
        ['b', null, 'adopt', 'new'],
      ]);
      expect(briefly([desired('a')], lockOf(desired('x'), desired('y')))).toEqual([
        ['a', 'x', 'move', null],
        ['y', null, 'forget', null],
      ]);
    });

    test('nothing from an id that still exists', () => {
      expect(briefly([desired('berlin'), desired('copy')], lockOf(desired('berlin')))).toEqual([
        ['berlin', null, 'noop', null],
        ['copy', null, 'adopt', 'new'],
      ]);
    });

    test('a protected video without an error', () => {
      const made = plan([desired('paris')], lockOf(desired('berlin', { protect: true })));
      expect(made.diagnostics).toEqual([]);
    });
  });

  describe('gives the reason of an update:', () => {
    const hero = { hero: file('images/hero.jpg') };
    const bytes = (content: string): Partial<RenderingContext> => ({ assetDigest: () => sha256(content) });
    const contained = {
      hero: { ...hero.hero, transform: { crop_strategy: 'contain' as const } } as ReturnType<typeof file>,
    };
    test.each<[string, string, ReturnType<typeof desired>, ReturnType<typeof desired>]>([
      ['input_changed', 'a text', desired('v', { resources: a }), desired('v', { resources: b })],
      [
        'input_changed',
        'an added value',
        desired('v', { resources: a }),
        desired('v', { resources: { ...a, ...hero } }),
      ],
      [
        'input_changed',
        'a removed value',
        desired('v', { resources: { ...a, ...hero } }),
        desired('v', { resources: a }),
      ],
      [
        'asset_changed',
        'other bytes',
        desired('v', { resources: hero }, bytes('1')),
        desired('v', { resources: hero }, bytes('2')),
      ],
      [
        'input_changed',
        'other bytes and a text',
        desired('v', { resources: { ...hero, ...a } }, bytes('1')),
        desired('v', { resources: { ...hero, ...b } }, bytes('2')),
      ],
      [
        'asset_changed',
        'other bytes of a clip and of a track',
        desired('v', { resources: { v_01: clip('a.mp4') }, audio: music }, bytes('1')),
        desired('v', { resources: { v_01: clip('a.mp4') }, audio: music }, bytes('2')),
      ],
      ['input_changed', 'a new track', desired('v', { resources: a }), desired('v', { resources: a, audio: music })],
      ['input_changed', 'a font', desired('v', { resources: a }), desired('v', { resources: a, fonts })],
      ['output_changed', 'a format', desired('v', { resources: a }), desired('v', { resources: a, output })],
      [
        'output_changed',
        'another height',
        desired('v', { resources: a, output }),
        desired('v', { resources: a, output: { ...output, height: 360 } }),
      ],
      [
        'output_changed',
        'the output of before',
        desired('v', { resources: a, output }),
        desired('v', { resources: a }),
      ],
      [
        'input_changed',
        'the output and a text',
        desired('v', { resources: a }),
        desired('v', { resources: b, output }),
      ],
      [
        'input_changed',
        'an editable called output',
        desired('v', { resources: { output: text('a') } }),
        desired('v', { resources: { output: text('b') } }),
      ],
      [
        'input_changed',
        'the handling of a file',
        desired('v', { resources: hero }),
        desired('v', { resources: contained }),
      ],
      [
        'input_changed',
        'a file in place of a URL',
        desired('v', { resources: { hero: url('https://example.com/a.jpg') } }),
        desired('v', { resources: hero }),
      ],
      ['template_changed', 'another package', desired('v'), desired('v', {}, { styleVersions: versions('tsv_2') })],
      [
        'template_changed',
        'another package and text',
        desired('v', { resources: a }),
        desired('v', { resources: b }, { styleVersions: versions('tsv_2') }),
      ],
      [
        'template_changed',
        'another template of a remote service',
        desired('v', {}, remote),
        desired('v', { template: 'story' }, { ...remote, styleVersions: versions('tsv_2') }),
      ],
      [
        'style_version_changed',
        'another version of a remote template',
        desired('v', {}, remote),
        desired('v', {}, { ...remote, styleVersions: versions('tsv_2') }),
      ],
      [
        'service_changed',
        'another service',
        desired('v'),
        desired('v', {}, { ...remote, styleVersions: versions('tsv_2') }),
      ],
      ['engine_changed', 'another epoch', desired('v'), desired('v', {}, { renderEpoch: 2 })],
      ['engine_changed', 'another epoch and a title', desired('v'), desired('v', { title: 'New' }, { renderEpoch: 2 })],
    ])('%s for %s', (reason, _, was, is) => {
      expect(briefly([is], lockOf(was))).toEqual([['v', null, 'update', reason]]);
    });
  });

  test('lists changed values in the order of the specification, removed ones last', () => {
    const was = desired('v', { resources: { gone: text('x'), t_01: text('same'), c_01: color('000000') } });
    const is = desired('v', { resources: { t_02: text('new'), c_01: color('FFFFFF'), t_01: text('same') } });
    expect(plan([is], lockOf(was)).changes[0]!.inputs).toEqual([
      { key: 't_02', before: null, after: 'new' },
      { key: 'c_01', before: '000000', after: 'FFFFFF' },
      { key: 'gone', before: 'x', after: null },
    ]);
  });

  test('is empty after it was applied', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const after = applied(lock, plan(videos, lock, missing));
        expect(plan(videos, after).changes.filter((change) => change.action !== 'noop')).toEqual([]);
        expect([...after.videos.keys()].sort()).toEqual(videos.map(({ id }) => id as string).sort());
      }),
      { numRuns: runs(500) },
    );
  });

  test('is empty after it was applied in any order', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const made = plan(videos, lock, missing);
        const backwards = { ...made, changes: [...made.changes].reverse() };
        expect(isEmptyPlan(plan(videos, applied(lock, backwards)))).toBe(true);
      }),
    );
  });

  test('does not depend on the order of the videos or of the lock', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const reversed = { ...lock, videos: new Map([...lock.videos].reverse()) };
        expect(plan([...videos].reverse(), reversed, missing)).toEqual(plan(videos, lock, missing));
      }),
    );
  });

  test('lists every video of the definitions and the lock exactly once', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const { changes } = plan(videos, lock, missing);
        const wanted = changes.filter((change) => change.desired !== null).map(({ id }) => id);
        const known = changes.filter((change) => change.before !== null).map(({ id, previousId }) => previousId ?? id);
        expect([...wanted].sort()).toEqual(videos.map(({ id }) => id).sort());
        expect([...known].sort()).toEqual([...lock.videos.keys()].sort());
        expect(changes.map(({ id }) => id)).toEqual(changes.map(({ id }) => id).sort());
      }),
    );
  });

  test('renders exactly the content without a rendering, and each content once', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const { changes } = plan(videos, lock, missing);
        const there = new Set(
          [...lock.videos].filter(([id]) => !missing.includes(id)).map(([, { fingerprint }]) => fingerprint),
        );
        const wanted = changes.filter(
          ({ action, desired, before }) =>
            action !== 'restore' && desired && before?.fingerprint !== desired.fingerprint,
        );
        const due = new Set(wanted.map((change) => change.desired!.fingerprint).filter((one) => !there.has(one)));
        const rendered = changes.filter((change) => renders(change) && change.action !== 'restore');
        expect(rendered.map((change) => change.desired!.fingerprint).sort()).toEqual([...due].sort());
        const restored = changes.filter(({ action }) => action === 'restore');
        for (const { id, previousId } of restored) expect(missing).toContain(previousId ?? id);
      }),
    );
  });

  test('creates no video whose rendering it would forget', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const { changes } = plan(videos, lock, missing);
        const forgotten = new Set(changes.map(({ action, before }) => action === 'forget' && before?.fingerprint));
        for (const { action, desired } of changes) {
          if (action === 'create') expect(forgotten).not.toContain(desired?.fingerprint);
        }
      }),
    );
  });
});

const HERO = '(Footage)/USER/hero.jpg';
const measures = { width: 1920, height: 1080, rate: 25, frames: 250 };
const image = (transform: object) => ({ ...file('a.jpg'), transform }) as ReturnType<typeof file>;

const REPEATED: VideoParts = {
  resources: {
    t_01: text('x'.repeat(300)),
    c_01: color('EEADA7FF'),
    [HERO]: image({ crop_strategy: 'cover', focus_x: 0.5, focus_y: 0.3 }),
    logo: image({ crop_strategy: 'contain', background: '000000' }),
  },
  audio: new Map([['main', track('a.mp3', { volume: 1, loop: true, fade_in: 0 })]]),
  output: { height: 1080, fps: 25, quality: 'high' },
};
const OMITTED: VideoParts = {
  ...REPEATED,
  resources: { ...REPEATED.resources, c_01: color('EEADA7'), [HERO]: image({ crop_strategy: 'cover', focus_y: 0.3 }) },
  audio: new Map([['main', track('a.mp3', { loop: true })]]),
  output: null,
};
const make = (id: string, parts: VideoParts, changes: object = {}): DesiredVideo =>
  desired(id, parts, { measures, ...changes });

/** Returns the lock of an earlier version, which hashed and recorded defaults that a definition repeats. */
function formerLock(...videos: DesiredVideo[]): Lock {
  const inputs = {
    c_01: 'EEADA7FF',
    [HERO]: `${make('x', REPEATED).inputs()[HERO]!.split(' ')[0]} crop_strategy=cover focus_x=0.5 focus_y=0.3`,
    'audio.main': `${make('x', REPEATED).inputs()['audio.main']!.split(' ')[0]} fade_in=0 loop=true volume=1`,
    output: 'fps=25 height=1080 quality=high',
  };
  const lock = lockOf(...videos);
  return {
    ...lock,
    videos: new Map(
      [...lock.videos].map(([id, entry]) => {
        const { formerFingerprint } = videos.find((video) => video.id === id)!;
        const all = { ...entry.inputs, ...inputs };
        return [id, { ...entry, fingerprint: formerFingerprint ?? entry.fingerprint, inputs: all }];
      }),
    ),
  };
}

const actions = ({ changes }: Plan): string[] => changes.map(({ action }) => action);

describe('withKnownFingerprints()', () => {
  test('concerns content that has a different fingerprint in earlier versions', () => {
    const { fingerprint, formerFingerprint } = make('a', REPEATED);
    expect(formerFingerprint).toMatch(/^v1:/);
    expect(formerFingerprint).not.toBe(fingerprint);
    expect(make('a', OMITTED).fingerprint).toBe(fingerprint);
    expect(make('a', OMITTED)).not.toHaveProperty('formerFingerprint');
  });

  test.each([
    ['are still repeated', REPEATED],
    ['are left out now', OMITTED],
  ])('keeps an entry of an earlier version if the defaults %s', (_, parts) => {
    const lock = formerLock(make('a', REPEATED));
    const planned = plan([make('a', parts)], lock);
    expect(actions(planned)).toEqual(['noop']);
    expect(applied(lock, planned)).toEqual(lock);
  });

  test('keeps an entry without defaults if the definition repeats them now', () => {
    expect(actions(plan([make('a', REPEATED)], lockOf(make('a', OMITTED))))).toEqual(['noop']);
  });

  test('renders real changes and lists only those', () => {
    const lock = formerLock(make('a', REPEATED));
    const louder = { ...REPEATED, audio: new Map([['main', track('a.mp3', { volume: 2, loop: true })]]) };
    const [change] = plan([make('a', louder)], lock).changes;
    expect(change).toMatchObject({ action: 'update', reason: 'input_changed' });
    expect(change!.inputs.map(({ key }) => key)).toEqual(['audio.main']);
    expect(plan([make('a', OMITTED, { renderEpoch: 2 })], lock).changes).toMatchObject([
      { action: 'update', reason: 'engine_changed', inputs: [] },
    ]);
  });

  test('compares hashes instead of trusting the recorded inputs', () => {
    const lock = formerLock(make('a', REPEATED));
    const entry = { ...lock.videos.get('a')!, fingerprint: `v1:${'0'.repeat(64)}` as Fingerprint };
    expect(actions(plan([make('a', OMITTED)], { ...lock, videos: new Map([['a', entry]]) }))).toEqual(['update']);
  });

  test('moves, adopts and restores from history the renderings of an earlier version', () => {
    const lock = formerLock(make('a', REPEATED));
    expect(actions(plan([make('b', REPEATED)], lock))).toEqual(['move']);
    expect(actions(plan([make('a', REPEATED), make('b', OMITTED)], lock))).toEqual(['noop', 'adopt']);
    const former = { commit: 'c', isMerged: true, id: 'a', entry: lock.videos.get('a')! };
    const history = new Map([[former.entry.fingerprint, former]]);
    expect(actions(plan([make('b', REPEATED)], emptyLock, [], { history }))).toEqual(['adopt']);
  });

  test('resumes an attempt of an earlier version instead of paying again', () => {
    const video = make('a', REPEATED, { service: 'https://api.example.com', renderEpoch: null });
    const intent = { key: 'k', id: 'a', fingerprint: video.formerFingerprint } as never;
    const attempt = { intent, state: 'created', session: 'rs_1', rendering: null } as const;
    const journal: JournalState = { attempts: new Map([['k', attempt]]), services: new Map(), arrivals: new Map() };
    const [change] = plan([video], emptyLock, [], { journal }).changes;
    // The run finds the attempt in the journal by this fingerprint.
    expect(change).toMatchObject({ action: 'adopt', source: { kind: 'journal', session: 'rs_1' } });
    expect(change!.desired!.fingerprint).toBe(video.formerFingerprint);
  });

  test('keeps two entries with the same content apart', () => {
    const other = { ...OMITTED, output: { fps: 25 } };
    const lock = formerLock(make('a', REPEATED));
    const both = new Map([...lock.videos, ...lockOf(make('b', OMITTED)).videos]);
    expect(actions(plan([make('a', REPEATED), make('b', other)], { ...lock, videos: both }))).toEqual(['noop', 'noop']);
  });

  test('does not repeat a delivery to a destination named by the fingerprint', () => {
    const deliver = [place('s3://videos/{id}-{fingerprint}.mp4')];
    const digits = make('a', REPEATED).formerFingerprint!.slice(3, 11);
    const lock = formerLock(make('a', REPEATED));
    const entry = { ...lock.videos.get('a')!, deliveries: [{ to: `s3://videos/a-${digits}.mp4` }] };
    const delivered = { ...lock, videos: new Map([['a', entry]]) };
    for (const parts of [REPEATED, OMITTED]) {
      expect(actions(plan([make('a', { ...parts, deliver })], delivered))).toEqual(['noop']);
    }
  });

  test('returns the same videos if no entry comes from an earlier version', () => {
    const videos = [make('a', REPEATED), make('b', OMITTED)];
    expect(withKnownFingerprints(videos, lockOf(...videos), { missingOutputs: new Set() })).toBe(videos);
  });
});
