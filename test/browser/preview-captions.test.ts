import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../field/lottie-web.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const VTT = `WEBVTT

NOTE checked by Anna

first
00:00.500 --> 00:01.500 line:85%
Light that
lands softly.

00:01.500 --> 00:02.500
Made to last.
`;

const FILM = `title: Spring
resources: { c_01: "#EEADA7", t_01: Spring }
captions: {from: ./film.vtt, burn: false, embed: true}
scenes:
  - { id: first, template: small, duration: 4 }
  - { id: last, template: small, duration: 2 }
`;

describe.skipIf(CHROMIUM === null)('the captions of the preview page in Chromium', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    root = makeRepository({ 'videos/film.yaml': FILM, 'videos/film.vtt': VTT });
    server = await PreviewClient.start(root);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${server.url.href}#/video/film`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  beforeEach(async () => {
    writeFileSync(join(root, 'videos/film.vtt'), VTT);
    await expect.poll(titles).toEqual(['0:00.50 – 0:01.50', '0:01.50 – 0:02.50']);
    await expect.poll(texts).toEqual(['Light that\nlands softly.', 'Made to last.']);
  });

  const text = (): string => readFileSync(join(root, 'videos/film.vtt'), 'utf8');
  const cue = (part: string): Locator => page.locator('button.cue').filter({ hasText: part });
  const texts = (): Promise<string[]> => page.locator('.cue-text').allTextContents();
  const titles = async (): Promise<string[]> => {
    const all = await page.locator('button.cue').all();
    return Promise.all(all.map(async (button) => (await button.getAttribute('title'))!.split('\n')[0]!));
  };
  const drag = async (at: { readonly x: number; readonly y: number }, by: number): Promise<void> => {
    await page.mouse.move(at.x, at.y);
    await page.mouse.down();
    await page.mouse.move(at.x + by, at.y, { steps: 4 });
    await page.mouse.up();
  };
  /** Pixels of a second. */
  const second = async (): Promise<number> => (await page.locator('.cue-lanes').boundingBox())!.width / 6;

  it('shows cues, without faults of accessibility', async () => {
    await cue('Light').click();
    await page.evaluate(AXE);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      const faults = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(at: string): Promise<{ violations: { id: string }[] }> } }).axe
          .run('.captions')
          .then(({ violations }) => violations.map(({ id }) => id)),
      );
      expect(faults, theme).toEqual([]);
    }
    await expect.poll(() => page.locator('.frame-number').textContent()).toContain('frame 5 of');
  });

  it('moves a cue and one of its ends to whole frames, and changes only their times', async () => {
    const box = (await cue('Made').boundingBox())!;
    await drag({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, 1.04 * (await second()));
    await expect.poll(text).toBe(VTT.replace('00:01.500 --> 00:02.500', '00:02.500 --> 00:03.500'));
    await expect.poll(titles).toEqual(['0:00.50 – 0:01.50', '0:02.50 – 0:03.50']);
    const edge = (await cue('Light').locator('.cue-edge.end').boundingBox())!;
    await drag({ x: edge.x + edge.width / 2, y: edge.y + edge.height / 2 }, 0.48 * (await second()));
    await expect.poll(text).toContain('00:00.500 --> 00:02.000 line:85%');
    await expect.poll(titles).toEqual(['0:00.50 – 0:02.00', '0:02.50 – 0:03.50']);
    await page.getByText('Saved to videos/film.vtt').waitFor();
    await page.keyboard.press('Control+z');
    await expect.poll(text).toBe(VTT.replace('00:01.500 --> 00:02.500', '00:02.500 --> 00:03.500'));
  });

  it('edits the text and the times of the selected cue by keyboard', async () => {
    await cue('Made').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Text of the caption').fill('Made to stay.');
    await expect.poll(text).toBe(VTT.replace('to last', 'to stay'));
    await page.getByLabel(/^To/).press('ArrowUp');
    await expect.poll(text).toBe(VTT.replace('to last', 'to stay').replace('00:02.500', '00:02.600'));
    await page.getByLabel('Text of the caption').fill('');
    await page.getByText('A cue has a text').waitFor();
    await page.getByLabel('Text of the caption').fill('Made to last.');
    await expect.poll(text).toContain('Made to last.');
  });

  it('splits a cue at the text cursor, and joins it again', async () => {
    await cue('Light').click();
    const field = page.getByLabel('Text of the caption');
    await field.evaluate((area) =>
      (area as unknown as { setSelectionRange(from: number, to: number): void }).setSelectionRange(10, 10),
    );
    await page.getByRole('button', { name: 'Split' }).click();
    await expect.poll(texts).toEqual(['Light that', 'lands softly.', 'Made to last.']);
    expect(text()).toContain('first\n00:00.500 --> 00:00.900 line:85%\nLight that\n\n00:00.900 --> 00:01.500');
    await cue('Light that').click();
    await page.getByRole('button', { name: 'Join with next' }).click();
    await expect.poll(text).toBe(VTT);
  });

  it('plays one cue', async () => {
    await cue('Made').click();
    await page.getByRole('button', { name: 'Play this caption' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
    await expect.poll(() => page.locator('.frame-number').textContent()).toContain('frame 24 of');
  });
});
