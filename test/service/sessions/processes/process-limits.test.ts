import { describe, expect, test } from 'vitest';
import { enforceLimits, parsePsLine } from '../../../../src/service/sessions/processes/process-limits.ts';

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

describe('enforceLimits()', () => {
  const limits = { stallMs: 1, totalMs: 1, cpuMs: 2_000, memoryBytes: 100 };

  test('counts processor time from the start of the render', () => {
    const told: string[] = [];
    const hold = enforceLimits(limits, (code) => told.push(code));
    hold({ cpuMs: 10_000, memoryBytes: 1 });
    hold({ cpuMs: 12_000, memoryBytes: 100 });
    expect(told).toEqual([]);
    hold({ cpuMs: 12_001, memoryBytes: 100 });
    expect(told).toEqual(['time']);
  });

  test('reports only once', () => {
    const told: string[] = [];
    const hold = enforceLimits(limits, (code) => told.push(code));
    hold({ cpuMs: 0, memoryBytes: 101 });
    hold({ cpuMs: 0, memoryBytes: 102 });
    expect(told).toEqual(['memory']);
  });
});
