import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldJournal } from '../../../src/reconciler/lock/fold-journal.ts';
import type { Lock } from '../../../src/reconciler/lock/lock.ts';
import type { DesiredVideo } from '../../../src/reconciler/plan/desired-video.ts';
import { editLock, lockEdits } from '../../../src/reconciler/plan/lock-edits.ts';
import { type Change, isEmptyPlan, type Plan, renders } from '../../../src/reconciler/plan/plan.ts';
import {
  type ChangeDocument,
  type PlanDocument,
  planDocument,
  planId,
} from '../../../src/reconciler/plan/plan-document.ts';
import { parsePlanDocument, reviewedPlan, savedDemands } from '../../../src/reconciler/plan/saved-plan.ts';
import { intent } from '../lock/journal-arbitrary.ts';
import { anyWorld, applied, desired, emptyLock, lockOf, place, plan, rendering, text } from './videos.ts';

const save = (made: Plan): PlanDocument => {
  const text = JSON.stringify(planDocument(made, '0.1.0', []));
  const read = parsePlanDocument(text, 'plan.json');
  if (!read.ok) throw new Error(read.diagnostics[0]!.message);
  return read.value;
};

/** Reviews a saved plan against the current state. */
function review(document: PlanDocument, videos: readonly DesiredVideo[], lock: Lock, missing: readonly string[] = []) {
  return reviewedPlan(document, plan(videos, lock, missing, savedDemands(document, lock)));
}

const berlin = desired('berlin', { resources: { t_01: text('Old') } });
const changed = desired('berlin', { resources: { t_01: text('New') } });
const other = desired('berlin', { resources: { t_01: text('Other') } });

