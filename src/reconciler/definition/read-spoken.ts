import type { Word } from '../../contract/captions/cue.ts';
import type { AudioTransform } from '../../contract/wire/mapping.ts';
import { alignGroups } from '../../kernel/align-groups.ts';
import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { didYouMean, formatList } from '../../kernel/hints.ts';
import { parseRecord } from '../../kernel/json.ts';
import { child, type MapNode, type TreeNode, textOf, toJson } from '../../kernel/yaml/tree.ts';
import { plainText, type SpokenText, speechSoundPath, speechWordsPath, spokenText } from '../speech/spoken-text.ts';
import type { Voice } from '../speech/voice.ts';
import { type FileText, unreadable } from './definition-file.ts';
import type { VideoSound } from './video.ts';
import { readWords, speechOf } from './words-file.ts';

/** What spoken tracks are read with. */
export interface SpeechContext {
  /** Of reelform.yaml, by name; none when absent. */
  readonly voices?: ReadonlyMap<string, Voice> | null;
  /** Language of the texts (BCP 47); not known when absent. */
  readonly locale?: string;
  /** Language that definitions are written in; absent without `locales`. */
  readonly sourceLocale?: string;
  /** Reads a file that the definition then depends on. */
  readonly read: (path: string) => FileText;
}

/** A spoken track, and what it needs. */
export interface SpokenTrack {
  readonly spoken: SpokenText;
  /** Files of the speech, relative to the repository. A file that does not exist has to be spoken first. */
  readonly files: readonly string[];
  readonly sound: VideoSound;
  /** The words as captions show them; empty while the text is not spoken, null if the voice gives no times. */
  readonly words: readonly Word[] | null;
}

/**
 * Reads a track with `speak`. Its sound and the times of its words are files of the repository, named by the text and its voice.
 *
 * @param transform of the track
 * @param problems receives what is wrong
 * @returns null if something is wrong
 */
export function readSpoken(
  node: MapNode,
  transform: AudioTransform,
  context: SpeechContext,
  problems: Diagnostic[],
): SpokenTrack | null {
  const written = child(node, 'speak')!;
  const text = textOf(written);
  const voice = voiceOf(node, written, context, problems);
  // The schema has rejected all other forms.
  if (text === null || plainText(text) === '' || voice === null) return null;
  const spoken = spokenText(
    text,
    context.locale ?? null,
    voice,
    optionsOf(child(node, 'options')),
    context.sourceLocale,
  );
  const shown = textOf(child(node, 'caption'));
  const caption = shown === null ? undefined : plainText(shown);
  const words = readSpeechWords(spoken, context, written, problems);
  if (words === null) return null;
  return {
    spoken,
    files: [speechSoundPath(spoken), ...(words === 'missing' ? [speechWordsPath(spoken)] : [])],
    sound: {
      source: { kind: 'file', path: speechSoundPath(spoken) },
      transform,
      ...(Array.isArray(words) && { speech: speechOf(words) }),
      spoken: {
        text: spoken.text,
        voice: voice.name,
        ...defined({ caption }),
      },
    },
    words: words === undefined ? null : words === 'missing' ? [] : shownWords(words, caption),
  };
}

/** Returns the words of a caption at the times of the spoken words that they stand for. */
function shownWords(words: readonly Word[], caption: string | undefined): readonly Word[] {
  if (caption === undefined || words.length === 0) return words;
  const shown = caption.split(' ');
  const groups = alignGroups(
    shown.map((word) => [comparable(word)].filter((text) => text !== '')),
    words.map(({ text }) => comparable(text)),
  );
  return groups.map(({ from, to, start, end }): Word => {
    const [first, last] = [words[Math.min(start, words.length - 1)]!, words[Math.max(start, end - 1)]!];
    return { text: shown.slice(from, to).join(' '), start: first.start, end: last.end };
  });
}

/** Punctuation and case do not make another word. */
function comparable(word: string): string {
  return word.replaceAll(/\p{P}+/gu, '').toLowerCase();
}

function voiceOf(node: MapNode, written: TreeNode, { voices }: SpeechContext, problems: Diagnostic[]): Voice | null {
  if (voices === null) return null;
  const names = [...(voices?.keys() ?? [])];
  const named = child(node, 'voice');
  const name = named === null ? (names.length === 1 ? names[0]! : null) : textOf(named);
  const voice = name === null ? undefined : voices?.get(name);
  if (voice !== undefined) return voice;
  const at = (named ?? written).span;
  const add = 'Add one to reelform.yaml: voices: {flite: {builtin: slt}}';
  if (named === null) {
    const [message, hint] =
      names.length === 0
        ? ['The track is spoken, but reelform.yaml has no voices', add]
        : ['The track does not say which voice speaks', `Add voice: ${names[0]}; the voices are ${formatList(names)}`];
    problems.push(errorAt('voice_unknown', at, message, hint));
  } else if (name !== null) {
    const hint = didYouMean(name, names) ?? (names.length === 0 ? add : `The voices are ${formatList(names)}`);
    problems.push(errorAt('voice_unknown', at, `reelform.yaml has no voice ${JSON.stringify(name)}`, hint));
  }
  return null;
}

function optionsOf(node: TreeNode | null): SpokenText['options'] {
  return node?.kind === 'map' ? (toJson(node, () => false) as SpokenText['options']) : {};
}

/** Reads the words of a speech file. Undefined if the voice gave none; null if there is a problem. */
function readSpeechWords(
  spoken: SpokenText,
  { read }: SpeechContext,
  { span }: TreeNode,
  problems: Diagnostic[],
): readonly Word[] | undefined | 'missing' | null {
  const path = speechWordsPath(spoken);
  const file = read(path);
  if (!file.ok) {
    if (file.reason === 'missing') return 'missing';
    problems.push(unreadable(path, file.reason, span));
    return null;
  }
  const json = parseRecord(file.text);
  // Of a voice that gives no times.
  if (json !== null && json.words === undefined) return undefined;
  const words = readWords(path, file.text);
  if (words.ok) return words.value;
  problems.push(...words.diagnostics);
  return null;
}
