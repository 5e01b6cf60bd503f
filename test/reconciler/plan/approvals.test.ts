import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Lock } from '../../../src/reconciler/lock/lock.ts';
import { approvalsOf, ReviewedPlans, splitApprovals } from '../../../src/reconciler/plan/approvals.ts';
import type { Plan } from '../../../src/reconciler/plan/plan.ts';
import { type PlanDocument, planDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { anyWorld, applied, desired, emptyLock, lockOf, place, plan, text } from './videos.ts';

const document = (made: Plan): PlanDocument => planDocument(made, '0.1.0', []);

/** Returns the changes of a plan that the reviewed plans do not approve, with the reasons. */
function unapproved(made: Plan, ...reviewed: (readonly [plan: Plan, lock: Lock])[]): Record<string, string | null> {
  const reviews = new ReviewedPlans(made);
  for (const [shown, lock] of reviewed) reviews.add(splitApprovals(approvalsOf(document(shown)).join('')), lock);
  return Object.fromEntries(reviews.rest.map((change) => [change.id, reviews.whyNot(change)]));
}

const berlin = desired('berlin', { resources: { t_01: text('Old') } });
const changed = desired('berlin', { resources: { t_01: text('New') } });
const rome = desired('rome');
const NOT_SHOWN = 'no reviewed plan shows it';

describe('ReviewedPlans', () => {
  test('approves a plan that was reviewed, each part of it, and what is left after a part was applied', () => {
    fc.assert(
      fc.property(anyWorld, fc.func(fc.boolean()), ({ videos, lock, missing }, isDone) => {
        const made = plan(videos, lock, missing);
        expect(unapproved(made, [made, lock])).toEqual({});
        const part = { ...made, changes: made.changes.filter(({ id }) => isDone(id)) };
        expect(unapproved(part, [made, lock])).toEqual({});
        // The source of an adoption may be gone afterwards.
        if (made.changes.some(({ action }) => action === 'adopt' || action === 'move')) return;
        expect(unapproved(plan(videos, applied(lock, part), missing), [made, lock])).toEqual({});
      }),
    );
  });

  test('approves the union of two plans, and names what neither shows', () => {
    const both = plan([changed, rome], lockOf(berlin));
    const one = plan([changed], lockOf(berlin));
    const other = plan([berlin, rome], lockOf(berlin));
    expect(unapproved(both, [one, lockOf(berlin)], [other, lockOf(berlin)])).toEqual({});
    expect(unapproved(both, [one, lockOf(berlin)])).toEqual({ rome: NOT_SHOWN });
    expect(unapproved(both)).toEqual({ berlin: NOT_SHOWN, rome: NOT_SHOWN });
    expect(unapproved(both, [plan([rome], emptyLock), emptyLock])).toEqual({ berlin: NOT_SHOWN });
  });

  test('approves a change that was planned from the lockfile before another merge was rendered', () => {
    const middle = desired('berlin', { title: 'Middle', resources: { t_01: text('Old'), t_02: text('More') } });
    const final = desired('berlin', { title: 'Middle', resources: { t_01: text('New'), t_02: text('More') } });
    // It shows both merges, because the first one was not rendered yet.
    const reviewed = plan([final], lockOf(berlin));
    const now = plan([final], lockOf(middle));
    expect(document(now).changes[0]!.inputs).not.toEqual(document(reviewed).changes[0]!.inputs);
    expect(unapproved(now, [reviewed, lockOf(berlin)])).toEqual({});
    expect(unapproved(now, [reviewed, emptyLock])).toEqual({ berlin: NOT_SHOWN });
  });

  test('refuses a plan that shows other values for the same fingerprint', () => {
    const made = plan([changed], lockOf(berlin));
    const [change] = document(made).changes;
    const forged = { ...change!, inputs: [{ ...change!.inputs[0]!, after: 'Harmless' }] };
    const reviews = new ReviewedPlans(made);
    reviews.add(new Set(approvalsOf({ changes: [forged] })), lockOf(berlin));
    expect(reviews.rest.map(({ id }) => id)).toEqual(['berlin']);
  });

  test('refuses a render where an adoption was approved, and accepts the reverse', () => {
    const copy = desired('copy', { title: berlin.title, resources: { t_01: text('Old') } });
    const adopts = plan([berlin, copy], lockOf(berlin));
    const renders = plan([copy], emptyLock);
    expect(adopts.changes.map(({ action }) => action)).toEqual(['noop', 'adopt']);
    expect(unapproved(renders, [adopts, lockOf(berlin)])).toEqual({
      copy: 'it needs rendering now, but the reviewed plan does not render it',
    });
    expect(unapproved(adopts, [renders, emptyLock])).toEqual({});
  });

  test('approves deliveries one by one', () => {
    const to = ['s3://videos/1.mp4', 's3://videos/2.mp4'] as const;
    const [one, both] = [[place(to[0])], to.map(place)].map((deliver) => desired('rome', { deliver })) as [
      typeof rome,
      typeof rome,
    ];
    expect(unapproved(plan([one], emptyLock), [plan([both], emptyLock), emptyLock])).toEqual({});
    expect(unapproved(plan([both], emptyLock), [plan([one], emptyLock), emptyLock])).toEqual({
      rome: `no reviewed plan delivers it to ${to[1]}`,
    });
  });

  test('needs approval to forget a video, but none to restore a file', () => {
    const made = plan([berlin], lockOf(berlin, rome), ['berlin']);
    expect(unapproved(made)).toEqual({ rome: NOT_SHOWN });
    expect(unapproved(made, [plan([], lockOf(rome)), lockOf(rome)])).toEqual({});
  });
});
