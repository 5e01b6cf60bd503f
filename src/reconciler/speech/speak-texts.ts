import pLimit from 'p-limit';
import type { Word } from '../../contract/captions/cue.ts';
import { backoffMs } from '../../kernel/backoff.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { type SpokenText, speechSoundPath, speechWordsPath } from './spoken-text.ts';

/** A text as a voice has spoken it. */
export interface SpokenSound {
  /** FLAC. */
  readonly sound: Uint8Array;
  readonly seconds: number;
  /** Null if the voice gives no times of words. */
  readonly words: readonly Word[] | null;
}

/** A text that was not spoken, and why. */
export class VoiceError extends ReelformError {
  /** False if the next attempt would fail as well, or would cost a second time. */
  readonly mayRetry: boolean;

  constructor(message: string, options: { mayRetry: boolean; hint?: string; cause?: unknown }) {
    super('speech_failed', message, options);
    this.name = 'VoiceError';
    this.mayRetry = options.mayRetry;
  }
}

export interface SpeechPorts {
  /** @throws VoiceError; the reason of the signal */
  speak(text: SpokenText, signal: AbortSignal): Promise<SpokenSound>;
  /** Replaces a file atomically. @param path relative to the repository */
  write(path: string, data: string | Uint8Array): Promise<void>;
  /** @throws the reason of the signal */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** 0..1 */
  random(): number;
}

/** What became of a text. */
export type SpeechOutcome =
  | { readonly kind: 'made'; readonly text: SpokenText; readonly seconds: number; readonly words: number | null }
  | { readonly kind: 'failed'; readonly text: SpokenText; readonly error: ReelformError }
  /** Not tried, because its voice fails. */
  | { readonly kind: 'skipped'; readonly text: SpokenText }
  /** The user interrupted the run. */
  | { readonly kind: 'interrupted'; readonly text: SpokenText };

/** Texts that are spoken at the same time. */
const CONCURRENCY = 4;
const ATTEMPTS = 3;
const BACKOFF = { firstMs: 1000, maxMs: 30_000 };
/** A voice that has spoken nothing is given up after so many texts. */
const MAX_FAILURES = 3;

/**
 * Speaks texts and writes their files. Each file is complete or absent, however the run ends.
 *
 * @param texts with different names
 * @param signal interrupts the run; files that were written stay
 * @returns in the order of the texts
 */
export async function speakTexts(
  texts: readonly SpokenText[],
  ports: SpeechPorts,
  signal: AbortSignal,
): Promise<SpeechOutcome[]> {
  const limit = pLimit(CONCURRENCY);
  const failures = new Map<string, number>();
  const speak = async (text: SpokenText): Promise<SpeechOutcome> => {
    const { name } = text.voice;
    const failed = failures.get(name) ?? 0;
    if (signal.aborted) return { kind: 'interrupted', text };
    if (failed >= MAX_FAILURES) return { kind: 'skipped', text };
    try {
      const spoken = await withRetries(text, ports, signal);
      await writeSpeech(text, spoken, ports);
      failures.set(name, Number.NEGATIVE_INFINITY);
      return { kind: 'made', text, seconds: spoken.seconds, words: spoken.words?.length ?? null };
    } catch (error) {
      if (signal.aborted) return { kind: 'interrupted', text };
      if (!(error instanceof ReelformError)) throw error;
      failures.set(name, (failures.get(name) ?? 0) + 1);
      return { kind: 'failed', text, error };
    }
  };
  return Promise.all(texts.map((text) => limit(() => speak(text))));
}

async function withRetries(text: SpokenText, ports: SpeechPorts, signal: AbortSignal): Promise<SpokenSound> {
  for (let tries = 0; ; tries++) {
    signal.throwIfAborted();
    try {
      return await ports.speak(text, signal);
    } catch (error) {
      const mayRetry = error instanceof VoiceError && error.mayRetry && tries + 1 < ATTEMPTS;
      if (!mayRetry || signal.aborted) throw error;
      await ports.wait(backoffMs(tries, BACKOFF, ports.random()), signal);
    }
  }
}

/** The sound is written last: without it the text counts as missing. */
async function writeSpeech(
  text: SpokenText,
  { sound, seconds, words }: SpokenSound,
  ports: SpeechPorts,
): Promise<void> {
  await ports.write(speechWordsPath(text), wordsFile(text, seconds, words));
  await ports.write(speechSoundPath(text), sound);
}

/** Formats the file of words: what was spoken, and a word a line, so that its differences can be read. */
export function wordsFile(
  { text, voice, locale, options }: SpokenText,
  seconds: number,
  words: readonly Word[] | null,
): string {
  const facts = {
    text,
    voice: voice.name,
    ...(voice.version !== 1 && { version: voice.version }),
    ...defined({ locale: locale ?? undefined }),
    ...(Object.keys(options).length > 0 && { options }),
    seconds: Number(seconds.toFixed(3)),
  };
  const lines = Object.entries(facts).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  const listed = words?.map(({ text: word, start, end }) => `    ${JSON.stringify({ text: word, start, end })}`);
  const list = listed === undefined ? [] : [`  "words": [\n${listed.join(',\n')}\n  ]`];
  return `{\n${[...lines, ...list].join(',\n')}\n}\n`;
}
