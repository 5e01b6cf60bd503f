import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../field/lottie-web.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { CONFIG, makeRepository } from '../support/repository.ts';
import { smallAnimation, solidPng } from '../support/small-package.ts';
import { reelform } from '../support/test-io.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const BERLIN = `# Spring campaign
template: small
title: Berlin # shown in lists
resources:
  # Reviewed by legal
  t_01: 'Berlin'
  c_01: "#2A4B7C"
  (Footage)/USER/photo.png: ./images/photo.png
`;

const STORES = `template: small
each: { from: videos/data/stores.csv, id: "\${slug}" }
title: Store in \${city}
resources: { t_01: "\${city}", c_01: "#305030" }
`;

/** The small template, with its headline in the picture. */
function visibleHeadline(): object {
  const animation = smallAnimation();
  const [headline] = animation.layers as { ks: object }[];
  headline!.ks = { ...headline!.ks, p: { a: 0, k: [8, 18, 0] } };
  return animation;
}

if (CHROMIUM === null) console.warn('SKIPPED: the preview page is not tested, because there is no Chromium.');

describe.skipIf(CHROMIUM === null)('the preview page in Chromium', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  const pages: Page[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    root = makeRepository({
      'videos/berlin.yaml': BERLIN,
      'videos/stores.yaml': STORES,
      'videos/data/stores.csv': 'slug,city\r\nlodz,"Łódź"\r\n',
      'templates/small/animation.json': JSON.stringify(visibleHeadline()),
      'reelform.yaml': CONFIG.replace('low_contrast: off', 'low_contrast: warning'),
    });
    server = await PreviewClient.start(root);
    browser = await chromium.launch({
      executablePath: CHROMIUM!,
      args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
  });

  afterEach(async () => {
    await Promise.all(pages.splice(0).map((page) => page.context().close()));
    expect(complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens the page with the token. Errors and requests to other hosts are collected. */
  async function open(
    hash: string,
    options: { readonly colorScheme?: 'light' | 'dark'; readonly width?: number; readonly height?: number } = {},
  ): Promise<Page> {
    const { colorScheme = 'light', width = 1280, height = 800 } = options;
    const context = await browser.newContext({
      colorScheme,
      viewport: { width, height },
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    pages.push(page);
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => new URL(request.url()).host === server.url.host || complaints.push(request.url()));
    await page.goto(`${server.url.href}${hash}`);
    return page;
  }

  const cardOf = (page: Page, id: string): Locator => page.locator(`.card[data-id="${id}"]`);
  const readVideo = (name: string): string => readFileSync(join(root, `videos/${name}.yaml`), 'utf8');
  const writeVideo = (name: string, text: string): void => writeFileSync(join(root, `videos/${name}.yaml`), text);

  it('changes a card when its file is edited on disk', async () => {
    const page = await open('#/');
    const card = cardOf(page, 'rome');
    await card.locator('img').waitFor();
    const before = await card.locator('img').getAttribute('src');
    writeVideo('rome', readVideo('rome').replace('title: Rome', 'title: Roma').replace('EEADA7', '204060'));
    await card.getByText('Roma').waitFor();
    await expect.poll(() => card.locator('img').getAttribute('src')).not.toBe(before);
  });

  it('finds, filters and opens videos by keyboard', async () => {
    const page = await open('#/');
    await cardOf(page, 'oslo').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('osl');
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Oslo' }).waitFor();
    await page.keyboard.press('Escape');
    await cardOf(page, 'berlin').waitFor();
    await cardOf(page, 'berlin').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator(':focus').getAttribute('data-id')).toBe('oslo');
  });

  it('keeps comments, quotes and order when the form writes a file, and undoes the edit', async () => {
    const page = await open('#/video/berlin');
    const field = page.getByLabel('Headline', { exact: true });
    await field.fill('Berlin 2');
    await expect.poll(() => readVideo('berlin')).toBe(BERLIN.replace("'Berlin'", "'Berlin 2'"));
    await page.getByText('Saved to videos/berlin.yaml').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => readVideo('berlin')).toBe(BERLIN);
    await expect.poll(() => field.inputValue()).toBe('Berlin');
  });

  it('shows an edit of one tab in the other', async () => {
    const [one, other] = [await open('#/video/oslo'), await open('#/')];
    await cardOf(other, 'oslo').waitFor();
    await one.getByLabel('Title', { exact: true }).fill('Oslo by night');
    await cardOf(other, 'oslo').getByText('Oslo by night').waitFor();
    expect(readVideo('oslo')).toContain('title: Oslo by night');
  });

  it('edits the rows of a data file as a table', async () => {
    const page = await open('#/rows/videos/data/stores.csv');
    await page.getByLabel('city, row 1').fill('Gdynia');
    await expect
      .poll(() => readFileSync(join(root, 'videos/data/stores.csv'), 'utf8'))
      .toBe('slug,city\r\nlodz,Gdynia\r\n');
    await page.getByRole('link', { name: 'lodz' }).click();
    await page.getByRole('heading', { name: 'Store in Gdynia' }).waitFor();
    await page.getByText('Values from columns belong to this row of videos/data/stores.csv.').waitFor();
    expect(await page.getByRole('button', { name: 'Duplicate' }).count()).toBe(0);
  });

  it('adds a row, keeps the line breaks of a cell, and undoes both', async () => {
    const path = join(root, 'videos/data/stores.csv');
    const before = readFileSync(path, 'utf8');
    const page = await open('#/rows/videos/data/stores.csv');
    await page.getByRole('button', { name: 'Add a row' }).click();
    const added = page.getByLabel('slug, row 2');
    await expect.poll(() => added.inputValue()).toBe('new-2');
    await expect.poll(() => added.evaluate((cell) => cell.matches(':focus'))).toBe(true);
    await page.keyboard.type('gdansk');
    await page.keyboard.press('Tab');
    await page.keyboard.type('Old');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('Town');
    await expect.poll(() => readFileSync(path, 'utf8')).toBe(`${before}gdansk,"Old\nTown"\r\n`);
    await page.getByText('new-2').waitFor({ state: 'detached' });
    await page.getByLabel('city, row 2').pressSequentially(' 2');
    await expect.poll(() => readFileSync(path, 'utf8')).toBe(`${before}gdansk,"Old\nTown 2"\r\n`);
    for (;;) {
      const undo = page.getByRole('button', { name: 'Undo' });
      await page.getByText('Saving…').waitFor({ state: 'detached' });
      if (await undo.isDisabled()) break;
      await undo.click();
    }
    expect(readFileSync(path, 'utf8')).toBe(before);
  });

  it('names the problem of a row', async () => {
    const path = join(root, 'videos/data/stores.csv');
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, `${before}lodz,Other\r\n`);
    const page = await open('#/rows/videos/data/stores.csv');
    await page.getByText('already has a video').waitFor();
    writeFileSync(path, before);
    await page.getByText('already has a video').waitFor({ state: 'detached' });
  });

  it('moves a slider of the form by keyboard, and not the frame', async () => {
    const page = await open('#/video/berlin');
    const slider = page.locator('[data-key=c_01]').getByLabel('Opacity');
    await slider.focus();
    const frame = await page.locator('.frame-number').textContent();
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => readVideo('berlin')).toContain('c_01: "#2A4B7CFC"');
    expect(await page.locator('.frame-number').textContent()).toBe(frame);
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => readVideo('berlin')).toBe(BERLIN);
  });

  it('stores a chosen image and moves its focus', async () => {
    const page = await open('#/video/oslo');
    const field = page.locator('[data-key="(Footage)/USER/photo.png"]');
    await field
      .locator('input[type=file]')
      .setInputFiles({ name: 'sky.png', mimeType: 'image/png', buffer: Buffer.from(solidPng('#0000ff')) });
    await expect.poll(() => readVideo('oslo')).toContain('sky.png');
    await field.locator('.focus-point').waitFor();
    await field.locator('img[src*=sky]').waitFor();
    await field.getByLabel('Focus X').selectText();
    await page.keyboard.type('12.5');
    await expect.poll(() => readVideo('oslo')).toContain('focus_x: 0.125');
  });

  it('stores an image that is dropped, and crops it with the pointer', async () => {
    const page = await open('#/video/rome');
    const field = page.locator('[data-key="(Footage)/USER/photo.png"]');
    const bytes = JSON.stringify([...solidPng('#00ff00', 120, 60)]);
    const transfer = await page.evaluateHandle(`
      const dropped = new DataTransfer();
      dropped.items.add(new File([new Uint8Array(${bytes})], 'dropped.png', { type: 'image/png' }));
      dropped`);
    await field.locator('.media').dispatchEvent('dragover', { dataTransfer: transfer });
    await field.locator('.media.is-over').waitFor();
    await field.locator('.media').dispatchEvent('drop', { dataTransfer: transfer });
    await expect.poll(() => readVideo('rome')).toContain('dropped.png');
    await field.locator('.focus-point').waitFor();
    await field.locator('.transform select').selectOption('manual');
    await field.locator('.crop-box').waitFor();
    await expect.poll(() => readVideo('rome')).toMatch(/crop_x: 30\b/);
    const area = (await field.locator('.crop-area').boundingBox())!;
    await page.mouse.move(area.x + area.width / 2, area.y + area.height / 2);
    await page.mouse.down();
    await page.mouse.move(area.x + area.width - 2, area.y + area.height / 2, { steps: 5 });
    await page.mouse.up();
    // The crop is as high as the picture and stops at its right edge.
    await expect.poll(() => readVideo('rome')).toMatch(/crop_x: 60\b/);
    expect(readVideo('rome')).toMatch(/crop_width: 60\b/);
    await field.locator('.transform select').selectOption('contain');
    await expect.poll(() => readVideo('rome')).not.toContain('crop_x');
    await field.getByLabel('Background').fill('#3366cc');
    await expect.poll(() => readVideo('rome')).toMatch(/background: "?3366CC/);
  });

  it('draws a box around what a finding is about, at its moment', async () => {
    const page = await open('#/video/oslo?panel=findings');
    await page.locator('.findings button').first().click();
    const box = page.locator('.lint-box').first();
    await box.waitFor();
    const [around, picture] = [(await box.boundingBox())!, (await page.locator('.picture').boundingBox())!];
    expect(Math.abs((around.x - picture.x) / picture.width - 8 / 64)).toBeLessThan(0.03);
    expect((around.y + around.height - picture.y) / picture.height).toBeGreaterThan(17 / 36);
    expect((around.y + around.height - picture.y) / picture.height).toBeLessThan(21 / 36);
  });

  it('keeps the heading of a group in view while its cards are', async () => {
    const page = await open('#/?group=template', { height: 420 });
    const heading = page.getByRole('heading', { name: 'small' });
    await heading.waitFor();
    const topOf = async () => (await heading.boundingBox())!.y;
    const before = await topOf();
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, 200);
    await expect.poll(() => page.evaluate('scrollY')).toBe(200);
    expect(await topOf()).toBeGreaterThan(before - 200 + 50);
    const toolbar = (await page.locator('.toolbar').boundingBox())!;
    expect(Math.abs((await topOf()) - (toolbar.y + toolbar.height))).toBeLessThan(4);
  });

  it('plays the draft', async () => {
    const page = await open('#/video/rome');
    await page.locator('img[data-exact]').waitFor();
    await page.getByRole('button', { name: 'Play' }).click();
    // Visible for the second that it plays.
    await page.locator('.player video').first().waitFor({ state: 'attached' });
    await expect.poll(() => page.locator('.frame-number').textContent()).toContain('frame 9');
    await page.getByRole('button', { name: 'Play' }).waitFor();
  });

  it('scrubs to the frame that reelform render gives, pixel for pixel', async () => {
    const page = await open('#/video/berlin');
    await page.locator('img[data-exact]').waitFor();
    await page.getByLabel('Frame', { exact: true }).focus();
    await page.keyboard.press('Home');
    for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowRight');
    const exact = page.locator('img[data-exact][data-frame="3"]');
    await exact.waitFor();
    const shown = await exact.evaluate(async (image: { readonly src: string }) => {
      const bytes = new Uint8Array(await (await fetch(image.src)).arrayBuffer());
      return btoa(String.fromCharCode(...bytes));
    });
    const file = join(root, 'frame.png');
    const { exitCode, stderr } = await reelform(root, ['render', 'berlin', '--frame', '3', '--out', file]);
    expect(exitCode, stderr).toBe(0);
    expect(await pixelsOf(Buffer.from(shown, 'base64'))).toEqual(await pixelsOf(readFileSync(file)));
  });

  it('shows broken YAML at its line, and recovers', async () => {
    const page = await open('#/video/berlin?panel=source');
    await page.locator('.code').first().waitFor();
    writeVideo('berlin', BERLIN.replace('resources:', 'resources: ['));
    const line = page.locator('.code li.has-error').first();
    await line.waitFor();
    await page.locator('.badge.state-invalid').waitFor();
    expect(await line.locator('.line-problem').first().textContent()).toMatch(/error/);
    writeVideo('berlin', BERLIN);
    await line.waitFor({ state: 'detached' });
    await page.locator('.badge.state-new').waitFor();
  });

  it('draws a template with each kind of text', async () => {
    const page = await open('#/template/small');
    await page.locator('.matrix img').nth(3).waitFor();
    const sources = await page
      .locator('.matrix img')
      .evaluateAll((images) => images.map((image) => image.getAttribute('src')));
    expect(new Set(sources).size).toBe(4);
    await page.getByRole('button', { name: 'Longest, stillcut 01' }).click();
    await page.locator('.template-stage img').waitFor();
    await page.getByText('up to 20 characters').waitFor();
  });

  it.each(['light', 'dark'] as const)('has no accessibility faults in %s', async (colorScheme) => {
    const page = await open('#/', { colorScheme });
    const addresses = [
      '#/',
      '#/video/berlin',
      '#/video/berlin?panel=source',
      '#/video/berlin?panel=history',
      '#/template/small',
      '#/plan',
    ];
    for (const hash of addresses) {
      await page.evaluate(`location.hash = '${hash}'`);
      await page.locator('main img, main .plan-item').first().waitFor();
      await page.waitForLoadState('networkidle');
      expect(await axe(page), hash).toEqual([]);
    }
  });

  it('shows a built gallery without a server of ours', async () => {
    const folder = join(root, 'site');
    expect((await reelform(root, ['preview', '--build', 'site'])).exitCode).toBe(0);
    const files = createServer((request, response) => {
      const path = new URL(request.url!, 'http://localhost').pathname;
      try {
        const bytes = readFileSync(join(folder, path === '/' ? 'index.html' : path));
        response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html').end(bytes);
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => files.listen(0, '127.0.0.1', resolve));
    const { port } = files.address() as AddressInfo;
    try {
      const page = await open('#/');
      page.removeAllListeners('request');
      await page.goto(`http://127.0.0.1:${port}/`);
      await cardOf(page, 'berlin').locator('img').waitFor();
      expect(await cardOf(page, 'berlin').locator('img').evaluate(isDrawn)).toBe(true);
      await cardOf(page, 'berlin').click();
      await page.getByRole('heading', { name: 'Berlin' }).waitFor();
      const picture = page.locator('.picture img').first();
      await picture.waitFor();
      expect(await picture.evaluate(isDrawn)).toBe(true);
      expect(await page.getByRole('tab', { name: 'Edit' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Play' }).count()).toBe(0);
      await page.getByRole('tab', { name: 'Source' }).click();
      await page.locator('.code').first().waitFor();
      expect(await axe(page)).toEqual([]);
      await page.goto(pathToFileURL(join(folder, 'index.html')).href);
      await page.getByText('only from a web server').waitFor();
    } finally {
      files.closeAllConnections();
      files.close();
    }
  });

  it('applies the plan after a confirmation and plays the finished video', async () => {
    const page = await open('#/plan');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.locator('.run-done').waitFor();
    expect(await page.locator('.run-done').textContent()).toContain('4 of 4 videos done');
    expect(JSON.parse(readFileSync(join(root, 'reelform.lock.json'), 'utf8')).videos).toHaveProperty('berlin');
    await page.goto(`${server.url.origin}/#/video/berlin?panel=history`);
    const video = page.locator('.finished video');
    await video.waitFor();
    const duration = await video.evaluate(async (element: { play(): Promise<void>; readonly duration: number }) => {
      await element.play();
      return element.duration;
    });
    expect(duration).toBeCloseTo(1, 1);
    await page.locator('.badge.state-up_to_date').waitFor();
  });
});

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.jpeg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.woff2': 'font/woff2',
};

const isDrawn = (image: { readonly complete: boolean; readonly naturalWidth: number }): boolean =>
  image.complete && image.naturalWidth > 0;

interface AxeResult {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

/** Runs axe-core, outside of the page's content security policy. */
async function axe(page: Page): Promise<string[]> {
  const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
  const { violations } = (await page.evaluate(`${AXE}; axe.run(document, ${JSON.stringify(options)})`)) as AxeResult;
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

async function pixelsOf(
  png: Buffer,
): Promise<{ readonly width: number; readonly height: number; readonly data: string }> {
  const image = await loadImage(png);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { width, height, data } = context.getImageData(0, 0, image.width, image.height);
  return { width, height, data: Buffer.from(data).toString('base64') };
}
