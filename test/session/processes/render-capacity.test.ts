import { expect, it } from 'vitest';
import { quotaOf, renderCapacity } from '../../../src/session/processes/render-capacity.ts';

it.each([
  [{ 'cpu.max': '150000 100000\n' }, 1.5],
  [{ 'cpu.max': 'max 100000\n' }, Number.POSITIVE_INFINITY],
  [{ 'cpu/cpu.cfs_quota_us': '200000\n', 'cpu/cpu.cfs_period_us': '100000\n' }, 2],
  [{ 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' }, Number.POSITIVE_INFINITY],
  [{}, Number.POSITIVE_INFINITY],
])('quotaOf() reads %j as %s cores', (files: Record<string, string>, cores) => {
  expect(quotaOf((name) => files[name] ?? null)).toBe(cores);
});

it('renderCapacity() is one per core and GB, and never none', () => {
  expect(renderCapacity({ cores: 3.7, memoryBytes: 16e9 })).toBe(3);
  expect(renderCapacity({ cores: 8, memoryBytes: 2.5e9 })).toBe(2);
  expect(renderCapacity({ cores: 0.5, memoryBytes: 0.2e9 })).toBe(1);
  expect(renderCapacity()).toBeGreaterThanOrEqual(1);
});
