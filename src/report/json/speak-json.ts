import { defined } from '../../kernel/defined.ts';
import type { SpeechOutcome } from '../../reconciler/speech/speak-texts.ts';
import {
  charactersOf,
  estimateSpeech,
  type SpokenText,
  speechSoundPath,
  speechWordsPath,
} from '../../reconciler/speech/spoken-text.ts';

/** Result of `reelform speak`. */
export interface SpeakReport {
  /** Texts without speech before the run. */
  readonly missing: readonly {
    readonly text: SpokenText;
    readonly uses: readonly { readonly video: string | null }[];
  }[];
  /** Empty if nothing was to be made. */
  readonly outcomes: readonly SpeechOutcome[];
  /** Number of texts whose speech existed. */
  readonly kept: number;
  /** False with `--check`. */
  readonly isMaking: boolean;
}

/** Returns the document of `speak --json`. */
export function speakJson({ missing, outcomes, kept, isMaking }: SpeakReport): object {
  const stateOf = (text: SpokenText): object => {
    const outcome = outcomes.find((candidate) => candidate.text === text);
    switch (outcome?.kind) {
      case 'made':
        return { state: 'made', seconds: outcome.seconds, words: outcome.words };
      case 'failed':
        return { state: 'failed', error: outcome.error.message };
      case 'skipped':
        return { state: 'failed', error: 'The voice fails' };
      case 'interrupted':
      case undefined:
        return { state: 'missing' };
    }
  };
  const texts = missing.map(({ text, uses }) => ({
    text: text.text,
    voice: text.voice.name,
    ...defined({ locale: text.locale ?? undefined }),
    characters: charactersOf(text),
    sound: speechSoundPath(text),
    words_file: speechWordsPath(text),
    videos: [...new Set(uses.flatMap(({ video }) => video ?? []))].sort(),
    ...stateOf(text),
  }));
  const counted = outcomes.flatMap((outcome) => (outcome.kind === 'made' ? [outcome.text] : []));
  const estimate = estimateSpeech(isMaking ? counted : missing.map(({ text }) => text));
  return { format_version: '1.0', spoken_before: kept, estimate, texts };
}
