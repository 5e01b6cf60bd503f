import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sha256 } from '../../../src/kernel/digest.ts';
import { type Estimate, estimatePlan } from '../../../src/reconciler/plan/estimate-plan.ts';
import { ACTIONS, type Prices } from '../../../src/reconciler/plan/plan.ts';
import {
  type ChangeDocument,
  type PlanDocument,
  planDocument,
  planId,
  splitRestores,
} from '../../../src/reconciler/plan/plan-document.ts';
import { anyWorld, color, desired, emptyLock, lasting, lockOf, plan, text } from './videos.ts';

const schema = JSON.parse(
  await readFile(new URL('../../../schemas/reelform-plan.schema.json', import.meta.url), 'utf8'),
);
const isPlanDocument = new Ajv({ allErrors: true, strict: true }).compile(schema);

const document = (...args: Parameters<typeof plan>): PlanDocument => planDocument(plan(...args), '0.1.0', []);

const berlin = desired('berlin', { title: 'Berlin', resources: { t_01: text('Old'), c_01: color('EEADA7') } });
const changed = desired('berlin', { title: 'Bärlin', resources: { t_01: text('New'), c_01: color('EEADA7') } });
const rome = desired('rome', { resources: { t_01: text('Roma') } });

describe('planDocument()', () => {
  test('lists changes and counts unchanged videos', () => {
    expect(document([changed, rome, desired('oslo')], lockOf(berlin, rome))).toEqual({
      format_version: '1.0',
      tool_version: '0.1.0',
      plan_id: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      complete: true,
      summary: { create: 1, update: 1, noop: 1 },
      estimate: { renders: 2, seconds_of_video: 24 },
      deliveries: 0,
      changes: [
        {
          id: 'berlin',
          path: 'videos/berlin.yaml',
          previous_id: null,
          title: 'Bärlin',
          template: 'launch',
          action: 'update',
          reason: 'input_changed',
          inputs: [{ key: 't_01', before: 'Old', after: 'New', kind: 'text' }],
          fields: [{ field: 'title', before: 'Berlin', after: 'Bärlin' }],
          destinations: [],
          before: { fingerprint: berlin.fingerprint, session: 'rs_berlin', video_url: 'renders/berlin.mp4' },
          after: { fingerprint: changed.fingerprint },
          source: null,
        },
        expect.objectContaining({ id: 'oslo', action: 'create', reason: 'new', before: null }),
      ],
      diagnostics: [],
    });
  });

  test('has no path and no fingerprint for forgotten videos', () => {
    expect(document([], lockOf(berlin)).changes).toMatchObject([{ path: null, title: 'Berlin', after: null }]);
  });

  test('orders counts like the actions', () => {
    const lock = lockOf(berlin, desired('gone', { resources: {} }), rome);
    const { summary } = document([changed, desired('new'), rome], lock, ['rome']);
    expect(Object.keys(summary)).toEqual(['create', 'update', 'restore', 'forget']);
  });

  test('estimates zero for an empty plan', () => {
    expect(document([], emptyLock)).toMatchObject({ summary: {}, estimate: { renders: 0, seconds_of_video: 0 } });
  });

  test('omits the estimated seconds if the length of any video is unknown', () => {
    const { estimate } = document([desired('a'), desired('b', { resources: {} }, lasting(null))], emptyLock);
    expect(estimate).toEqual({ renders: 2, seconds_of_video: null });
  });

  test('rounds the sum of seconds to milliseconds', () => {
    const videos = ['a', 'b', 'c'].map((id) => desired(id, { resources: { t_01: text(id) } }, lasting(0.1)));
    expect(document(videos, emptyLock).estimate.seconds_of_video).toBe(0.3);
  });

  test('estimates the cost if prices are configured and the lengths are known', () => {
    const cost = (prices: Omit<Prices, 'currency'>, seconds: number | null): Estimate['cost'] => {
      const priced = {
        ...plan([desired('a', { resources: {} }, lasting(seconds))], emptyLock),
        prices: { currency: 'EUR', ...prices },
      };
      return estimatePlan(priced).cost;
    };
    expect(cost({ perRender: 0.1, perSecond: 0.2 }, 12)).toEqual({ amount: 2.5, currency: 'EUR' });
    expect(cost({ perRender: 0.1, perSecond: 0 }, null)).toEqual({ amount: 0.1, currency: 'EUR' });
    expect(cost({ perRender: 0.1, perSecond: 0.2 }, null)).toEqual({ amount: null, currency: 'EUR' });
    expect(
      estimatePlan({ ...plan([], emptyLock), prices: { currency: 'EUR', perRender: 1, perSecond: 1 } }).cost,
    ).toBeUndefined();
  });

  test('estimates restores separately from paid renders', () => {
    const [old, kept] = [desired('a'), desired('b', { resources: { t_01: text('B') } }, lasting(null))];
    const prices = { currency: 'EUR', perRender: 1, perSecond: 1 };
    const estimate = (...missing: string[]): Estimate =>
      estimatePlan({ ...plan([old, kept, desired('c', { resources: {} })], lockOf(old, kept), missing), prices });
    const rendered = { renders: 1, seconds_of_video: 12, cost: { amount: 13, currency: 'EUR' } };
    expect(estimate()).toEqual(rendered);
    expect(estimate('a')).toEqual({ ...rendered, restores: { videos: 1, seconds_of_video: 12 } });
    expect(estimate('a', 'b')).toEqual({ ...rendered, restores: { videos: 2, seconds_of_video: null } });
  });

  test('splitRestores() keeps a restore among the changes if it changes more than a local file', () => {
    const made = document([desired('a', { title: 'New' }), desired('b')], lockOf(desired('a'), desired('b')), [
      'a',
      'b',
    ]);
    const { changes, restores } = splitRestores(made);
    expect([changes, restores].map((some) => some.map(({ id }) => id))).toEqual([['a'], ['b']]);
  });

  test('includes the given diagnostics', () => {
    const diagnostics = [{ code: 'text_too_long', severity: 'warning', message: 'Too long' }];
    expect(planDocument(plan([], emptyLock), '0.1.0', diagnostics).diagnostics).toBe(diagnostics);
  });

  test('follows the published schema', () => {
    fc.assert(
      fc.property(anyWorld, ({ videos, lock, missing }) => {
        const made = JSON.parse(JSON.stringify(document(videos, lock, missing)));
        expect(isPlanDocument(made), JSON.stringify(isPlanDocument.errors)).toBe(true);
      }),
    );
  });

  describe('plan_id', () => {
    test('can be computed from the document', () => {
      fc.assert(
        fc.property(anyWorld, ({ videos, lock, missing }) => {
          const { plan_id, changes } = document(videos, lock, missing);
          const rows = changes.map((one) => [
            ...[one.id, one.path, one.previous_id, one.title, one.template, one.action],
            one.before && [one.before.fingerprint, one.before.session, one.before.video_url],
            one.after?.fingerprint,
            one.inputs.map((input) => [input.key, input.before, input.after, input.kind, input.value]),
            one.fields.map((field) => [field.field, field.before, field.after]),
            one.destinations!.map((to) => [to.kind, to.to, to.credential, to.output]),
          ]);
          expect(plan_id).toBe(`sha256:${sha256(JSON.stringify(rows))}`);
        }),
      );
    });

    test('does not depend on the tool, labels or unchanged videos', () => {
      const { plan_id } = document([changed], lockOf(berlin));
      const labelled = planDocument(plan([changed, rome], lockOf(berlin, rome)), '9.9.9', [], () => 'Headline');
      expect(labelled.plan_id).toBe(plan_id);
    });

    test('depends on every value that the plan shows', () => {
      const { changes, plan_id } = document([changed], lockOf(berlin));
      const [change] = changes;
      const [input] = change!.inputs;
      const forged: Partial<ChangeDocument>[] = [
        { title: 'Other' },
        { template: 'other' },
        { path: 'videos/other.yaml' },
        { inputs: [] },
        { inputs: [{ ...input!, after: 'Other' }] },
        { inputs: [{ ...input!, before: 'Other' }] },
        { inputs: [{ ...input!, value: 'Other' }] },
        { fields: [{ field: 'labels.market', before: null, after: 'de' }] },
        { before: { ...change!.before!, video_url: 'https://elsewhere.example/1.mp4' } },
        { destinations: [{ kind: 'release', to: 's3://videos/1.mp4', credential: null }] },
      ];
      const ids = forged.map((fields) => planId([{ ...change!, ...fields }]));
      expect(new Set([plan_id, ...ids]).size).toBe(forged.length + 1);
    });

    test('depends on the actions', () => {
      const ids = [
        document([], emptyLock),
        document([berlin], emptyLock),
        document([changed], emptyLock),
        document([changed], lockOf(berlin)),
        document([], lockOf(berlin)),
        document([berlin], lockOf(berlin), ['berlin']),
      ].map(({ plan_id }) => plan_id);
      expect(new Set(ids).size).toBe(ids.length);
    });
  });
});

describe('schemas/reelform-plan.schema.json', () => {
  test('lists every action', () => {
    expect(schema.definitions.action.enum).toEqual([...ACTIONS]);
  });

  test('accepts a later minor version', () => {
    const made = document([changed], lockOf(berlin));
    const later = {
      ...made,
      format_version: '1.7',
      credits: 3,
      changes: [{ ...made.changes[0], reason: 'moon_phase', previews: [] }],
    };
    expect(isPlanDocument(later)).toBe(true);
  });

  test.each([
    ['another major version', { format_version: '2.0' }],
    ['an unknown action', { summary: { destroy: 1 } }],
    ['a count of zero', { summary: { create: 0 } }],
    ['an invalid plan id', { plan_id: 'sha256:1' }],
    ['no changes', { changes: undefined }],
    ['a change without id', { changes: [{ ...document([berlin], emptyLock).changes[0], id: undefined }] }],
  ])('refuses %s', (_, wrong) => {
    expect(isPlanDocument(JSON.parse(JSON.stringify({ ...document([], emptyLock), ...wrong })))).toBe(false);
  });
});
