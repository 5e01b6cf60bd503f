import { existsSync, mkdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../src/kernel/temporary-folder.ts';

test('temporaryFolder() removes only old folders of killed processes', () => {
  const [old, recent, other] = ['reelform-try-old', 'reelform-try-recent', 'reelform-tried'].map((name) => {
    const folder = join(tmpdir(), name);
    mkdirSync(join(folder, 'below'), { recursive: true });
    return folder;
  }) as [string, string, string];
  const anHourAgo = Date.now() / 1000 - 3_601;
  for (const folder of [old, other]) utimesSync(folder, anHourAgo, anHourAgo);
  const made = temporaryFolder('reelform-try-');
  expect([old, recent, other, made].map(existsSync)).toEqual([false, true, true, true]);
  for (const folder of [recent, other, made]) rmSync(folder, { recursive: true });
});
