import { describe, expect, it } from 'vitest';
import { CrashPauses } from '../../../../src/service/sessions/processes/crash-pauses.ts';

describe('CrashPauses', () => {
  it('grow with crashes in a row, up to 8 s, for the owner alone', () => {
    let now = 1_000;
    const pauses = new CrashPauses(() => now);
    expect(pauses.remaining('a')).toBe(0);
    const waits = Array.from({ length: 7 }, () => {
      pauses.crashed('a');
      return pauses.remaining('a');
    });
    expect(waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(pauses.remaining('b')).toBe(0);
    now += 7_999;
    expect(pauses.remaining('a')).toBe(1);
    now += 2;
    expect(pauses.remaining('a')).toBe(0);
  });

  it('begin anew after a task that finished', () => {
    const pauses = new CrashPauses(() => 0);
    pauses.crashed('a');
    pauses.crashed('a');
    pauses.finished('a');
    expect(pauses.remaining('a')).toBe(0);
    pauses.crashed('a');
    expect(pauses.remaining('a')).toBe(250);
  });
});
