import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CaptionStyle } from '../../src/contract/captions/caption-style.ts';
import { layOutCaption } from '../../src/engine/captions/lay-out-caption.ts';
import type { CaptionLook, InputCue } from '../../src/template/render-input.ts';
import { inputOf } from '../engine/inputs.ts';
import { everyScript, LATIN } from '../engine/text/test-fonts.ts';
import { drawFrames } from '../support/segment-frames.ts';
import { ACCEPTED, CUES } from './caption-line-differences.ts';
import { CHROMIUM } from './lottie-web.ts';

const FRAME = { width: 1280, height: 720 };
/** Pixels of the letters and of a line. */
const [SIZE, WIDTH] = [48, 640];
const FONTS = [LATIN, ...everyScript()].map(({ name, bytes }) => ({ name, bytes }));
const STYLE: CaptionStyle = {
  font: LATIN.name,
  weight: 400,
  size: (SIZE / FRAME.height) * 100,
  width: (WIDTH / FRAME.width) * 100,
  lines: 6,
};

const lookOf = (lang: string, style = STYLE): CaptionLook => ({ style, lang, fonts: FONTS });
const cueOf = (text: string): InputCue => ({ look: 0, from: 0, to: 30, text, level: 0 });

/** No line begins with these. */
const CLOSING = /^[、。，．！？：；）」』”’»…ー・.,!?;:)]/u;

const STYLESHEET = `
  body { margin: 0 }
  div {
    position: absolute; left: ${(FRAME.width - WIDTH) / 2}px; width: ${WIDTH}px; text-align: center;
    font: ${SIZE}px/1.4 ${FONTS.map((_, index) => `f${index}`).join(',')}; text-rendering: geometricPrecision;
    text-wrap: balance; word-break: auto-phrase;
  }
  ${FONTS.map(({ bytes }, index) => `@font-face { font-family: f${index}; src: url(data:font/woff;base64,${Buffer.from(bytes).toString('base64')}) }`).join(' ')}`;

/** Functions of the page. The ranges of a text have the positions of its lines. */
const SCRIPT = `
  const box = document.querySelector('div');
  async function show(text, lang) {
    Object.assign(box, { textContent: text, lang, dir: 'auto' });
    await document.fonts.ready;
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  }
  function rectOf(start, end) {
    const range = document.createRange();
    range.setStart(box.firstChild, start);
    range.setEnd(box.firstChild, end);
    return [...range.getClientRects()].find(({ width }) => width > 0);
  }
  async function linesOf(text, lang) {
    await show(text, lang);
    const lines = [];
    for (const { segment, index } of new Intl.Segmenter().segment(text)) {
      const rect = rectOf(index, index + segment.length);
      const middle = rect === undefined ? lines.at(-1).middle : rect.top + rect.height / 2;
      if (lines.length === 0 || middle - lines.at(-1).middle > ${SIZE / 2}) lines.push({ middle, text: segment });
      else lines.at(-1).text += segment;
    }
    return lines.map((line) => line.text.trim());
  }
  async function wordsOf(text, lang, words) {
    await show(text, lang);
    return words.map(([start, end]) => {
      const { left, right, top, height } = rectOf(start, end);
      return { left, right, line: Math.floor((top + height / 2 - box.getBoundingClientRect().top) / ${SIZE * 1.4}) };
    });
  }`;

