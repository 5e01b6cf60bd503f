import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defined } from '../../../src/kernel/defined.ts';
import { foldJournal } from '../../../src/reconciler/lock/fold-journal.ts';
import type { Intent, JournalRecord } from '../../../src/reconciler/lock/journal.ts';
import { lockEdits } from '../../../src/reconciler/plan/lock-edits.ts';
import { type Adoption, type Change, delivers, renders } from '../../../src/reconciler/plan/plan.ts';
import { anyWorld, applied, desired, emptyLock, lockOf, place, plan, rendering, text } from './videos.ts';

const a = { resources: { t_01: text('A') } };
const b = { resources: { t_01: text('B') } };
const AT = '2026-01-01T00:00:00.000Z';

const intent = (id: string, { fingerprint }: { fingerprint: Intent['fingerprint'] }): JournalRecord => ({
  type: 'intent',
  key: `key-${id}`,
  id,
  fingerprint,
  service: 'https://api.example.com',
  style_version: 'tsv_1',
  output_name: id,
  body: '{}',
  run: 'run-1',
  at: AT,
});
const created = (id: string, session: string): JournalRecord => ({
  type: 'created',
  key: `key-${id}`,
  session,
  at: AT,
});
const rendered = (id: string, rendered_at?: string): JournalRecord => ({
  type: 'rendered',
  key: `key-${id}`,
  at: AT,
  rendering: { ...rendering(id), ...defined({ rendered_at }) },
});

const brief = (change: Change) => [change.id, change.action, change.reason];
const sourceOf = (change: Change | undefined) => (change as Adoption | undefined)?.source;

