import { describe, expect, it } from 'vitest';
import { speakWithFlite } from '../../../src/engine/speech/flite.ts';
import { encodeSpeech } from '../../../src/engine/speech/speech-sound.ts';
import { sha256 } from '../../../src/kernel/digest.ts';
import { BUILTIN_VOICES } from '../../../src/reconciler/speech/voice.ts';

const { signal } = new AbortController();

describe('speakWithFlite()', () => {
  it('gives the same bytes for the same text and voice', async () => {
    const speak = async () => {
      const { wave, words } = await speakWithFlite('slt', 'Light that lands softly.', signal);
      return [sha256((await encodeSpeech(wave)).flac), words];
    };
    const first = await speak();
    expect(await speak()).toEqual(first);
  });

  // Node's own WASI aborts the process here, about every second time.
  it('speaks many texts at once', async () => {
    const texts = Array.from({ length: 16 }, (_, at) => `Eine helle Lampe für jeden Tisch im Haus, number ${at}.`);
    const speeches = await Promise.all(texts.map((text) => speakWithFlite('slt', text, signal)));
    expect(speeches.map(({ words }) => words.length)).toEqual(texts.map(() => 10));
  });

  it('times each word as it is shown, also numbers, dates, abbreviations and signs', async () => {
    const text = `It costs $12.50 on 3 May — says JSON. Dr. Smith's café isn't “open”!`;
    const { words } = await speakWithFlite('slt', text, signal);
    expect(words.map((word) => word.text)).toEqual(
      text
        .replace(' —', '\u00a0—')
        .split(' ')
        .map((word) => word.replace('\u00a0', ' ')),
    );
    for (const [index, { start, end }] of words.entries()) {
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0);
      expect(end).toBeGreaterThan(start);
    }
    // Four words of a price take longer than a preposition.
    const seconds = (shown: string): number =>
      words.filter((word) => word.text === shown).map(({ start, end }) => end - start)[0]!;
    expect(seconds('$12.50')).toBeGreaterThan(5 * seconds('on'));
  });

  it.each(BUILTIN_VOICES)('has the voice %s', async (voice) => {
    const { wave, words } = await speakWithFlite(voice, 'Hello world', signal);
    expect((await encodeSpeech(wave)).seconds).toBeGreaterThan(0.5);
    expect(words.map(({ text }) => text)).toEqual(['Hello', 'world']);
  });

  it('refuses what it cannot speak, and ends when it is aborted', async () => {
    await expect(speakWithFlite('slt', '日本', signal)).rejects.toMatchObject({
      code: 'speech_failed',
      message: expect.stringContaining('"日", "本"'),
    });
    const controller = new AbortController();
    const running = speakWithFlite('slt', 'Hello world', controller.signal);
    controller.abort(new Error('stop'));
    await expect(running).rejects.toThrow('stop');
  });
});
