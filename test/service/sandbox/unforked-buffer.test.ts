import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import { describe, expect, it } from 'vitest';
import { allocateUnforked } from '../../../src/service/sandbox/unforked-buffer.ts';

describe('allocateUnforked()', () => {
  it.each([0, 1_000, 9_000_001, 50_000_000])('returns %i bytes to write and read', (bytes) => {
    const buffer = allocateUnforked(bytes);
    expect(buffer).toHaveLength(bytes);
    buffer.fill(7);
    expect(bytes === 0 || buffer.at(-1) === 7).toBe(true);
  });

  it.runIf(platform === 'linux')('marks the memory as not inherited, and programs still start', () => {
    const buffer = allocateUnforked(50_000_000).fill(1);
    const flags = readFileSync('/proc/self/smaps', 'utf8')
      .split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
      .filter((mapping) => /^Size: +48\d\d\d kB$/m.test(mapping) && /^VmFlags:.* dc\b/m.test(mapping));
    expect(flags.length).toBeGreaterThan(0);
    expect(execFileSync('echo', ['ok'], { encoding: 'utf8' })).toBe('ok\n');
    expect(buffer.at(-1)).toBe(1);
  });
});