describe('adoptRenderings()', () => {
  test('adopts the rendering of another video', () => {
    const made = plan([desired('a', a), desired('b', a)], lockOf(desired('a', a)));
    expect(made.changes.map(brief)).toEqual([
      ['a', 'noop', null],
      ['b', 'adopt', 'new'],
    ]);
    expect(sourceOf(made.changes[1])).toMatchObject({ kind: 'video', id: 'a', rendering: { session: 'rs_a' } });
  });

  test('swaps two videos without rendering either', () => {
    const made = plan([desired('a', b), desired('b', a)], lockOf(desired('a', a), desired('b', b)));
    expect(made.changes.map(brief)).toEqual([
      ['a', 'adopt', 'input_changed'],
      ['b', 'adopt', 'input_changed'],
    ]);
    expect(made.changes.map(sourceOf)).toMatchObject([{ id: 'b' }, { id: 'a' }]);
  });

  test('does not adopt a rendering whose output is missing or was found lost', () => {
    const videos = [desired('a', a), desired('b', a)];
    const lock = lockOf(desired('a', a));
    expect(plan(videos, lock, ['a']).changes.map(({ action }) => action)).toEqual(['restore', 'create']);
    const refreshed = new Map([['a', 'url_lost' as const]]);
    expect(plan(videos, lock, [], { refreshed }).changes.map(brief)).toEqual([
      ['a', 'update', 'url_lost'],
      ['b', 'adopt', 'new'],
    ]);
  });

  test('adopts a rendering whose file is absent, unless a delivery needs the file', () => {
    const lock = lockOf(desired('a', a));
    const stays = { restores: () => false, adoptsAbsent: () => true };
    const made = plan([desired('a', a), desired('b', a)], lock, ['a'], stays);
    expect(made.changes.map(({ action }) => action)).toEqual(['noop', 'adopt']);
    const sent = [desired('a', a), desired('b', { ...a, deliver: [place('s3://videos/')] })];
    expect(plan(sent, lock, ['a'], stays).changes.map(({ action }) => action)).toEqual(['noop', 'create']);
    const twins = lockOf(desired('c', a), desired('d', a));
    const found = plan([desired('b', a), desired('c', a), desired('d', a)], twins, ['c'], stays);
    expect(sourceOf(found.changes[0]), 'one whose file exists').toMatchObject({ kind: 'video', id: 'd' });
    const damaged = { ...stays, damagedOutputs: new Set(['a']) };
    const both = [desired('a', a), desired('b', a)];
    expect(plan(both, lock, [], damaged).changes.map(({ action }) => action)).toEqual(['noop', 'create']);
  });

  test('never adopts a rendering marked as lost, from the lockfile or its history', () => {
    const lock = lockOf(desired('a', a));
    const entry = lock.videos.get('a')!;
    const lost = { ...lock, videos: new Map([['a', { ...entry, lost: true as const }]]) };
    const history = new Map([[entry.fingerprint, { commit: 'c0ffee', isMerged: true, id: 'a', entry }]]);
    const made = plan([desired('a', a), desired('b', a)], lost, [], { history });
    expect(made.changes.map(brief)).toEqual([
      ['a', 'update', 'url_lost'],
      ['b', 'adopt', 'new'],
    ]);
    expect(sourceOf(made.changes[1])).toEqual({ kind: 'planned', id: 'a' });
    expect(applied(lost, made).videos.get('a')).not.toHaveProperty('lost');
  });

  test('renders the first of several identical videos by id and shares it with the others', () => {
    const made = plan([desired('c', a), desired('a', a), desired('b', a)], emptyLock);
    expect(made.changes.map(brief)).toEqual([
      ['a', 'create', 'new'],
      ['b', 'adopt', 'new'],
      ['c', 'adopt', 'new'],
    ]);
    expect(made.changes.slice(1).map(sourceOf)).toEqual([
      { kind: 'planned', id: 'a' },
      { kind: 'planned', id: 'a' },
    ]);
  });

  test('adopts a session that an earlier run requested, finished or not', () => {
    const wanted = desired('a', a);
    const journal = foldJournal([intent('a', wanted), created('a', 'rs_7')]);
    expect(sourceOf(plan([wanted], emptyLock, [], { journal }).changes[0])).toEqual({
      kind: 'journal',
      id: 'a',
      session: 'rs_7',
      rendering: null,
    });
    const ended = foldJournal([intent('a', wanted), created('a', 'rs_a'), rendered('a')]);
    const made = plan([wanted], emptyLock, [], { journal: ended });
    expect(sourceOf(made.changes[0])).toMatchObject({ session: 'rs_a', rendering: rendering('a') });
    expect(plan([wanted], applied(emptyLock, made), [], { journal: ended }).changes.map(brief)).toEqual([
      ['a', 'noop', null],
    ]);
  });

  test('warns about a request with an unknown outcome and plans the render', () => {
    const wanted = desired('a', a);
    const { changes, diagnostics } = plan([wanted], emptyLock, [], { journal: foldJournal([intent('a', wanted)]) });
    expect(changes.map(brief)).toEqual([['a', 'create', 'new']]);
    expect(diagnostics).toMatchObject([{ code: 'session_unknown', severity: 'warning', video: 'a' }]);
  });

  test('adopts an entry of an earlier lockfile', () => {
    const former = lockOf(desired('old', a)).videos.get('old')!;
    const history = new Map([[former.fingerprint, { commit: 'c0ffee', isMerged: true, id: 'old', entry: former }]]);
    const made = plan([desired('a', a)], lockOf(desired('a', b)), [], { history });
    expect(made.changes.map(brief)).toEqual([['a', 'adopt', 'input_changed']]);
    expect(lockEdits(made.changes[0]!, former).get('a')).toMatchObject({
      session: 'rs_old',
      video_url: 'renders/old.mp4',
      title: 'The video a',
    });
  });

  test('renders requested videos despite existing renderings', () => {
    const lock = lockOf(desired('a', a), desired('b', b));
    const requested = (id: string): boolean => id === 'a';
    expect(plan([desired('a', a), desired('b', b)], lock, [], { requested }).changes.map(brief)).toEqual([
      ['a', 'update', 'requested'],
      ['b', 'noop', null],
    ]);
  });

  test('adopts a rendering of an earlier run for a request, but not the one in the lockfile', () => {
    const wanted = desired('a', a);
    const lock = lockOf(wanted);
    const requested = (): boolean => true;
    const present = foldJournal([intent('a', wanted), rendered('a')]);
    expect(plan([wanted], lock, [], { requested, journal: present }).changes.map(brief)).toEqual([
      ['a', 'update', 'requested'],
    ]);
    const later = foldJournal([intent('later', wanted), rendered('later', '2026-02-02T00:00:00.000Z')]);
    expect(plan([wanted], lock, [], { requested, journal: later }).changes.map(brief)).toEqual([
      ['a', 'adopt', 'requested'],
    ]);
  });

  test('records a requested rendering of a run that died, even if it is not requested again', () => {
    const wanted = desired('a', a, { service: 'https://api.example.com', renderEpoch: null });
    const again: JournalRecord = {
      type: 'rendered',
      key: 'key-a',
      at: AT,
      rendering: { ...rendering('again'), rendered_at: '2026-02-02T00:00:00.000Z' },
    };
    const journal = foldJournal([intent('a', wanted), again]);
    const made = plan([wanted], lockOf(wanted), [], { journal });
    expect(made.changes.map(brief)).toEqual([['a', 'adopt', 'requested']]);
    const older = foldJournal([intent('a', wanted), rendered('older')]);
    expect(plan([wanted], lockOf(wanted), [], { journal: older }).changes.map(brief)).toEqual([['a', 'noop', null]]);
  });
});

const delivered = (id: string, ...places: string[]): JournalRecord => ({
  type: 'delivered',
  session: `rs_${id}`,
  at: AT,
  deliveries: places.map((to) => ({ to })),
});

