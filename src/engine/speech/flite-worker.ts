import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { Word } from '../../contract/captions/cue.ts';
import { type AloneReports, fliteWords, unclearTexts } from './flite-words.ts';
import { type ProgramResult, runWasiProgram } from './wasi-program.ts';

/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<object>;
};

// Entry point of the thread that runs Flite. Ends when the text is spoken.

/** `workerData` of the thread. */
export interface FliteWork {
  /** Path of flite.wasm. */
  readonly program: string;
  readonly voice: string;
  /** As it is shown. */
  readonly text: string;
  /** In the characters that Flite speaks. */
  readonly spoken: string;
}

/** Message from the thread. */
export interface FliteSpeech {
  /** WAV. */
  readonly wave: Uint8Array;
  readonly words: readonly Word[];
}

const { program, voice, text, spoken } = workerData as FliteWork;
const module = await WebAssembly.compile(readFileSync(program));

const sound = run(spoken, ['-psdur'], 'speech.wav');
const phones = pairsOf(sound.printed);
const words = wordsOf(print(spoken, ['-pw']));
const alone = reportsAlone(words);
const speech: FliteSpeech = {
  wave: sound.files.get('speech.wav')!,
  words: fliteWords(text, { words, phones }, alone),
};
parentPort!.postMessage(speech);

/** Runs Flite on a text, and returns what it prints. @param file of the sound; no sound is made when absent */
function run(input: string, options: readonly string[], file?: string): ProgramResult {
  const target = file === undefined ? 'none' : `/out/${file}`;
  const result = runWasiProgram(module, ['flite', '-voice', voice, '-t', input, '-o', target, ...options]);
  if (result.status !== 0) throw new Error(`Flite ended with ${result.status}: ${result.printed.slice(0, 200)}`);
  return result;
}

function print(input: string, options: readonly string[]): string {
  return run(input, options).printed;
}

/** Asks for all words at once: each as a sentence of its own, between pauses. */
function reportsAlone(words: readonly string[]): AloneReports {
  const unique = [...new Set(words)];
  const groups = phoneGroups(print(unique.map((word) => `${word}!`).join(' '), ['-ps']));
  const known =
    groups.length === unique.length
      ? new Map(unique.map((word, index) => [word, groups[index]!]))
      : new Map(unique.map((word) => [word, phoneGroups(print(`${word}!`, ['-ps'])).flat()]));
  const texts = new Map(unclearTexts(text).map((unclear) => [unclear, wordsOf(print(unclear, ['-pw']))]));
  return { words: (unclear) => texts.get(unclear) ?? [], phones: (word) => known.get(word) ?? [] };
}

/** Words of which a letter is spoken begin with an underscore. */
function wordsOf(printed: string): string[] {
  return printed.split(/\s+/).flatMap((word) => (word === '' ? [] : [word.replace(/^_(?=.)/, '')]));
}

function pairsOf(printed: string): { readonly phone: string; readonly end: number }[] {
  return printed.split(/\s+/).flatMap((pair) => {
    const [, phone, end] = /^([a-z]+):([\d.]+)$/.exec(pair) ?? [];
    return phone === undefined ? [] : [{ phone, end: Number(end) }];
  });
}

function phoneGroups(printed: string): string[][] {
  const groups = printed.split(/\bpau\b/).map((group) => group.trim());
  return groups.flatMap((group) => (group === '' ? [] : [group.split(/\s+/)]));
}
