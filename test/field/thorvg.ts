import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { FIELD_FONT } from './field-font.ts';
import type { Reference } from './lottie-web.ts';
import type { Picture } from './picture-difference.ts';

/** An animation that takes longer is given up. */
const LIMIT_MS = 10_000;
/** The same file for a test and for the bundled runner. */
const WORKER = join(import.meta.dirname, '../../test/field/thorvg-worker.mjs');

/** Opens the second reference: ThorVG in WebAssembly, for animations that lottie-web draws wrong or not at all. */
export function openThorvg(): Reference {
  let worker: Worker | undefined;
  return {
    async draw(document, frames, width, height, ground = 'black') {
      worker ??= new Worker(WORKER);
      const list = (document.fonts as { list?: { fName?: unknown }[] } | undefined)?.list ?? [];
      const fontNames = list.map(({ fName }) => String(fName));
      worker.postMessage({
        text: JSON.stringify(document),
        frames,
        width,
        height,
        ground,
        font: FIELD_FONT,
        fontNames,
      });
      const answer = await answerOf(worker);
      if (answer.pictures !== undefined) return answer.pictures.map((rgba): Picture => ({ width, height, rgba }));
      await worker.terminate();
      worker = undefined;
      throw new Error(`ThorVG cannot draw it: ${answer.failure}`);
    },
    async close() {
      await worker?.terminate();
    },
  };
}

interface Answer {
  readonly pictures?: readonly Uint8Array[];
  readonly failure?: string;
}

function answerOf(worker: Worker): Promise<Answer> {
  return new Promise((resolve) => {
    const end = (answer: Answer): void => {
      clearTimeout(timer);
      worker.off('message', end).off('error', fail);
      resolve(answer);
    };
    const fail = (error: unknown): void => end({ failure: String(error) });
    const timer = setTimeout(() => end({ failure: `not done after ${LIMIT_MS / 1000} s` }), LIMIT_MS);
    worker.on('message', end).on('error', fail);
  });
}
