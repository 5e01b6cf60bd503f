import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../field/lottie-web.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { CONFIG, definition, makeRepository, NO_LINT } from '../support/repository.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const HEADER = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n';
const unit = (context: string, text: string): string => `\nmsgctxt "rome#${context}"\nmsgid "Rome"\nmsgstr "${text}"\n`;
/** The font of the template has no Arabic and no Japanese. */
const FILES = {
  'reelform.yaml': `${CONFIG.replace(NO_LINT, '')}locales: {source: en, targets: [de, ar, ja]}\n`,
  'videos/rome.yaml': `${definition('Rome')}locales: all\nvariants:\n  day: {}\n  night: {resources: {c_01: "#202040"}}\n`,
  'videos/shop.yaml': `${definition('"${claim}"')}locales: [de, ar]\neach: {from: ../data/shop.csv, id: "\${slug}"}\n`,
  'data/shop.csv': 'slug,claim,claim_de,claim_ar\nlamp,Soft light,,ضوء ناعم\n',
  'locales/de.po': HEADER + unit('@title', 'Rom') + unit('t_01', 'Rom'),
  'locales/ar.po': HEADER + unit('@title', 'روما') + unit('t_01', 'روما'),
  'locales/ja.po': HEADER + unit('@title', 'ローマ') + unit('t_01', ''),
};

