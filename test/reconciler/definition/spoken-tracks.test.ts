import { describe, expect, it } from 'vitest';
import type { Code } from '../../../src/kernel/diagnostic.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { spokenText } from '../../../src/reconciler/speech/spoken-text.ts';
import type { Voice } from '../../../src/reconciler/speech/voice.ts';
import { printedProblems, resolveScenes } from '../../support/resolve-scenes.ts';

const FACTS = { version: 1, options: {}, price: null } as const;
const ANNA: Voice = { ...FACTS, name: 'anna', kind: 'command', command: ['./anna.sh'], env: [], timeoutMs: 1000 };
const SLT: Voice = { ...FACTS, name: 'slt', kind: 'builtin', builtin: 'slt' };
const ONE: ReadonlyMap<string, Voice> = new Map([['anna', ANNA]]);
const TWO = new Map([ANNA, SLT].map((voice) => [voice.name, voice]));

const wordsAt = (text: string): string =>
  JSON.stringify({ text, words: text.split(' ').map((word, at) => ({ text: word, start: at, end: at + 0.5 })) });

const filesOf = (track: string, more: Readonly<Record<string, string>> = {}) => ({
  'videos/a.yaml': `template: plain\ntitle: A\nresources: {}\naudio:\n  voice: ${track}\n  music: {source: m.mp3, duck: {under: voice}}\n`,
  ...more,
});

const resolve = (track: string, voices: ReadonlyMap<string, Voice>, more?: Readonly<Record<string, string>>) =>
  resolveScenes(filesOf(track, more), null, voices);

describe('spoken tracks', () => {
  const { name } = spokenText('Hello world', null, ANNA, {});

  it('are the files that their text and voice name, with the times of their words', () => {
    const { videos, origins } = resolve('{speak: "Hello  world", level: -16, start: 1}', ONE, {
      [`speech/${name}.json`]: wordsAt('Hello world'),
    });
    expect(videos[0]!.video.audio.get('voice')).toEqual({
      source: { kind: 'file', path: `speech/${name}.flac` },
      transform: { level: -16, start: 1 },
      speech: [[0, 1.5]],
      spoken: {
        text: 'Hello world',
        voice: 'anna',
      },
    });
    expect(videos[0]!.files).toEqual([
      { path: 'm.mp3', at: expect.anything() },
      { path: `speech/${name}.flac`, at: expect.anything(), spoken: expect.objectContaining({ name }) },
    ]);
    expect(origins.get('videos/a.yaml')).toContain(`speech/${name}.json`);
  });

  it('need both files, and have no words if the voice gives none', () => {
    const spoken = expect.objectContaining({ name });
    expect(resolve('{speak: Hello world}', ONE).videos[0]!.files.filter((use) => use.spoken !== undefined)).toEqual([
      { path: `speech/${name}.flac`, at: expect.anything(), spoken },
      { path: `speech/${name}.json`, at: expect.anything(), spoken },
    ]);
    const [found] = resolve('{speak: Hello world}', ONE, { [`speech/${name}.json`]: '{"text": "Hello world"}' }).videos;
    expect(found!.video.audio.get('voice')).toEqual({
      source: { kind: 'file', path: `speech/${name}.flac` },
      transform: {},
      spoken: { text: 'Hello world', voice: 'anna' },
    });
  });

  it.each([
    ['Reelform today', 'try reel form today', ['Reelform 0-2.5', 'today 3-3.5']],
    ['Try Reelform today!', 'try reel form today', ['Try 0-0.5', 'Reelform 1-2.5', 'today! 3-3.5']],
    ['Try Reelform, today', 'try reel form', ['Try 0-0.5', 'Reelform, 1-1.5', 'today 2-2.5']],
    ['12 € — now', 'twelve euros now', ['12 0-0.5', '€ — 1-1.5', 'now 2-2.5']],
  ])('give captions the text %s at the times of %s', (caption, text, shown) => {
    const { name: file } = spokenText(text, null, ANNA, {});
    const [path, definition] = Object.entries(filesOf(`{speak: "${text}", caption: "${caption}"}`))[0]!;
    const captioned = `${definition}captions: {from: {track: voice}, style: {animation: word, lines: 4}}\n`;
    const { videos } = resolveScenes({ [path]: captioned, [`speech/${file}.json`]: wordsAt(text) }, null, ONE);
    const words = videos[0]!.video.captions!.cues.flatMap((cue) => cue.words ?? []);
    expect(words.map((word) => `${word.text} ${word.start}-${word.end}`)).toEqual(shown);
  });

  it('have no captions without times of words, which is reported once they are spoken', () => {
    const captioned = (json: Readonly<Record<string, string>>) => {
      const [path, definition] = Object.entries(filesOf('{speak: Hello world}'))[0]!;
      const files = { [path]: `${definition}captions: {from: {track: voice}}\n`, ...json };
      return resolveScenes(files, null, ONE).diagnostics.map(({ code, hint }) => `${code}: ${hint}`);
    };
    expect(captioned({})).toEqual([]);
    expect(captioned({ [`speech/${name}.json`]: '{"text": "Hello world"}' })).toEqual([
      'words_missing: The voice anna gives no times: its command can write them to the file $REELFORM_WORDS',
    ]);
  });

  it('have the voice of the definition, or the only one', () => {
    const voiceOf = (track: string, voices: ReadonlyMap<string, Voice>) =>
      resolve(track, voices).videos[0]!.video.audio.get('voice')!.spoken!.voice;
    expect(voiceOf('{speak: Hello}', ONE)).toBe('anna');
    expect(voiceOf('{speak: Hello, voice: slt}', TWO)).toBe('slt');
  });

  it('are left out by an empty cell or a condition', () => {
    const rows = (track: string) => ({
      ...filesOf(track),
      'videos/a.yaml': `${filesOf(track)['videos/a.yaml']}each: {from: ../r.csv, id: "\${id}"}\n`,
      'r.csv': 'id,line\none,Hello\ntwo,\n',
    });
    for (const track of ['{speak: "${line}"}', '{speak: "Hello", when: "${line}"}']) {
      const { videos } = resolveScenes(rows(track), null, ONE);
      expect(videos.map(({ video }) => video.audio.has('voice'))).toEqual([true, false]);
    }
  });

  it.each<[string, Code, string, ReadonlyMap<string, Voice>]>([
    ['no voices', 'voice_unknown', '{speak: Hello}', new Map()],
    ['several voices', 'voice_unknown', '{speak: Hello}', TWO],
    ['a misspelt voice', 'voice_unknown', '{speak: Hello, voice: ana}', TWO],
    ['a source', 'definition_invalid', '{speak: Hello, source: v.mp3}', ONE],
    ['words', 'definition_invalid', '{speak: Hello, words: v.vtt}', ONE],
    ['no text', 'definition_invalid', '{speak: ""}', ONE],
    ['a misspelt property', 'unknown_property', '{speak: Hello, captoin: Hi}', ONE],
    ['options that are a text', 'definition_invalid', '{speak: Hello, options: fast}', ONE],
    ['a text that is too long', 'text_too_long', `{speak: ${'x'.repeat(5001)}}`, ONE],
  ])('report %s', (_, code, track, voices) => {
    expect(
      resolve(track, voices)
        .diagnostics.filter(({ severity }) => severity === 'error')
        .map((found) => found.code),
    ).toEqual([code]);
    if (track.length < 100) expect(printedProblems(filesOf(track), null, voices)).toMatchSnapshot();
  });

  it('report a file of words that is damaged', () => {
    const { diagnostics } = resolve('{speak: Hello world}', ONE, {
      [`speech/${name}.json`]: '{"words": [{"text": 1}]}',
    });
    expect(diagnostics.map(({ code }) => code)).toContain('words_invalid');
  });
});

