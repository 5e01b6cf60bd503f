import { describe, expect, test } from 'vitest';
import { holdToLimits } from '../../../src/session/processes/process-limits.ts';
import { parsePsLine, parseStat } from '../../../src/session/processes/process-usage.ts';

describe('parseStat()', () => {
  const fields = '4242 4240 4242 0 -1 4194304 9 8 7 6 150 50 20 10 20 0 11 0 100 999999 1000 18446744073709551615';

  test.each([
    ['a plain name', `4243 (node) S ${fields}`],
    ['a name with spaces and parentheses', `4243 (a) (b) S 1 2) S ${fields}`],
  ])('reads group, memory and time: %s', (_title, line) => {
    // Fields after the state: ppid, pgrp, …; children that were waited for count.
    expect(parseStat(line.replace('4242 4240', '1 4240'), 4096)).toEqual({
      groupId: 4240,
      memoryBytes: 1000 * 4096,
      cpuMs: 2300,
    });
  });

  test.each(['', 'nonsense', '1 (node) S 1'])('says null for %j', (line) => {
    expect(parseStat(line, 4096)).toBeNull();
  });
});

describe('parsePsLine()', () => {
  test.each([
    ['  42  1024 00:00:03', { groupId: 42, memoryBytes: 2 ** 20, cpuMs: 3_000 }],
    ['42 1024   0:03.25', { groupId: 42, memoryBytes: 2 ** 20, cpuMs: 3_250 }],
    ['42 1 1-02:03:04', { groupId: 42, memoryBytes: 1024, cpuMs: ((26 * 60 + 3) * 60 + 4) * 1000 }],
    ['', null],
    ['PGID RSS TIME', null],
  ])('%j', (line, usage) => {
    expect(parsePsLine(line)).toEqual(usage);
  });
});

describe('holdToLimits()', () => {
  const limits = { stallMs: 1, totalMs: 1, cpuMs: 2_000, memoryBytes: 100 };

  test('counts processor time from where the render began', () => {
    const told: string[] = [];
    const hold = holdToLimits(limits, (code) => told.push(code));
    hold({ cpuMs: 10_000, memoryBytes: 1 });
    hold({ cpuMs: 12_000, memoryBytes: 100 });
    expect(told).toEqual([]);
    hold({ cpuMs: 12_001, memoryBytes: 100 });
    expect(told).toEqual(['render_timeout']);
  });

  test('tells once', () => {
    const told: string[] = [];
    const hold = holdToLimits(limits, (code) => told.push(code));
    hold({ cpuMs: 0, memoryBytes: 101 });
    hold({ cpuMs: 0, memoryBytes: 102 });
    expect(told).toEqual(['render_crashed']);
  });
});
