import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stereoWav } from '../engine/media/media-files.ts';
import { CHROMIUM } from '../field/lottie-web.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeRepository } from '../support/repository.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const FILM = `title: Spring
loudness: -20 # quiet
audio: {music: {source: ./music.wav, loop: true, duck: {under: voice}}}
resources: { c_01: "#EEADA7", t_01: Spring }
scenes:
  - id: first
    template: small
    duration: 4
    audio:
      voice: # Anna
        source: ./voice.wav # first take
        start: 0.5
  - { id: last, template: small, duration: 2 }
`;

describe.skipIf(CHROMIUM === null)('the sounds of the preview page in Chromium', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const tone = (seconds: number, amplitude: number): Buffer =>
      stereoWav(
        48_000,
        Array.from({ length: seconds * 48_000 }, (_, at) => amplitude * Math.sin(at / 20)),
      );
    root = makeRepository({
      'videos/film.yaml': FILM,
      'videos/music.wav': tone(3, 0.1),
      'videos/voice.wav': tone(1, 0.5),
    });
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
    writeFileSync(join(root, 'videos/film.yaml'), FILM);
    await expect.poll(() => sound('voice').getAttribute('title')).toContain('voice of first: 1\u00a0s');
  });

  const text = (): string => readFileSync(join(root, 'videos/film.yaml'), 'utf8');
  const sound = (name: string): Locator =>
    page.locator('button.sound').filter({ has: page.getByText(name, { exact: true }) });
  const reading = (name: string): Promise<string | null> =>
    page.locator('.readings div').filter({ hasText: name }).first().locator('dd').textContent();
  const faults = async (): Promise<string[]> => {
    await page.evaluate(AXE);
    return page.evaluate(() =>
      (globalThis as unknown as { axe: { run(at: string): Promise<{ violations: { id: string }[] }> } }).axe
        .run('.sounds')
        .then(({ violations }) => violations.map(({ id }) => id)),
    );
  };

  it('shows waveforms, the curve of ducking and the loudness, without faults of accessibility', async () => {
    await sound('music').locator('.graph-curve').waitFor({ state: 'attached' });
    expect(await sound('music').getAttribute('title')).toContain('down to −10 dB');
    await page.locator('.mix-lane').waitFor();
    expect(await reading('Whole video')).toMatch(/^−(19\.[5-9]|20\.[0-5]) LUFS$/);
    await sound('music').click();
    for (const theme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme: theme as 'light' });
      expect(await faults(), theme).toEqual([]);
    }
    await sound('music').click();
    await page.locator('.sound-bar').waitFor({ state: 'detached' });
  });

  it('shows the loudness at the current frame', async () => {
    const go = (frame: number): Promise<void> => page.getByLabel('Frame', { exact: true }).fill(String(frame));
    await page.locator('.readings').first().waitFor();
    await go(14);
    const voice = Number((await reading('Momentary'))!.replace('−', '-').replace(' LUFS', ''));
    await go(38);
    const music = Number((await reading('Momentary'))!.replace('−', '-').replace(' LUFS', ''));
    expect(voice - music).toBeGreaterThan(6);
  });

  it('moves a sound by dragging, and keeps everything else of the file', async () => {
    const box = (await sound('voice').boundingBox())!;
    const lane = (await page.locator('.sound-lanes').boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + lane.width / 6, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(text).not.toBe(FILM);
    const start = Number(/start: ([\d.]+)/.exec(text())![1]);
    expect(start).toBeCloseTo(1.5, 1);
    expect(text()).toBe(FILM.replace('start: 0.5', `start: ${start}`));
    await expect.poll(async () => (await sound('voice').boundingBox())!.x).toBeCloseTo(box.x + lane.width / 6, -1);
    // A drag does not select.
    expect(await page.locator('.sound-bar').count()).toBe(0);
  });

  it('edits level, start and ducking of the selected track by keyboard', async () => {
    await sound('voice').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Level').fill('-18');
    await page.getByLabel('Heard from').fill('0.75');
    await expect.poll(text).toBe(FILM.replace('start: 0.5', 'start: 0.75\n        level: -18'));
    await expect.poll(() => sound('voice').getAttribute('title')).toMatch(/dB, -18(\.\d)? LUFS/);
    await sound('music').click();
    await page.getByLabel('Lowered by').fill('6');
    await expect.poll(text).toContain('duck: {under: voice, depth: 6}');
    await page.getByRole('group', { name: 'Lowered under' }).getByLabel('voice').uncheck();
    await expect.poll(text).toContain('audio: {music: {source: ./music.wav, loop: true}}\n');
    await page.keyboard.press('Escape');
  });
});
