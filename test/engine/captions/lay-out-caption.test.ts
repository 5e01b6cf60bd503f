import { describe, expect, it } from 'vitest';
import type { CaptionStyle } from '../../../src/contract/captions/caption-style.ts';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { type CaptionPage, layOutCaption } from '../../../src/engine/captions/lay-out-caption.ts';
import { captioned, spokenCue } from '../../support/captioned-inputs.ts';
import { inputOf } from '../inputs.ts';

const FRAME = { width: 1080, height: 1920 };

async function pagesOf(cue: Cue, style: CaptionStyle = {}, lang?: string): Promise<CaptionPage[]> {
  const video = inputOf([], { ...FRAME, frameCount: 600, fps: 30 });
  const { captions } = captioned(video, { cues: [cue], style, ...(lang === undefined ? {} : { lang }) });
  return layOutCaption(captions!.cues[0]!, captions!.looks[0]!, FRAME);
}

function textsOf(pages: readonly CaptionPage[]): string[][] {
  return pages.map(({ lines }) => lines.map(({ words }) => `${words.length}`));
}

const LONG = 'Light that lands softly on every room you love and stays until you ask it to leave again';

describe('layOutCaption()', () => {
  it('balances lines', async () => {
    const [page] = await pagesOf(
      { start: 0, end: 4, text: 'Light that lands softly on every room you love' },
      { size: 6 },
    );
    const widths = page!.lines.map(({ width }) => width * page!.size);
    expect(widths).toHaveLength(2);
    expect(Math.max(...widths)).toBeLessThan(0.8 * FRAME.width);
    expect(Math.min(...widths) / Math.max(...widths)).toBeGreaterThan(0.8);
  });

  it('keeps lines as they are written if they fit', async () => {
    const [page] = await pagesOf({ start: 0, end: 4, text: 'A\nlonger line' });
    expect(page!.lines.map(({ cells }) => cells.length)).toEqual([1, 11]);
  });

  it('shows a text with too many lines in pages from word to word', async () => {
    const pages = await pagesOf(spokenCue(LONG, 1, 0.2), { size: 7, lines: 2 });
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.every(({ lines }) => lines.length <= 2)).toBe(true);
    expect(pages[0]!.from).toBe(30);
    for (const [index, page] of pages.slice(1).entries()) expect(page.from).toBe(pages[index]!.to);
    expect(pages.flatMap(({ lines }) => lines.flatMap(({ words }) => words))).toHaveLength(LONG.split(' ').length);
  });

  it('shows at most as many words at once as the style allows', async () => {
    const pages = await pagesOf(spokenCue(LONG, 0, 0.2), { words: 4 });
    expect(Math.max(...textsOf(pages).map((lines) => lines.reduce((sum, count) => sum + Number(count), 0)))).toBe(4);
  });

  it('makes a text smaller whose word is wider than a line', async () => {
    const [page] = await pagesOf({ start: 0, end: 4, text: 'Donaudampfschifffahrtsgesellschaftskapitän' }, { size: 9 });
    expect(page!.lines).toHaveLength(1);
    expect(page!.lines[0]!.width * page!.size).toBeLessThanOrEqual(0.8 * FRAME.width + 0.5);
  });

  it('changes the case by the language', async () => {
    const [turkish] = await pagesOf({ start: 0, end: 4, text: 'ısı i' }, { case: 'upper' }, 'tr');
    const [english] = await pagesOf({ start: 0, end: 4, text: 'ISI İ' });
    const glyphsOf = (page: CaptionPage | undefined) =>
      page!.lines[0]!.cells.map(({ cell }) => cell.glyphs.map(({ glyph }) => glyph));
    expect(glyphsOf(turkish)).toEqual(glyphsOf(english));
  });

  it('finds the words of right-to-left and mixed texts', async () => {
    const video = inputOf([], { ...FRAME, frameCount: 600, fps: 30 });
    const text = 'אור reel רך';
    const { captions } = captioned(video, { cues: [spokenCue(text, 0, 0.5)], style: {}, lang: 'he' });
    const words = captions!.cues[0]!.words!;
    expect(words.map(({ start, end }) => text.slice(start, end))).toEqual(['אור', 'reel', 'רך']);
  });
});
