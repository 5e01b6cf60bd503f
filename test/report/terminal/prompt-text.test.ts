import { describe, expect, it } from 'vitest';
import { approvalQuestion, leftText, stoppingText } from '../../../src/report/terminal/prompt-text.ts';

describe('approvalQuestion()', () => {
  it('says which answer counts, and when nothing is rendered', () => {
    expect(approvalQuestion(3)).toBe('\nApply these changes? Only "yes" is taken for it: ');
    expect(approvalQuestion(0)).toContain('Nothing is rendered.');
  });
});

describe('stoppingText()', () => {
  it.each([
    [0, true, 'Stopping: nothing new is asked for. Interrupt again'],
    [1, true, 'Stopping: nothing new is asked for; the video at work is waited for and recorded. Interrupt again'],
    [1200, false, '; the 1,200 videos at work are left to the service after a few seconds. Interrupt again'],
  ])('with %i at work and somebody there: %s', (running, isAttended, words) => {
    expect(stoppingText(running, isAttended)).toContain(words);
  });
});

describe('leftText()', () => {
  it.each([
    [0, 'Nothing was at work;'],
    [1, '1 video was at work;'],
    [2, '2 videos were at work;'],
  ])('of %i at work', (running, words) => {
    expect(leftText(running)).toContain(words);
  });
});
