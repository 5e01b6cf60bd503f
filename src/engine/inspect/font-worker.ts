import { parentPort, workerData } from 'node:worker_threads';
import { failureFrom } from '../failure.ts';
import { openFont } from '../text/open-font.ts';
import type { FontAnswer, FontFile } from './unreadable-fonts.ts';

// Entry of the worker thread that opens font files, its `workerData`, in their order: an answer for each.

for (const { path, bytes } of workerData as readonly FontFile[]) {
  const name = path.replace(/^.*\//, '');
  const answer: FontAnswer = await openFont({ name, bytes }).then(
    () => null,
    (error: unknown) => failureFrom(error),
  );
  parentPort!.postMessage(answer);
}
