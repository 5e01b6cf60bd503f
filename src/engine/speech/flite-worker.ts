import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';
import type { Word } from '../../contract/captions/cue.ts';
import { type AloneReports, fliteWords, unclearTexts } from './flite-words.ts';

/** The part of the WebAssembly namespace used here, which Node's types lack. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => object;
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

// Node's own WASI ends the process when threads that use it are collected (Node 20).
const WAVE = 'speech.wav';

const { program, voice, text, spoken } = workerData as FliteWork;
const module = new WebAssembly.Module(readFileSync(program));

const { printed, wave } = run(spoken, `/out/${WAVE}`, ['-psdur']);
const words = wordsOf(print(spoken, '-pw'));
const speech: FliteSpeech = {
  wave: wave!,
  words: fliteWords(text, { words, phones: pairsOf(printed) }, reportsAlone(words)),
};
parentPort!.postMessage(speech);

/** Returns what Flite prints of a text. */
function print(input: string, option: string): string {
  return run(input, 'none', [option]).printed;
}

/** Runs Flite on a text, in memory alone. @param output path of the sound, or `none` */
function run(
  input: string,
  output: string,
  options: readonly string[],
): { readonly printed: string; readonly wave: Uint8Array | undefined } {
  const console = new File([]);
  const files = new Map<string, File>();
  const wasi = new WASI(
    ['flite', '-voice', voice, '-t', input, '-o', output, ...options],
    [],
    [new OpenFile(new File([])), new OpenFile(console), new OpenFile(console), new PreopenDirectory('/out', files)],
    { debug: false },
  );
  const instance = new WebAssembly.Instance(module, { wasi_snapshot_preview1: wasi.wasiImport });
  const status = wasi.start(instance as Parameters<typeof wasi.start>[0]);
  const printed = new TextDecoder().decode(console.data);
  if (status !== 0) throw new Error(`Flite ended with ${status}: ${printed.slice(0, 200)}`);
  return { printed, wave: files.get(WAVE)?.data };
}

/** Asks for all words at once: each as a sentence of its own, between pauses. */
function reportsAlone(words: readonly string[]): AloneReports {
  const unique = [...new Set(words)];
  const groups = phoneGroups(print(unique.map((word) => `${word}!`).join(' '), '-ps'));
  const known =
    groups.length === unique.length
      ? new Map(unique.map((word, index) => [word, groups[index]!]))
      : new Map(unique.map((word) => [word, phoneGroups(print(`${word}!`, '-ps')).flat()]));
  const texts = new Map(unclearTexts(text).map((unclear) => [unclear, wordsOf(print(unclear, '-pw'))]));
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
