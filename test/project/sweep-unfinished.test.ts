import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sweepUnfinished } from '../../src/project/sweep-unfinished.ts';

const NOW = Date.parse('2026-01-01T00:00:00.000Z');
const root = mkdtempSync(join(tmpdir(), 'reelform-sweep-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, ageMs: number): string {
  const absolute = join(root, path);
  mkdirSync(join(absolute, '..'), { recursive: true });
  writeFileSync(absolute, 'half');
  utimesSync(absolute, (NOW - ageMs) / 1000, (NOW - ageMs) / 1000);
  return absolute;
}

describe('sweepUnfinished()', () => {
  it('removes what a killed process left, and nothing that is new, whole or below', async () => {
    const old = write('.unfinished-1', 3_600_000);
    const stay = [
      write('.unfinished-2', 1_000),
      write('reelform.lock.json', 3_600_000),
      write('a/.unfinished-3', 3_600_000),
    ];
    await sweepUnfinished(root, NOW, { recursive: false });
    expect(existsSync(old)).toBe(false);
    expect(stay.map((path) => existsSync(path))).toEqual([true, true, true]);
  });

  it('removes it below, where that is asked for, and bears with a folder that is not there', async () => {
    const below = write('launch/.unfinished-4', 3_600_000);
    await sweepUnfinished(root, NOW, { recursive: true });
    expect(existsSync(below)).toBe(false);
    await sweepUnfinished(join(root, 'nowhere'), NOW, { recursive: true });
  });
});
