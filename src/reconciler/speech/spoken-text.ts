import { canonicalJson, type Json, sha256 } from '../../kernel/digest.ts';
import type { Voice } from './voice.ts';

/** Folder of spoken texts, relative to the root of the repository. */
export const SPEECH_FOLDER = 'speech';

/** Name of a file in the folder: that of its text, and the extension. */
export const SPEECH_FILE = /^([0-9a-f]{32})\.(?:flac|json)$/;

/** A text that a voice speaks once. The result is kept in the repository. */
export interface SpokenText {
  /** Name of its files, without extension: half of the digest of everything that it depends on. */
  readonly name: string;
  /** Without line breaks, spaces at its ends and repeated spaces. */
  readonly text: string;
  /** BCP 47; null if the video has no locale. */
  readonly locale: string | null;
  readonly voice: Voice;
  /** Options of the voice, replaced by those of the track. */
  readonly options: Readonly<Record<string, Json>>;
}

/**
 * @param options of the track
 * @param sourceLocale language that definitions are written in; it is not in the name, so that a repository can get further languages
 * without being spoken again
 */
export function spokenText(
  text: string,
  locale: string | null,
  voice: Voice,
  options: SpokenText['options'],
  sourceLocale: string | null = null,
): SpokenText {
  const spoken = { text: plainText(text), locale, options: { ...voice.options, ...options } };
  // Built-in voices speak a single language.
  const named = voice.kind === 'builtin' || locale === sourceLocale ? null : locale;
  // The name of a built-in voice may change, but not that of a command: it says who speaks.
  const speaker = voice.kind === 'builtin' ? { builtin: voice.builtin } : voice.name;
  const digest = sha256(canonicalJson({ ...spoken, locale: named, voice: speaker, version: voice.version }));
  return { ...spoken, voice, name: digest.slice(0, 32) };
}

/** Returns a text as it is spoken: line breaks of a file are spaces. */
export function plainText(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

/** Returns the path of the sound of a text, relative to the root of the repository. */
export function speechSoundPath({ name }: Pick<SpokenText, 'name'>): string {
  return `${SPEECH_FOLDER}/${name}.flac`;
}

/** Returns the path of the file with the words of a text, relative to the root of the repository. */
export function speechWordsPath({ name }: Pick<SpokenText, 'name'>): string {
  return `${SPEECH_FOLDER}/${name}.json`;
}

/** Returns how many characters of a text a service counts. */
export function charactersOf({ text }: Pick<SpokenText, 'text'>): number {
  return [...text].length;
}

/** Cost of speaking texts. */
export interface SpeechEstimate {
  readonly texts: number;
  readonly characters: number;
  /** Absent if no voice has a price. */
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** Estimates what it costs to speak texts. A text that is named several times counts once. Amounts are rounded to a millionth. */
export function estimateSpeech(all: readonly SpokenText[]): SpeechEstimate {
  const texts = [...new Map(all.map((text) => [text.name, text])).values()];
  const priced = texts.filter(({ voice }) => voice.price !== null);
  const amount = priced.reduce(
    (sum, text) => sum + (charactersOf(text) / 1000) * text.voice.price!.per1000Characters,
    0,
  );
  return {
    texts: texts.length,
    characters: texts.reduce((sum, text) => sum + charactersOf(text), 0),
    // All prices have the currency of `cost`.
    ...(priced.length > 0 && {
      cost: { amount: Math.round(amount * 1e6) / 1e6, currency: priced[0]!.voice.price!.currency },
    }),
  };
}