describe.skipIf(CHROMIUM === null)('captions beside Chromium', () => {
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const args = ['--no-sandbox', '--font-render-hinting=none'];
    browser = await chromium.launch({ executablePath: CHROMIUM!, args });
    page = await browser.newPage({ viewport: FRAME });
    await page.setContent(`<style>${STYLESHEET}</style><div></div>`);
    await page.addScriptTag({ content: SCRIPT });
    for (const index of FONTS.keys())
      await page.evaluate(`document.fonts.load('48px f${index}').then(() => undefined)`);
  });

  afterAll(() => browser?.close());

  const ask = (name: string, ...args: readonly unknown[]): Promise<unknown> =>
    page.evaluate(`${name}(${args.map((value) => JSON.stringify(value)).join(', ')})`);

  async function linesOf(text: string, lang: string): Promise<{ lines: string[]; missing: readonly string[] }> {
    const [laidOut] = await layOutCaption(cueOf(text), lookOf(lang), FRAME);
    const lines = laidOut!.lines.map(({ cells }) => {
      const [starts, ends] = [cells.map(({ cell }) => cell.start), cells.map(({ cell }) => cell.end)];
      return text.slice(Math.min(...starts), Math.max(...ends)).trim();
    });
    return { lines, missing: laidOut!.missing };
  }

  it.each(CUES)('break %s as Chromium does, or where that was judged', async (name, lang, text) => {
    const { lines, missing } = await linesOf(text, lang);
    expect(missing).toEqual([]);
    expect(lines.filter((line) => CLOSING.test(line))).toEqual([]);
    expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
    const chromiumLines = (await ask('linesOf', text, lang)) as string[];
    const found = { ours: lines.join(' | '), chromium: chromiumLines.join(' | ') };
    const { reason: _, ...accepted } = ACCEPTED[name] ?? { ours: found.chromium, chromium: found.chromium, reason: '' };
    expect(found).toEqual(accepted);
  });

  it.each([
    ['he', 'אור רך שנופל על כל חדר שאתם אוהבים', null],
    ['ar', 'ضوء ناعم يسقط على كل غرفة تحبها', null],
    ['he', 'המחיר הוא 1,234.50 USD בלבד', null],
    ['ja', '春の新作コレクションを今すぐチェックして', ['春の', '新作', 'コレクションを', '今すぐ', 'チェックして']],
    ['zh-Hans', '明月光照大地，所有人', ['明月光', '照大地，', '所有人']],
    ['th', 'แสงนุ่มนวลที่ส่องลงบนทุกห้อง', ['แสง', 'นุ่มนวล', 'ที่', 'ส่องลง', 'บน', 'ทุก', 'ห้อง']],
    ['hi', 'रोशनी जो आपके हर प्यारे कमरे पर', null],
    ['en', 'Light that lands softly on every room', null],
  ])('highlight the word that is spoken: %s %s', async (lang, text, listed) => {
    const pieces = listed ?? text.split(' ');
    let at = 0;
    const words = pieces.map((word, index) => {
      const start = text.indexOf(word, at);
      at = start + word.length;
      return { start, end: at, from: index, to: index + 1 };
    });
    const style = {
      ...STYLE,
      color: '0000FF',
      active_background: 'FF0000',
      padding: 0,
      radius: 0,
      position: 'top' as const,
    };
    const input = inputOf([], { ...FRAME, frameCount: pieces.length, fps: 10 });
    const cue: InputCue = { look: 0, from: 0, to: pieces.length, text, level: 0, words };
    const captions = { rate: { numerator: 10, denominator: 1 }, looks: [lookOf(lang, style)], cues: [cue] };
    const frames = await drawFrames({ ...input, captions }, { first: 0, end: pieces.length });
    const expected = (await ask('wordsOf', text, lang, words.map(({ start, end }) => [start, end]))) as Mark[]; // biome-ignore format: one line
    const marks = [...frames.values()].map(markOf);
    const lines = [...new Set(marks.map(({ top }) => top))].sort((a, b) => a - b);
    for (const [index, { left, right, top }] of marks.entries()) {
      expect(Math.abs(left - expected[index]!.left), pieces[index]).toBeLessThan(3);
      expect(Math.abs(right - expected[index]!.right), pieces[index]).toBeLessThan(3);
      expect(lines.indexOf(top), pieces[index]).toBe(expected[index]!.line);
    }
  });
});

interface Mark {
  readonly left: number;
  readonly right: number;
  readonly line: number;
}

/** Returns the box around the red pixels. @param rgba of the frame */
function markOf(rgba: Uint8Array): { left: number; right: number; top: number } {
  let [left, right, top] = [FRAME.width, 0, FRAME.height];
  for (let pixel = 0; pixel < FRAME.width * FRAME.height; pixel++) {
    if (rgba[4 * pixel]! < 128 || rgba[4 * pixel + 2]! > 64) continue;
    const x = pixel % FRAME.width;
    [left, right] = [Math.min(left, x), Math.max(right, x + 1)];
    top = Math.min(top, Math.floor(pixel / FRAME.width));
  }
  return { left, right, top };
}