describe('spokenText()', () => {
  const nameOf = (
    ...[text = 'Hello', locale = null, voice = ANNA, options = {}, source = null]: Partial<
      Parameters<typeof spokenText>
    >
  ) => spokenText(text, locale, voice, options, source).name;

  it('names a text by all that it depends on', () => {
    const names = [
      nameOf(),
      nameOf('Hello!'),
      nameOf('hello'),
      nameOf('Hello', 'de'),
      nameOf('Hello', null, { ...ANNA, name: 'ben' }),
      nameOf('Hello', null, { ...ANNA, version: 2 }),
      nameOf('Hello', null, ANNA, { speed: 2 }),
      nameOf('Hello', null, SLT),
    ];
    expect(new Set(names).size).toBe(names.length);
    const canonical = '{"locale":null,"options":{},"text":"Hello","version":1,"voice":"anna"}';
    expect(names[0]).toBe(sha256(canonical).slice(0, 32));
  });

  it('does not depend on the source language, nor for built-in voices on any', () => {
    expect(nameOf('Hello', 'en', ANNA, {}, 'en')).toBe(nameOf());
    expect(nameOf('Hello', 'de', ANNA, {}, 'en')).toBe(nameOf('Hello', 'de'));
    expect(nameOf('Hello', 'de', SLT)).toBe(nameOf('Hello', null, SLT));
  });

  it('does not depend on white space, prices, time-outs and the order of options', () => {
    expect(nameOf(' Hello \n')).toBe(nameOf());
    const price = { currency: 'EUR', per1000Characters: 1 };
    expect(nameOf('Hello', null, { ...ANNA, price, command: ['./other.sh'], env: ['KEY'] })).toBe(nameOf());
    expect(nameOf('Hello', null, { ...SLT, name: 'other' })).toBe(nameOf('Hello', null, SLT));
    expect(nameOf('Hello', null, { ...ANNA, options: { a: 1, b: 2 } }, { b: 3 })).toBe(
      nameOf('Hello', null, ANNA, { b: 3, a: 1 }),
    );
  });
});
