import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PlanDocument } from '../../src/plan/plan-document.ts';
import type { PlanPreview } from '../../src/preview/plan-preview.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import { documentOf, everyAction, hardValues, largePlan } from '../report/example-plans.ts';
import { examplePreview } from '../report/html/preview.ts';
import { CHROMIUM } from './lottie-web.ts';

/** In the page: texts that are hard to read on what is behind them, and controls without a name. WCAG 2.2, 1.4.3 and 4.1.2. */
const FAULTS = `(() => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0);
  const behind = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const color = numbers(getComputedStyle(one).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return [255, 255, 255];
  };
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.hidden');
  const faults = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (walker.currentNode.data.trim() === '' || ['SCRIPT', 'STYLE'].includes(element.tagName) || !isShown(element)) continue;
    const [a, b] = [light(numbers(getComputedStyle(element).color)), light(behind(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faults.push(element.className + ' ' + walker.currentNode.data + ' ' + ratio.toFixed(2));
  }
  for (const control of document.querySelectorAll('button, input, select, video, img')) {
    const name = control.getAttribute('aria-label') || control.alt || control.textContent.trim() || control.labels?.[0]?.textContent;
    if (!name) faults.push('no name: ' + control.outerHTML.slice(0, 80));
  }
  return faults;
})()`;

describe.skipIf(CHROMIUM === null)('the page of a plan in Chromium', () => {
  let browser: Browser;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plan-page-'));
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  /** Opens a page; whatever it complains of, or asks the network for, is in `complaints`. */
  async function open(document: PlanDocument, preview: PlanPreview | null = null) {
    const file = join(folder, 'plan.html');
    writeFileSync(file, planHtml(document, { preview }));
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => /^(?:file|data):/.test(request.url()) || complaints.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  const shown = (page: Page): Promise<string[]> => page.locator('.card:visible h2').allTextContents();

  it('finds, filters, sorts and compares', async () => {
    const { page, complaints } = await open(documentOf(everyAction()), examplePreview());
    await page.getByRole('button', { name: 'create 1' }).click();
    expect(await shown(page)).toEqual(['paris']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 7 shown');
    await page.getByRole('button', { name: 'All 7' }).click();
    await page.getByRole('searchbox').fill('SUMMER vien');
    expect(await shown(page)).toEqual(['vienna']);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox').selectOption('share');
    expect((await shown(page)).slice(0, 3)).toEqual(['paris', 'berlin', 'vienna']);

    await page.getByRole('radio', { name: 'Side by side' }).focus();
    await page.keyboard.press('ArrowRight');
    const slider = page.getByRole('slider', { name: 'How much of berlin before, at 2 s' });
    await slider.focus();
    for (let step = 0; step < 10; step++) await page.keyboard.press('ArrowLeft');
    const clip = `getComputedStyle(document.querySelector('.both .after img')).clipPath`;
    expect(await page.evaluate(clip)).toBe('inset(0px 0px 0px 40%)');
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each(['light', 'dark'] as const)('can be read, and each control has a name: %s', async (colorScheme) => {
    for (const [document, preview] of [
      [documentOf(everyAction()), examplePreview()],
      [documentOf(hardValues()), null],
    ] as const) {
      const problem = {
        code: 'text_overflow',
        severity: 'error',
        message: 'Too long',
        hint: 'Shorten it',
        file: 'a',
        line: 1,
      };
      const diagnostics = [problem, { ...problem, severity: 'warning' }];
      const { page } = await open({ ...document, diagnostics }, preview);
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(FAULTS)).toEqual([]);
      await page.close();
    }
  });

  it.each([320, 1280])('is not wider than %d pixels', async (width) => {
    const { page } = await open(documentOf(hardValues()), examplePreview());
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await page.close();
  });

  it('holds 2,000 videos', async () => {
    const { page, complaints } = await open(documentOf(largePlan(2000)));
    await page.getByRole('searchbox').fill('stores/1999');
    expect(await shown(page)).toEqual(['stores/1999']);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