describe('reviewedPlan()', () => {
  test('returns the plan itself while nothing has changed, and an empty plan once it was applied', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const made = plan(videos, lock, missing);
        const document = save(made);
        const fresh = review(document, videos, lock, missing);
        expect(fresh.ok && fresh.value.changes).toEqual(made.changes.filter(({ action }) => action !== 'noop'));
        const again = review(document, videos, applied(lock, made));
        expect(again.ok && isEmptyPlan(again.value)).toBe(true);
      }),
    );
  });

  test('restores only what the plan lists, whatever is missing or damaged on this machine', () => {
    const retitled = desired('berlin', { resources: { t_01: text('Old') }, title: 'Old' });
    const lock = lockOf(berlin);
    const reviewed = save(plan([retitled], lock, ['berlin'], { restores: () => false }));
    const here = review(reviewed, [retitled], lock, ['berlin']);
    expect(here.ok && here.value.changes).toMatchObject([{ action: 'relabel' }]);
    // Planning finds differing digests only with --refresh, so the saved plan must carry them.
    const damaged = save(plan([berlin], lock, [], { damagedOutputs: new Set(['berlin']) }));
    const restored = review(damaged, [berlin], lock);
    expect(restored.ok && restored.value.changes).toMatchObject([{ action: 'restore', reason: 'output_damaged' }]);
  });

  test('accepts work that another run has done in the meantime, and delivers nothing beyond the plan', () => {
    const to = ['s3://videos/1.mp4', 's3://videos/2.mp4'];
    const wanted = desired('berlin', { deliver: to.map(place) });
    const session = 'rs_berlin';
    const journal = (...places: string[]) =>
      foldJournal([
        { type: 'intent', ...intent('k'), fingerprint: wanted.fingerprint },
        { type: 'rendered', key: 'k', rendering: rendering('berlin'), at: '' },
        { type: 'delivered', session, deliveries: places.map((one) => ({ to: one })), at: '' },
      ]);
    const planned = save(plan([wanted], emptyLock));
    for (const places of [[], to.slice(1), to]) {
      const adopted = plan([wanted], emptyLock, [], { journal: journal(...places) });
      expect(reviewedPlan(planned, adopted)).toEqual({ ok: true, value: adopted });
      expect(reviewedPlan(save(adopted), adopted)).toEqual({ ok: true, value: adopted });
    }
    const nothingSent = save(plan([wanted], emptyLock, [], { journal: journal(...to) }));
    const somethingSent = plan([wanted], emptyLock, [], { journal: journal(to[0]!) });
    const stale = (why: string) => ({ ok: false, diagnostics: [{ message: expect.stringContaining(why) }] });
    expect(reviewedPlan(nothingSent, somethingSent)).toMatchObject(stale('its destinations have changed'));
    expect(reviewedPlan(nothingSent, plan([wanted], emptyLock))).toMatchObject(
      stale('it needs rendering now, but the plan does not render it'),
    );
    const less = desired('berlin', { deliver: [place(to[0]!)] });
    const elsewhere = plan([less], emptyLock, [], { journal: journal(...to) });
    expect(reviewedPlan(planned, elsewhere)).toMatchObject(stale('its destinations have changed'));
  });

  test('continues with the rest after a partial apply', () => {
    fc.assert(
      fc.property(anyWorld, fc.func(fc.boolean()), ({ videos, lock, missing }, isDone) => {
        const made = plan(videos, lock, missing);
        // Changes without a render are recorded before anything is rendered.
        const isAtOnce = (change: Change): boolean =>
          !renders(change) && !(change.action === 'adopt' && change.source.kind === 'planned');
        const done = made.changes.filter((change) => isAtOnce(change) || (renders(change) && isDone(change.id)));
        const partly = editLock(
          lock,
          done.map((change) => lockEdits(change, rendering(change.id))),
        );
        const found = new Set<string>(done.map(({ id, previousId }) => previousId ?? id));
        const stillMissing = missing.filter((id) => !found.has(id));
        const left = review(save(made), videos, partly, stillMissing);
        expect(left.ok, JSON.stringify(left)).toBe(true);
      }),
    );
  });

  test.each<[string, DesiredVideo[], Lock]>([
    ['the definition changed', [other], lockOf(berlin)],
    ['the definition is gone', [], lockOf(berlin)],
    ['the title changed', [{ ...changed, title: 'Another' }], lockOf(berlin)],
    ['another run rendered something else', [changed], lockOf(other)],
    ['another run rendered the old content again', [changed], editLock(emptyLock, [again('berlin', berlin)])],
    ['another run forgot the entry', [changed], emptyLock],
  ])('is stale when %s', (_, videos, lock) => {
    const read = review(save(plan([changed], lockOf(berlin))), videos, lock);
    expect(read).toMatchObject({ ok: false, diagnostics: [{ code: 'plan_stale', video: 'berlin' }] });
  });

  test('is stale if the title would differ from the approved one', () => {
    const retitled = { ...berlin, title: 'Another' };
    const document = save(plan([retitled], lockOf(berlin)));
    expect(review(document, [berlin], lockOf(berlin))).toMatchObject({ ok: false });
    expect(review(document, [retitled], lockOf(retitled))).toMatchObject({ ok: true });
  });

  test('reports every stale video', () => {
    const videos = [desired('a', { resources: {} }), desired('b')];
    const read = review(save(plan(videos, emptyLock)), [], emptyLock);
    expect(read).toMatchObject({ ok: false, diagnostics: [{ video: 'a' }, { video: 'b' }] });
  });

  test('ignores videos that are not in the plan', () => {
    const read = review(save(plan([changed], lockOf(berlin))), [changed, desired('new')], lockOf(berlin));
    expect(read.ok && read.value.changes.map(({ id }) => id)).toEqual(['berlin']);
  });

  test('adopts a rendering that appeared in the meantime, but does not render instead of adopting', () => {
    const twin = desired('rome', { resources: { t_01: text('New') } });
    const document = save(plan([changed], lockOf(berlin)));
    const cheaper = review(document, [changed, twin], lockOf(berlin, twin));
    expect(cheaper.ok && cheaper.value.changes.map(({ action }) => action)).toEqual(['adopt']);
    const adoption = save(plan([changed, twin], lockOf(berlin, twin)));
    expect(review(adoption, [changed], lockOf(berlin))).toMatchObject({ ok: false });
  });

  test('renders requested videos once, even if applied twice', () => {
    const lock = lockOf(berlin);
    const document = save(plan([berlin], lock, [], { requested: () => true }));
    const first = review(document, [berlin], lock);
    expect(first.ok && first.value.changes).toMatchObject([{ action: 'update', reason: 'requested' }]);
    const second = review(document, [berlin], editLock(lock, [again('berlin', berlin)]));
    expect(second.ok && isEmptyPlan(second.value)).toBe(true);
  });

  test('renders again a video that a refresh found lost', () => {
    const lock = lockOf(berlin);
    const refreshed = new Map([['berlin', 'url_lost' as const]]);
    const read = review(save(plan([berlin], lock, [], { refreshed })), [berlin], lock);
    expect(read.ok && read.value.changes).toMatchObject([{ action: 'update', reason: 'url_lost' }]);
  });
});

