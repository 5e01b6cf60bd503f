import { describe, expect, test } from 'vitest';
import type { Adoption, AdoptionSource, Change, Plan } from '../../../src/reconciler/plan/plan.ts';
import { type ChangeDocument, changeDocument, planDocument } from '../../../src/reconciler/plan/plan-document.ts';
import {
  estimateWords,
  groupReasonWords,
  incompleteWords,
  reasonWords,
} from '../../../src/report/wording/plan-words.ts';
import { desired, emptyLock, lockOf, plan, rendering, text } from '../../reconciler/plan/videos.ts';

const berlin = desired('berlin');
const before = lockOf(berlin).videos.get('berlin')!;

function adoption(source: AdoptionSource, changes: Partial<Adoption> = {}): Adoption {
  return {
    action: 'adopt',
    id: berlin.id,
    previousId: null,
    reason: 'new',
    inputs: [],
    fields: [],
    destinations: [],
    desired: berlin,
    before: null,
    source,
    ...changes,
  };
}

const adopted = (...args: Parameters<typeof adoption>): ChangeDocument => changeDocument(adoption(...args));

const from: Readonly<Record<string, AdoptionSource>> = {
  video: { kind: 'video', id: 'rome', rendering: rendering('rome') },
  planned: { kind: 'planned', id: desired('rome').id },
  history: { kind: 'history', commit: '1a2b3c4d5e6f', isMerged: true, id: 'old', rendering: rendering('old') },
  rendered: { kind: 'journal', id: 'berlin', session: 'rs_81f2', rendering: rendering('berlin') },
  delivered: {
    kind: 'journal',
    id: 'berlin',
    session: 'rs_81f2',
    rendering: rendering('berlin'),
    deliveries: [{ to: 's3://videos/berlin.mp4' }, { to: 'gs://videos/berlin.mp4' }],
  },
  asked: { kind: 'journal', id: 'berlin', session: 'rs_81f2', rendering: null },
};

describe('estimateWords()', () => {
  test.each([
    [0, 'about €0.00'],
    [0.0123, 'about €0.012'],
    [0.5, 'about €0.50'],
    [1234.5, 'about €1,234.50'],
    [null, 'at an unknown price'],
  ])('states the estimated cost: %s', (amount, words) => {
    const estimate = { renders: 2, seconds_of_video: 24, cost: { amount, currency: 'EUR' } };
    expect(estimateWords({ ...planDocument(plan([], emptyLock), '0.1.0', []), estimate })).toBe(
      `2 renders, 24 s of video, ${words}`,
    );
  });
});

describe('reasonWords()', () => {
  test.each([
    ['video', 'new; the same as rome', 'new; the same as other videos'],
    ['planned', 'new; rendered with rome in this plan', 'new; rendered with other videos in this plan'],
    ['history', 'new; rendered at commit 1a2b3c4 as old', 'new; rendered at earlier commits'],
    ['rendered', 'new; already rendered: session rs_81f2 of an earlier run', 'new; already rendered by earlier runs'],
    [
      'delivered',
      'new; already rendered: session rs_81f2 of an earlier run, which delivered it to s3://videos/berlin.mp4 and 1 other destination',
      'new; already rendered by earlier runs',
    ],
    ['asked', 'new; already requested: session rs_81f2 of an earlier run', 'new; already requested by earlier runs'],
  ])('states the source of an adopted rendering: %s', (source, words, groupWords) => {
    expect(reasonWords(adopted(from[source]!))).toBe(words);
    expect(groupReasonWords(adopted(from[source]!))).toBe(groupWords);
  });

  test('states the change before the source of the rendering', () => {
    const inputs = [{ key: 't_01', before: 'Old', after: 'New' }];
    expect(reasonWords(adopted(from.video!, { before, reason: 'input_changed', inputs }))).toBe(
      'a value changed; the same as rome',
    );
  });

  test.each([
    ['requested', 'requested'],
    ['url_lost', 'its video can no longer be fetched'],
    ['asset_changed', 'the content of a URL changed'],
    ['output_missing', 'its video is missing'],
  ] as const)('of a video that its definition would leave as it is: %s', (reason, words) => {
    const change: Change = {
      action: 'update',
      id: berlin.id,
      previousId: null,
      inputs: [],
      fields: [],
      destinations: [],
      desired: berlin,
      before,
      reason,
    };
    expect(reasonWords(changeDocument(change))).toBe(words);
  });
});

describe('incompleteWords()', () => {
  const whole = plan([desired('a', { resources: { t_01: text('a') } })], emptyLock);
  test.each<[Partial<Plan>, string]>([
    [{ complete: true }, ''],
    [{ complete: false, leftOut: 0 }, 'Partial plan: only selected videos. The other videos are up to date.'],
    [{ complete: false, leftOut: 1 }, 'Partial plan: only selected videos. 1 other video also needs changes.'],
    [{ complete: false, leftOut: 1200 }, 'Partial plan: only selected videos. 1,200 other videos also need changes.'],
  ])('describes %j', (changes, words) => {
    expect(incompleteWords(planDocument({ ...whole, ...changes }, '0.1.0', []))).toBe(words);
  });

  test('counts the videos that lint did not check', () => {
    const leftOut = (...reasons: ('budget' | 'remote')[]) => {
      const lint = { videos: 0, left_out: reasons.map((reason, index) => ({ id: `v${index}`, reason })) };
      return incompleteWords({ ...planDocument(whole, '0.1.0', []), lint });
    };
    expect(leftOut()).toBe('');
    const late =
      '1 video was not checked by lint, because a plan checks at most 80 videos. `reelform lint` checks all.';
    expect(leftOut('budget')).toBe(late);
    const remote = '2 videos were not checked by lint, because the template is on the service.';
    expect(leftOut('remote', 'budget', 'remote')).toBe(`${late} ${remote}`);
  });
});
