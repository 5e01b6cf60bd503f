import { describe, expect, test } from 'vitest';
import { serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import { lockEdits } from '../../../src/reconciler/plan/lock-edits.ts';
import type { Plan } from '../../../src/reconciler/plan/plan.ts';
import { planDocument } from '../../../src/reconciler/plan/plan-document.ts';
import { parsePlanDocument, reviewedPlan } from '../../../src/reconciler/plan/saved-plan.ts';
import { applied, desired, lockOf, place, plan, rendering, text } from './videos.ts';

const to = (...places: string[]) => desired('berlin', { deliver: places.map(place) });
const told = ({ changes }: Plan) =>
  changes.map(({ action, reason, destinations }) => [
    action,
    reason,
    ...destinations.map((one) => `${one.kind} ${one.to}`),
  ]);

describe('planVideos() with destinations', () => {
  const here = to('s3://a/{id}.mp4');

  test.each([
    ['the same place', here, [['noop', null]]],
    [
      'another place',
      to('s3://b/'),
      [['deliver', 'destination_changed', 'deliver s3://b/berlin.mp4', 'release s3://a/berlin.mp4']],
    ],
    ['one more', to('s3://a/{id}.mp4', 's3://b/'), [['deliver', 'not_delivered', 'deliver s3://b/berlin.mp4']]],
    ['nowhere any more', to(), [['relabel', null, 'release s3://a/berlin.mp4']]],
  ])('%s', (_, video, changes) => {
    const lock = lockOf(here);
    expect(told(plan([video], lock))).toEqual(changes);
    expect(told(plan([video], applied(lock, plan([video], lock))))).toEqual([['noop', null]]);
  });

  test('delivers a new rendering to every destination and releases former ones', () => {
    const anew = desired('berlin', { resources: { t_01: text('New') }, deliver: [place('s3://a/'), place('s3://b/')] });
    expect(told(plan([anew], lockOf(to('s3://a/', 's3://c/'))))).toEqual([
      [
        'update',
        'input_changed',
        'deliver s3://a/berlin.mp4',
        'deliver s3://b/berlin.mp4',
        'release s3://c/berlin.mp4',
      ],
    ]);
  });

  test('combines a delivery with a move and a new title', () => {
    const moved = desired('roma', { title: 'Roma', deliver: [place('s3://a/')] });
    expect(told(plan([moved], lockOf(here)))).toEqual([
      ['move', null, 'deliver s3://a/roma.mp4', 'release s3://a/berlin.mp4'],
    ]);
  });

  test('keeps a completely delivered video even if its local file is missing', () => {
    expect(told(plan([here], lockOf(here), ['berlin']))).toEqual([['noop', null]]);
    expect(told(plan([to('s3://b/')], lockOf(here), ['berlin']))).toMatchObject([
      ['restore', 'output_missing', 'deliver s3://b/berlin.mp4', {}],
    ]);
  });

  test('keeps a lockfile without deliveries unchanged', () => {
    const text = serialiseLock(lockOf(to()));
    expect(text).not.toContain('deliveries');
    expect(serialiseLock(applied(lockOf(to()), plan([to()], lockOf(to()))))).toBe(text);
  });
});

describe('lockEdits() with destinations', () => {
  test('records only completed deliveries, sorted', () => {
    const video = to('s3://c/', 's3://a/', 's3://b/');
    const [change] = plan([video], lockOf()).changes;
    const arrived = [{ to: 's3://c/berlin.mp4' }, { to: 's3://b/berlin.mp4', url: 'https://b.example/' }];
    const entry = lockEdits(change!, rendering('berlin'), arrived).get('berlin')!;
    expect(entry.deliveries).toEqual([
      { to: 's3://b/berlin.mp4', url: 'https://b.example/' },
      { to: 's3://c/berlin.mp4' },
    ]);
    expect(Object.keys(entry).indexOf('deliveries')).toBe(Object.keys(entry).indexOf('video_url') + 1);
  });
});

describe('a saved plan', () => {
  const saved = (one: Plan) => {
    const document = parsePlanDocument(JSON.stringify(planDocument(one, '0.1.0', [])), 'plan.json');
    if (!document.ok) throw new Error(document.diagnostics[0]?.message);
    return document.value;
  };
  const document = saved(plan([to('s3://a/')], lockOf()));

  test('is stale if the destination of the video differs', () => {
    expect(reviewedPlan(document, plan([to('s3://b/')], lockOf())).ok).toBe(false);
    expect(reviewedPlan(document, plan([to('s3://a/')], lockOf())).ok).toBe(true);
  });

  test('omits completed deliveries', () => {
    expect(reviewedPlan(document, plan([to('s3://a/')], lockOf(to('s3://a/')))).ok).toBe(true);
    expect(reviewedPlan(document, plan([to('s3://b/')], lockOf(to('s3://b/')))).ok).toBe(false);
  });

  test('has an id that depends on its destinations', () => {
    const ids = [to(), to('s3://a/'), to('s3://b/')].map((video) => saved(plan([video], lockOf())).plan_id);
    expect(new Set(ids).size).toBe(3);
    const edited = JSON.stringify(document).replace('s3://a/', 's3://x/');
    expect(parsePlanDocument(edited, 'plan.json').ok).toBe(false);
  });
});
