import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtFile } from '../built-file.ts';
import { errorFrom, type Failure } from '../failure.ts';

/** A font file of a package. */
export interface FontFile {
  /** Below the package's folder. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** A font that cannot be opened, and why, as a sentence. */
export interface UnreadableFont {
  readonly path: string;
  readonly problem: string;
}

/** From the thread, for each font in turn; null for one that can be opened. */
export type FontAnswer = Failure | null;

const MOST_MS = 60_000;

/**
 * The fonts that no text could be set in, because what is packed in them is damaged: they are unpacked and opened, as a
 * render does. That happens in a thread of its own, so that whatever it does to native code ends nobody else; those behind
 * a font that ends the thread are opened in another. EDGE.
 */
export async function unreadableFonts(fonts: Iterable<FontFile>): Promise<UnreadableFont[]> {
  const found: UnreadableFont[] = [];
  for (let left = [...fonts]; left.length > 0; ) {
    const answers = await answersTo(left);
    for (const [index, answer] of answers.entries()) {
      if (answer !== null) found.push({ path: left[index]!.path, problem: errorFrom(answer).message });
    }
    const ended = left[answers.length];
    if (ended !== undefined)
      found.push({ path: ended.path, problem: 'Whatever reads the font crashes, or never ends' });
    left = left.slice(answers.length + 1);
  }
  return found;
}

/** Fewer where the thread ended before the last. */
async function answersTo(fonts: readonly FontFile[]): Promise<FontAnswer[]> {
  const answers: FontAnswer[] = [];
  const worker = new Worker(builtFile(import.meta.url, 'engine/inspect/font-worker.js'), { workerData: fonts });
  const signal = AbortSignal.timeout(MOST_MS);
  const messages = on(worker, 'message', { signal, close: ['exit'] } as object) as AsyncIterable<[FontAnswer]>;
  worker.on('error', () => undefined);
  try {
    for await (const [answer] of messages) {
      answers.push(answer);
      if (answers.length === fonts.length) break;
    }
  } catch {
    // It ended, or took too long: what came counts.
  } finally {
    await worker.terminate();
  }
  return answers;
}
