import { describe, expect, test } from 'vitest';
import type { JournalState } from '../../src/lock/journal.ts';
import type { Fingerprint, Lock } from '../../src/lock/lock.ts';
import type { DesiredVideo } from '../../src/plan/desired-video.ts';
import { withKnownFingerprints } from '../../src/plan/known-fingerprints.ts';
import type { Plan } from '../../src/plan/plan.ts';
import {
  applied,
  color,
  desired,
  emptyLock,
  file,
  lockOf,
  place,
  plan,
  text,
  track,
  type VideoParts,
} from './videos.ts';

const HERO = '(Footage)/USER/hero.jpg';
const measures = { height: 1080, fps: 25 };
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
    [HERO]: `${make('x', REPEATED).inputs[HERO]!.split(' ')[0]} crop_strategy=cover focus_x=0.5 focus_y=0.3`,
    'audio.main': `${make('x', REPEATED).inputs['audio.main']!.split(' ')[0]} fade_in=0 loop=true volume=1`,
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
    const former = { commit: 'c', id: 'a', entry: lock.videos.get('a')! };
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