describe('deliveries of an earlier run', () => {
  const to = ['s3://videos/1.mp4', 's3://videos/2.mp4'];
  const remote = { service: 'https://api.example.com', renderEpoch: null };
  const wanted = desired('a', { ...a, deliver: to.map(place) });
  /** Returns a journal of runs whose machines no longer exist. */
  const lost = (...records: JournalRecord[]) => {
    const journal = foldJournal(records);
    return { journal: { ...journal, attempts: new Map() }, gone: [...journal.attempts.values()] };
  };

  test('are completed and recorded for the remaining destinations', () => {
    const journal = foldJournal([intent('a', wanted), rendered('a'), delivered('a', to[0]!, 's3://elsewhere')]);
    const made = plan([wanted], emptyLock, [], { journal });
    expect(made.changes).toMatchObject([{ action: 'adopt', destinations: [{ kind: 'deliver', to: to[1] }] }]);
    expect(lockEdits(made.changes[0]!, rendering('a')).get('a')?.deliveries).toEqual([{ to: to[0] }]);
    expect(applied(emptyLock, made).videos.get('a')?.deliveries).toEqual(to.map((one) => ({ to: one })));
  });

  test('let a video be adopted without its file if every destination has it', () => {
    const seen = lost(intent('a', wanted), rendered('a'), delivered('a', ...to));
    const made = plan([wanted], lockOf(desired('a', b)), [], seen);
    expect(made.changes).toMatchObject([{ action: 'adopt', reason: 'input_changed', destinations: [] }]);
    const after = applied(emptyLock, made);
    expect(after.videos.get('a')).toMatchObject({ session: 'rs_a', deliveries: to.map((one) => ({ to: one })) });
    expect(plan([wanted], after, ['a'], seen).changes.map(brief)).toEqual([['a', 'noop', null]]);
  });

  test.each<[string, JournalRecord[]]>([
    ['a delivery is missing', [delivered('a', to[0]!)]],
    ['no delivery is recorded', []],
    ['another video has replaced it', [delivered('a', ...to), delivered('other', to[1]!)]],
    ['it was abandoned', [delivered('a', ...to), { type: 'abandoned', key: 'key-a', at: AT }]],
  ])('do not prevent a render if the file is gone and %s', (_, lines) => {
    const records = [intent('a', wanted), rendered('a'), ...lines];
    const { journal, gone } = lost(...records);
    const seen = { journal, gone: gone.filter(({ state }) => state === 'rendered') };
    const { changes } = plan([wanted], emptyLock, [], seen);
    expect(changes).toMatchObject([{ action: 'create', destinations: [{ to: to[0] }, { to: to[1] }] }]);
  });

  test('to a folder are lost with their machine, except for those of a service', () => {
    const here = desired('a', { ...a, deliver: [place('file:out/a.mp4')] });
    const there = desired('a', { ...a, deliver: [place('file:/out/a.mp4')] }, remote);
    const embedded = lost(intent('a', here), rendered('a'), delivered('a', 'file:out/a.mp4'));
    expect(plan([here], emptyLock, [], embedded).changes.map(brief)).toEqual([['a', 'create', 'new']]);
    const journal = foldJournal([intent('a', there), rendered('a'), delivered('a', 'file:/out/a.mp4')]);
    expect(plan([there], emptyLock, [], { journal }).changes).toMatchObject([{ action: 'adopt', destinations: [] }]);
  });

  test('are ignored if another rendering is requested', () => {
    const seen = lost(intent('a', wanted), rendered('a'), delivered('a', ...to));
    const requested = (): boolean => true;
    expect(plan([wanted], emptyLock, [], { ...seen, requested }).changes.map(brief)).toEqual([['a', 'create', 'new']]);
  });

  test('leave an empty plan after an apply, however many were completed', () => {
    fc.assert(
      fc.property(anyWorld, fc.func(fc.boolean()), ({ lock, videos }, hasArrived) => {
        const records = videos.flatMap((video) => {
          const places = video.deliver.flatMap((one) => (hasArrived(video.id, one.to) ? [one.to] : []));
          return [intent(video.id, video), rendered(video.id), delivered(video.id, ...places)];
        });
        const seen = lost(...records);
        const made = plan(videos, lock, [], seen);
        for (const change of made.changes) {
          if (change.action !== 'adopt' || change.source.kind !== 'journal') continue;
          // A file that is not here cannot be delivered.
          expect(delivers(change)).toBe(false);
          expect(change.desired.deliver.length).toBeGreaterThan(0);
        }
        const missing = made.changes.flatMap((one) =>
          one.action === 'adopt' && one.source.kind === 'journal' ? [one.id] : [],
        );
        const again = plan(videos, applied(lock, made), missing, seen);
        expect(again.changes.filter(renders)).toEqual([]);
        expect(again.changes.filter(({ action }) => action !== 'noop')).toEqual([]);
      }),
    );
  });
});
