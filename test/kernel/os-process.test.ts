import { pid, platform } from 'node:process';
import { describe, expect, test } from 'vitest';
import { parseProcessStat, readProcessStat } from '../../src/kernel/os-process.ts';

describe('parseProcessStat()', () => {
  const fields = '1 4240 4242 0 -1 4194304 9 8 7 6 150 50 20 10 20 0 11 0 100 999999 1000 18446744073709551615';

  test.each([
    ['a plain name', `4243 (node) S ${fields}`],
    ['a name with spaces and parentheses', `4243 (a) (b) S 1 2) S ${fields}`],
  ])('reads state, group, start, memory and time: %s', (_title, line) => {
    // Fields after the state: ppid, pgrp, …; the time of children that were waited for is included.
    expect(parseProcessStat(line)).toEqual({
      state: 'S',
      groupId: 4240,
      cpuMs: 2300,
      startTicks: 100,
      residentPages: 1000,
    });
  });

  test.each(['', 'nonsense', '1 (node) S 1'])('returns null for %j', (line) => {
    expect(parseProcessStat(line)).toBeNull();
  });
});

test.runIf(platform === 'linux')('readProcessStat() reads this process and returns null for an ended one', () => {
  expect(readProcessStat(pid)!.residentPages).toBeGreaterThan(0);
  expect(readProcessStat(2 ** 22 + 1)).toBeNull();
});
