import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../src/kernel/temporary-folder.ts';

test('temporaryFolder() removes only old folders of killed processes', () => {
  const [old, recent, unrelated] = ['reelform-try-old', 'reelform-try-recent', 'reelform-tried'].map((name) => {
    const folder = join(tmpdir(), name);
    mkdirSync(join(folder, 'below'), { recursive: true });
    return folder;
  }) as [string, string, string];
  const anHourAgo = Date.now() / 1000 - 3_601;
  for (const folder of [old, unrelated]) utimesSync(folder, anHourAgo, anHourAgo);
  const created = temporaryFolder('reelform-try-');
  expect([old, recent, unrelated, created].map(existsSync)).toEqual([false, true, true, true]);
  for (const folder of [recent, unrelated, created]) rmSync(folder, { recursive: true });
});
