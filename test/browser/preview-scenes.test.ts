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

interface PlayedVideo {
  /** Number of elements. */
  readonly videos: number;
  readonly frames: readonly number[];
  readonly soundBytes: number;
  readonly isHiddenFirst: boolean;
}

const FILM = `title: Spring
resources: { c_01: "#EEADA7" }
scenes:
  - template: small
    resources: { t_01: Spring }
  - id: lamp   # the first product
    template: small
    resources: { t_01: Lamp }
    duration: 2
    transition: { type: fade, duration: 0.2 }
  - id: outro
    template: small
    when: "no"
    resources: { t_01: Bye }
`;

/** Records what the videos of a page show and decode until the first one ends. */
const RECORD_PLAYBACK = `
  globalThis.played = new Promise((resolve) => {
    const [videos, frames] = [new Set(), []];
    const { play } = HTMLMediaElement.prototype;
    const isHidden = (video) => getComputedStyle(video).opacity === '0';
    HTMLMediaElement.prototype.play = function () {
      videos.add(this);
      const isHiddenFirst = isHidden(this);
      const record = (_, { mediaTime }) => {
        if (!isHidden(this)) frames.push(Math.round(mediaTime * 10));
        this.requestVideoFrameCallback(record);
      };
      this.requestVideoFrameCallback(record);
      this.addEventListener('ended', () => resolve({ videos: videos.size, frames, isHiddenFirst, soundBytes: this.webkitAudioDecodedByteCount }));
      return play.call(this);
    };
  });
  undefined;
`;

describe.skipIf(CHROMIUM === null)('the timeline of the preview page in Chromium', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    const tone = Array.from({ length: 3 * 48_000 }, (_, at) => Math.sin(at / 20) / 2);
    root = makeRepository({ 'videos/film.yaml': FILM, 'videos/tone.wav': stereoWav(48_000, tone) });
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
    await expect.poll(names).toEqual(['small', 'lamp']);
    await page.locator('.scene-block:has-text("2 s")').waitFor();
  });

  const block = (id: string): Locator =>
    page.locator('.scene-block').filter({ has: page.getByText(id, { exact: true }) });
  const names = (): Promise<string[]> => page.locator('.scene-block b').allTextContents();
  const text = (): string => readFileSync(join(root, 'videos/film.yaml'), 'utf8');

  it('shows scenes, transitions and what is left out, without faults of accessibility', async () => {
    expect(await page.locator('.scene-transition').count()).toBe(1);
    await page.getByRole('list', { name: 'Scenes that are left out' }).getByText('outro').waitFor();
    await page.evaluate(AXE);
    const faults = await page.evaluate(() =>
      (globalThis as unknown as { axe: { run(at: string): Promise<{ violations: { id: string }[] }> } }).axe
        .run('.scenes')
        .then(({ violations }) => violations.map(({ id }) => id)),
    );
    expect(faults).toEqual([]);
  });

  it('goes to a scene by a click, and sets its length by a number and by its edge', async () => {
    await block('lamp').click();
    await page.locator('.scene-name b', { hasText: 'lamp' }).waitFor();
    await page.getByLabel('Seconds').fill('3');
    await expect.poll(text).toContain('duration: 3\n');
    await page.locator('.scene-block:has-text("3 s")').waitFor();
    const edge = (await block('lamp').locator('.scene-edge').boundingBox())!;
    const [x, y] = [edge.x + edge.width / 2, edge.y + edge.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 120, y, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => Number(/duration: ([\d.]+)\n/.exec(text())?.[1])).toBeLessThan(3);
    expect(text()).toContain('id: lamp   # the first product');
  });

  it('plays pictures and sound over a cut in one go, from the current frame', async () => {
    writeFileSync(join(root, 'videos/film.yaml'), FILM.replace('scenes:', 'audio: { music: ./tone.wav }\nscenes:'));
    await page.getByRole('button', { name: 'Mute' }).waitFor();
    await page.getByLabel('Frame', { exact: true }).fill('5');
    await expect.poll(() => page.locator('.frame-number').textContent()).toContain('frame 5');
    await page.evaluate(RECORD_PLAYBACK);
    await page.getByRole('button', { name: 'Play' }).click();
    const { videos, frames, isHiddenFirst, soundBytes } = await page.evaluate<PlayedVideo>('played');
    expect(videos).toBe(1);
    // The browser may show frame 0 before it seeks.
    expect(isHiddenFirst).toBe(true);
    // A busy browser skips frames, also the first and the last. The cut is at frame 10.
    expect(frames[0]).toBeGreaterThanOrEqual(5);
    expect(frames[0]).toBeLessThan(10);
    expect(frames.at(-1)).toBeGreaterThan(20);
    expect(frames).toEqual(frames.toSorted((a, b) => a - b));
    expect(soundBytes).toBeGreaterThan(0);
    await expect.poll(() => page.locator('.frame-number').textContent()).toContain('frame 29');
  });

  it('keeps the timeline while a text is too long, and marks it at its block and its field', async () => {
    await block('lamp').click();
    const fields = page.locator('[data-scene="lamp"]');
    const headline = fields.locator('[data-key="t_01"]');
    await expect.poll(() => page.locator('.panel').evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
    await headline.locator('textarea').fill('far more than the twenty letters');
    await block('lamp').locator('.scene-notes.error').waitFor();
    await headline.getByText('can have at most 20 characters').waitFor();
    expect(await names()).toEqual(['small', 'lamp']);
    await headline.locator('textarea').fill('Lamp');
    await block('lamp').locator('.scene-notes').waitFor({ state: 'detached' });
    await expect.poll(text).toBe(FILM);
  });

  it('reorders scenes by dragging, and by buttons', async () => {
    const lamp = (await block('lamp').boundingBox())!;
    const first = (await block('small').boundingBox())!;
    await page.mouse.move(lamp.x + lamp.width / 2, lamp.y + 20);
    await page.mouse.down();
    await page.mouse.move(first.x + 10, lamp.y + 20, { steps: 5 });
    await page.mouse.up();
    await expect.poll(names).toEqual(['lamp', 'small']);
    await block('lamp').click();
    await page.getByRole('button', { name: 'Move later' }).click();
    await expect.poll(names).toEqual(['small', 'lamp']);
    expect(text()).toBe(FILM);
  });

  it('adds a scene from a template and removes it', async () => {
    await block('small').click();
    await page.getByRole('button', { name: 'Add a scene after this' }).click();
    await expect.poll(names).toEqual(['small', 'small-2', 'lamp']);
    await block('small-2').click();
    await page.getByRole('button', { name: 'Remove small-2' }).click();
    await expect.poll(names).toEqual(['small', 'lamp']);
  });
});
