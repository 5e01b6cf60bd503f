import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../field/lottie-web.ts';
import { lottie, rectangle, shapeLayer, still, TRANSFORM } from '../support/lottie-documents.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { makeFolder } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';

/** A bar whose rotation, position and gradient are slots. */
function bar(): object {
  const paint = {
    ty: 'gf',
    t: 1,
    o: still(100),
    s: still([60, 0]),
    e: still([140, 0]),
    g: { p: 2, k: still([0, 1, 0, 0, 1, 0, 0, 1]), sid: 'Sky' },
  };
  const ks = { ...TRANSFORM, r: { ...still(30), sid: 'Turn' }, p: { ...still([100, 50, 0]), sid: 'Place' } };
  return lottie([shapeLayer('bar', [rectangle(0, 0, 120, 40), paint], { ks })]);
}

describe.skipIf(CHROMIUM === null)('fields of numbers, points and gradients', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    root = makeFolder({ 'bar.json': new TextEncoder().encode(JSON.stringify(bar())) });
    expect(await reelform(root, ['template', 'add', 'bar.json'])).toMatchObject({ exitCode: 0 });
    server = await PreviewClient.start(root);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 1100 } });
    await page.goto(`${server.url.href}#/video/bar`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const definition = (): string => readFileSync(join(root, 'videos/bar.yaml'), 'utf8');
  const field = (key: string) => page.locator(`.field[data-key="${key}"]`);

  it('write the definition', async () => {
    await field('n_01').locator('input').fill('75.5');
    await expect.poll(definition).toMatch(/n_01: "?75\.5"?/);
    await field('p_01').getByLabel('Place: y').fill('20');
    await expect.poll(definition).toMatch(/p_01: "?100, 20"?/);
    await field('g_01').getByRole('button', { name: 'Add a colour' }).click();
    await expect.poll(definition).toContain('"#FF0000 0%, #FF0000 50%, #0000FF 100%"');
    await field('g_01').getByLabel('Sky: colour 2').fill('#ffffff');
    await field('g_01').getByLabel('Sky: position 2 in percent').fill('30');
    await field('g_01').getByLabel('Sky: position 2 in percent').blur();
    await expect.poll(definition).toContain('"#FF0000 0%, #FFFFFF 30%, #0000FF 100%"');
    expect(await reelform(root, ['validate'])).toMatchObject({ exitCode: 0 });
  });

  it('refuse a gradient that is none', async () => {
    const before = definition();
    await field('g_01').locator('.gradient-code').fill('red');
    await field('g_01').getByRole('alert').getByText('"red" is not a gradient').waitFor();
    expect(definition()).toBe(before);
  });
});
