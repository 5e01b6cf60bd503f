import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchRepository } from '../../src/studio/watch-repository.ts';
import { makeRepository } from '../support/repository.ts';

it('reports a change that follows a reported change at once', async () => {
  const root = makeRepository({ 'videos/rome.yaml': 'title: 0' });
  const path = join(root, 'videos/rome.yaml');
  const reports: (readonly string[])[] = [];
  let onReport = (): void => undefined;
  const watching = await watchRepository(
    root,
    (paths) => {
      reports.push([...paths]);
      onReport();
    },
    (error) => {
      throw error;
    },
  );
  const reported = (): Promise<void> => new Promise((resolve) => (onReport = resolve));
  for (let round = 1; round <= 5; round++) {
    const first = reported();
    writeFileSync(path, `title: first ${round}`);
    await first;
    const second = reported();
    writeFileSync(path, `title: the second ${round}`);
    await second;
    // Nothing else is reported, and the next change is not within 50 ms of this one.
    await setTimeout(150);
  }
  expect(reports).toEqual(reports.map(() => ['videos/rome.yaml']));
  await watching.close();
});