describe.skipIf(CHROMIUM === null)('the languages of the preview page in Chromium', () => {
  let root: string;
  let server: PreviewClient;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    root = makeRepository(FILES);
    server = await PreviewClient.start(root);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
    page = await context.newPage();
    page.setDefaultTimeout(30_000);
    await page.goto(`${server.url.href}#/video/rome/day/de`);
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const file = (locale: string): string => readFileSync(join(root, `locales/${locale}.po`), 'utf8');
  const row = (name: string): Locator => page.locator('.languages tbody tr').filter({ hasText: name });
  const headline = (): Locator => page.getByLabel('Headline');

  it('are reached from a video, and show each language and variant with what a viewer would notice', async () => {
    await page.getByRole('link', { name: 'Languages' }).click();
    await page.waitForSelector('.languages');
    expect(await page.locator('.languages thead th').allTextContents()).toEqual(['Language', 'day', 'night']);
    expect(await page.locator('.languages tbody th').allTextContents()).toEqual([
      'Englishen',
      'GermandeTexts',
      'ArabicarTexts',
      'JapanesejaTexts',
    ]);
    await expect.poll(() => page.locator('.languages .still[src]').count()).toBe(8);
    await expect.poll(() => row('Arabic').locator('.language-finding').allTextContents()).toContain('glyph missing');
    await expect.poll(() => row('German').locator('.language-checking').count()).toBe(0);
    expect(await row('Japanese').locator('.badge').allTextContents()).toEqual(['Waits: 1 text', 'Waits: 1 text']);
  });

  it('have no faults of accessibility, and nothing wider than a phone', async () => {
    await page.evaluate(AXE);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      const faults = await page.evaluate(() =>
        (globalThis as unknown as { axe: { run(at: string): Promise<{ violations: { id: string }[] }> } }).axe
          .run('main')
          .then(({ violations }) => violations.map(({ id }) => id)),
      );
      expect(faults, theme).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBe(390);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('are shown at a moment that the user chooses, and at their posters again', async () => {
    const picture = row('English').locator('img').first();
    const poster = await picture.getAttribute('src');
    await page.getByLabel('Moment').focus();
    await page.keyboard.press('Home');
    await expect.poll(() => picture.getAttribute('src')).toContain('/0.jpeg');
    await page.getByRole('button', { name: 'Poster' }).click();
    await expect.poll(() => picture.getAttribute('src')).toBe(poster);
  });

  it('have their texts in fields of their language and direction', async () => {
    // The first language with a missing text is open.
    await expect.poll(() => headline().getAttribute('lang')).toBe('ja');
    await row('Arabic').getByRole('button', { name: 'Texts' }).click();
    await expect.poll(() => headline().inputValue()).toBe('روما');
    expect([await headline().getAttribute('lang'), await headline().getAttribute('dir')]).toEqual(['ar', 'rtl']);
    const source = page.locator('.translation').filter({ hasText: 'Headline' }).locator('p[lang]');
    expect([await source.textContent(), await source.getAttribute('dir')]).toEqual(['Rome', 'ltr']);
  });

  it('are translated with the keyboard: the file, the frame and the matrix follow', async () => {
    await row('Japanese').getByRole('button', { name: 'Texts' }).click();
    const entry = page.locator('.translation').filter({ hasText: 'Headline' });
    await expect.poll(() => entry.locator('img').getAttribute('src')).toBeTruthy();
    const before = await entry.locator('img').getAttribute('src');
    await page.locator('.translation textarea').first().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('ローマの春');
    await expect.poll(() => entry.locator('.text-length').textContent()).toBe('5 / 20');
    await expect.poll(() => file('ja')).toBe(HEADER + unit('@title', 'ローマ') + unit('t_01', 'ローマの春'));
    await expect.poll(() => entry.locator('.translation-state b').textContent()).toBe('Translated');
    await expect.poll(() => entry.locator('img').getAttribute('src')).not.toBe(before);
    await expect.poll(() => row('Japanese').locator('a.language-cell').count()).toBe(2);
    await page.keyboard.press('Control+z');
  });

  it('say what is too long, and refuse to overwrite what another program wrote', async () => {
    await row('German').getByRole('button', { name: 'Texts' }).click();
    await expect.poll(() => headline().inputValue()).toBe('Rom');
    await headline().fill('Rom, die ewige Stadt');
    await headline().pressSequentially('!');
    await expect.poll(() => page.locator('.text-length').last().textContent()).toBe('21 / 20 · 1 too long');
    await expect.poll(() => file('de')).toContain('ewige Stadt!');
    // Its videos have a mistake, and its texts stay.
    await expect.poll(() => row('German').locator('.language-none').count()).toBe(2);
    await headline().fill('Rom');
    await expect.poll(() => file('de')).toBe(FILES['locales/de.po']);
    // The page does not know it yet.
    await page.route('**/api/languages*', (route) => route.abort());
    writeFileSync(join(root, 'locales/de.po'), FILES['locales/de.po'].replaceAll('"Rom"', '"Roma"'));
    await headline().fill('Rom am Tiber');
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('locales/de.po was changed meanwhile');
    expect(file('de')).not.toContain('Tiber');
    await page.unroute('**/api/languages*');
    await page.reload();
    await row('German').getByRole('button', { name: 'Texts' }).click();
    await expect.poll(() => headline().inputValue()).toBe('Roma');
  });

  it('save what is typed while an earlier edit is on its way', async () => {
    await page.route('**/api/translation', async (route) => {
      await sleep(1_500);
      await route.continue();
    });
    await headline().fill('Rom am Fluss');
    // The first edit leaves after a pause.
    await page.waitForRequest('**/api/translation');
    await headline().fill('Rom am Tiber');
    await expect.poll(() => file('de')).toContain('"Rom am Tiber"');
    await page.unroute('**/api/translation');
    await headline().fill('Roma');
    await expect.poll(() => file('de')).toContain('"Roma"');
  });

  it('have the texts of columns, which are written into their cells', async () => {
    await page.goto(`${server.url.href}#/languages/shop`);
    const claim = page.getByLabel(/^claim/);
    await page.getByRole('radio', { name: /Arabic/ }).check();
    await expect.poll(() => claim.inputValue()).toBe('ضوء ناعم');
    expect(await claim.getAttribute('dir')).toBe('rtl');
    await page.getByRole('radio', { name: /German/ }).check();
    const entry = page.locator('.translation').filter({ has: claim });
    await expect.poll(() => entry.locator('img').getAttribute('src')).toBeTruthy();
    const before = await entry.locator('img').getAttribute('src');
    await claim.fill('Licht, "sanft"');
    const written = FILES['data/shop.csv'].replace(',,', ',"Licht, ""sanft""",');
    await expect.poll(() => readFileSync(join(root, 'data/shop.csv'), 'utf8')).toBe(written);
    await expect.poll(() => entry.locator('.translation-state b').textContent()).toBe('Translated');
    await expect.poll(() => entry.locator('img').getAttribute('src')).not.toBe(before);
    await page.goto(`${server.url.href}#/languages/rome`);
  });

  it('open a version in the preview', async () => {
    await row('German').locator('a.language-cell').last().click();
    await expect.poll(() => page.url()).toContain('#/video/rome/night/de');
  });
});