describe('a plan whose shown values were edited', () => {
  const good = planDocument(plan([changed], lockOf(berlin)), '0.1.0', []);
  const forge = (fields: Partial<ChangeDocument>): PlanDocument => {
    const changes = [{ ...good.changes[0]!, ...fields }];
    return { ...good, changes, plan_id: planId(changes) };
  };

  test.each<[string, Partial<ChangeDocument>]>([
    ['value', { inputs: [{ ...good.changes[0]!.inputs[0]!, after: 'Harmless' }] }],
    ['missing value', { inputs: [] }],
    ['title', { title: 'Harmless' }],
    ['template', { template: 'harmless' }],
  ])('is refused as stale when its id fits again: another %s', (_, fields) => {
    expect(review(forge({}), [changed], lockOf(berlin)).ok).toBe(true);
    expect(review(forge(fields), [changed], lockOf(berlin))).toMatchObject({
      ok: false,
      diagnostics: [{ code: 'plan_stale', message: expect.stringContaining('it shows other values') }],
    });
  });

  test.each([
    { summary: {} },
    { summary: { ...good.summary, create: 1 } },
    { estimate: { ...good.estimate, renders: 0 } },
  ])('is refused when its counts are not those of its changes: %j', (fields) => {
    expect(parsePlanDocument(JSON.stringify({ ...good, ...fields }), 'plan.json')).toMatchObject({
      ok: false,
      diagnostics: [{ message: expect.stringContaining('its counts do not match its changes') }],
    });
  });
});

describe('parsePlanDocument()', () => {
  const good = planDocument(plan([changed], lockOf(berlin)), '0.1.0', []);
  const parse = (document: unknown) => parsePlanDocument(JSON.stringify(document), 'plan.json');

  test.each<[string, string]>([
    ['no JSON', '{'],
    ['another document', '{"videos": {}}'],
    ['a list', '[]'],
    ['a higher major version', JSON.stringify({ ...good, format_version: '2.0' })],
    ['no changes', JSON.stringify({ ...good, changes: null })],
    ['a change without sides', JSON.stringify({ ...good, changes: [{ id: 'berlin', action: 'update' }] })],
    ['an unknown action', JSON.stringify({ ...good, changes: [{ ...good.changes[0], action: 'explode' }] })],
    ['an edited change', JSON.stringify({ ...good, changes: [{ ...good.changes[0], action: 'create' }] })],
    ['errors', JSON.stringify({ ...good, diagnostics: [{ severity: 'error' }] })],
  ])('refuses %s', (_, text) => {
    expect(parsePlanDocument(text, 'plan.json')).toMatchObject({ ok: false, diagnostics: [{ code: 'plan_invalid' }] });
  });

  test('accepts fields and reasons of later minor versions', () => {
    const later = {
      ...good,
      format_version: '1.9',
      more: true,
      changes: [{ ...good.changes[0], reason: 'moonlight' }],
    };
    expect(parse(later).ok).toBe(true);
  });
});

/** Returns another rendering of the same content. */
function again(id: string, video: DesiredVideo) {
  const entry = { ...lockOf(video).videos.get(id)!, session: 'rs_again', rendered_at: '2026-02-02T00:00:00.000Z' };
  return new Map([[id, entry]]);
}
