import { describe, expect, it } from 'vitest';
import type { Attempt } from '../../../src/reconciler/lock/journal.ts';
import type { Change, Plan } from '../../../src/reconciler/plan/plan.ts';
import { type Explanation, explainText } from '../../../src/report/terminal/explain-text.ts';
import { desired, emptyLock, lockOf, plan, rendering } from '../../reconciler/plan/videos.ts';
import { everyAction, label } from '../example-plans.ts';

const changeOf = ({ changes }: Plan, id: string): Change => changes.find((change) => change.id === id)!;
const explain = (change: Change, parts: Partial<Explanation> = {}, columns = 80): string =>
  explainText({ change, attempt: null, label, ...parts }, { color: false, trueColor: false, columns });

const intent: Attempt['intent'] = {
  key: 'k',
  id: 'paris',
  fingerprint: desired('paris').fingerprint,
  service: 'embedded',
  style_version: 'tsv_9c41',
  output_name: 'paris-1',
  body: '{}',
  run: 'r',
  at: '2026-01-01T10:00:03.000Z',
};

describe('explainText()', () => {
  it.each([
    ['a change', 'berlin'],
    ['one that is new', 'paris'],
    ['one that moved', 'stores/hamburg'],
    ['a missing output', 'vienna'],
    ['one without a definition', 'lisbon'],
    ['one that is up to date', 'oslo'],
    ['one that is already rendered', 'bergen'],
  ])('explains %s', (_, id) => {
    expect(explain(changeOf(everyAction(), id))).toMatchSnapshot();
  });

  it.each<[Attempt['state'], Partial<Attempt>]>([
    ['sending', {}],
    ['retry', {}],
    ['created', { session: 'rs_1' }],
    ['unknown', {}],
    ['missing', { session: 'rs_1' }],
    ['missing', { session: 'rs_1', missing: 'session_without_video' }],
    ['missing', { session: 'rs_1', missing: 'session_differs' }],
    ['rendered', { session: 'rs_1', rendering: rendering('paris') }],
  ])('shows the state of a pending attempt: %s', (state, parts) => {
    const attempt = { intent, state, session: null, rendering: null, ...parts };
    const text = explain(changeOf(everyAction(), 'paris'), { attempt });
    expect(text.split('\n\n').find((block) => block.startsWith('Pending'))).toMatchSnapshot();
  });

  it.each([
    ['0-1.5 Light\n2-3 lands\n# 01234567', '2 cues'],
    [`sha256:${'ab'.repeat(32)}`, 'sha256 abababab'],
  ])('counts the cues of captions among the inputs', (cues, words) => {
    const video = { ...desired('a'), inputs: () => ({ 'captions.cues': cues, 'captions.style': 'plain' }) };
    const text = explain(changeOf(plan([video], lockOf(video)), 'a'));
    expect(text).toMatch(new RegExp(`captions +${words}\n`));
    expect(text).not.toContain('nothing\n');
  });

  it('fits a narrow terminal and escapes user text', () => {
    const hostile = desired('a', { title: '\x1b[2J', resources: {} });
    const text = explain(changeOf(plan([hostile], emptyLock), 'a'), {}, 40);
    expect(text).not.toContain('\x1b');
    expect(explain(changeOf(plan([], lockOf(hostile)), 'a'), {}, 40)).not.toContain('\x1b');
  });
});
