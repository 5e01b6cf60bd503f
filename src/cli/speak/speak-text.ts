import type { Word } from '../../contract/captions/cue.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { loadWith } from '../../kernel/optional-packages.ts';
import { readWords } from '../../reconciler/definition/words-file.ts';
import { type SpokenSound, VoiceError } from '../../reconciler/speech/speak-texts.ts';
import type { SpokenText } from '../../reconciler/speech/spoken-text.ts';
import type { Voice } from '../../reconciler/speech/voice.ts';
import { runVoiceCommand } from './run-voice-command.ts';

interface SpeakContext {
  /** Of the repository, absolute. */
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Seconds by which a word may end after the sound, because of rounding. */
const TOLERANCE = 0.05;

/**
 * Speaks a text with its voice.
 *
 * @throws VoiceError; ReelformError engine_missing, encoder_missing
 */
export async function speakText(text: SpokenText, context: SpeakContext): Promise<SpokenSound> {
  const { voice } = text;
  const { encodeSpeech } = await loadWith('engine', () => import('../../engine/speech/speech-sound.ts'));
  if (voice.kind === 'builtin') {
    const { speakWithFlite } = await import('../../engine/speech/flite.ts');
    const { wave, words } = await speakWithFlite(voice.builtin, text.text, context.signal);
    const { flac, seconds } = await encodeSpeech(wave);
    return { sound: flac, seconds, words };
  }
  const { wave, words } = await runVoiceCommand(text, voice, context);
  try {
    const { flac, seconds } = await encodeSpeech(wave);
    return { sound: flac, seconds, words: words === null ? null : checkedWords(words, seconds, voice) };
  } catch (error) {
    if (!(error instanceof ReelformError) || error.code !== 'speech_failed') throw error;
    // The command has succeeded, and may have been paid for.
    throw new VoiceError(`The voice ${voice.name} gave no usable speech: ${error.message}`, {
      mayRetry: false,
      hint: 'Correct the command: it writes a WAV file to standard output, and nothing else',
      cause: error,
    });
  }
}

function checkedWords(file: string, seconds: number, { name: voice }: Voice): readonly Word[] {
  const words = readWords('words.json', file);
  if (!words.ok) throw wrongWords(voice, words.diagnostics[0]!.message);
  const late = words.value.find(({ end }) => end > seconds + TOLERANCE);
  if (late === undefined) return words.value.map((word) => ({ ...word, end: Math.min(word.end, seconds) }));
  throw wrongWords(voice, `"${late.text}" ends at ${late.end} s, but the sound has ${seconds.toFixed(2)} s`);
}

function wrongWords(voice: string, problem: string): VoiceError {
  return new VoiceError(`The voice ${voice} wrote wrong times of words: ${problem}`, {
    mayRetry: false,
    hint: 'Write a list of {"text": "Hello", "start": 0.2, "end": 0.6}, in seconds, or no file',
  });
}
