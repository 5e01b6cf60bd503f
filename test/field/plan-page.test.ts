import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Plan } from '../../src/reconciler/plan/plan.ts';
import type { PlanDocument } from '../../src/reconciler/plan/plan-document.ts';
import { planHtml } from '../../src/report/html/plan-html.ts';
import type { PlanPreview } from '../../src/report/preview/plan-preview.ts';
import { color, desired, emptyLock, lockOf, plan, text } from '../reconciler/plan/videos.ts';
import { documentOf, everyAction, hardValues, largePlan } from '../report/example-plans.ts';
import { HOSTILE_TEXTS } from '../report/hostile-texts.ts';
import { examplePreview } from '../report/html/preview.ts';
import { gitIn } from '../support/git-repository.ts';
import { definition, makeRepository } from '../support/repository.ts';
import { reelform } from '../support/test-io.ts';
import { toneWav } from '../support/tone.ts';
import { CHROMIUM } from './lottie-web.ts';

/** Runs in the page: finds texts with too little contrast and controls without a name. WCAG 2.2, 1.4.3 and 4.1.2. */
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

/** An id without a possible line break. */
const LONG = `a${'very'.repeat(40)}long/id`;

/** Returns a plan with names and values without possible line breaks, and with values that need columns. */
function longNames(): Plan {
  const word = (letter: string) => text(letter.repeat(300));
  const resources = (letter: string) => ({ [`t_${'0'.repeat(90)}`]: word(letter), t_02: word(letter) });
  const was = desired(LONG, { title: 'T'.repeat(200), resources: resources('a') });
  const other = desired('w', { title: 'Words', resources: { t_01: text('one two'), c_01: color('FF8800') } });
  const is = desired(LONG, { title: 'U'.repeat(200), resources: resources('b') });
  return plan(
    [is, desired('w', { resources: { t_01: text('one three'), c_01: color('11223380') } })],
    lockOf(was, other),
  );
}

/** Returns the colour in the lower left corner of an element. */
async function colorOf(element: Locator): Promise<readonly number[]> {
  const context = createCanvas(1, 1).getContext('2d');
  const picture = await loadImage(await element.screenshot());
  context.drawImage(picture, 6, Math.round(picture.height / 3), 1, 1, 0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data.slice(0, 3)];
}

/** Matches a colour with the precision of JPEG. */
function likeColor(color: string): number[] {
  return [1, 3, 5].map((at) => expect.closeTo(Number.parseInt(color.slice(at, at + 2), 16), -1));
}

const LONG_PROBLEMS = ['error', 'warning'].map((severity) => ({
  code: 'text_overflow',
  severity,
  message: 'm'.repeat(300),
  hint: `See ${'h'.repeat(300)}`,
  file: `videos/${LONG}.yaml`,
  line: 10,
  column: 3,
  end_line: 10,
  end_column: 9,
}));

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

  function write(document: PlanDocument, preview: PlanPreview | null): string {
    const file = join(folder, 'plan.html');
    writeFileSync(file, planHtml(document, { preview }));
    return file;
  }

  const open = (document: PlanDocument, preview: PlanPreview | null = null) => openFile(write(document, preview));

  /** Opens a page. Console messages, errors, dialogs and network requests are collected in `complaints`. */
  async function openFile(file: string) {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('dialog', (dialog) => complaints.push(dialog.message()));
    page.on('request', (request) => /^(?:file|data):/.test(request.url()) || complaints.push(request.url()));
    await page.goto(pathToFileURL(file).href);
    return { page, complaints };
  }

  const pages = new Map<string, Promise<string>>();

  /** Returns the file of the page of a real plan that changes one video, with its drafts. */
  function draftsPage(before: string, after: string): Promise<string> {
    const key = `${before}\n${after}`;
    const page = pages.get(key) ?? writeDraftsPage(before, after, join(folder, `drafts-${pages.size}.html`));
    pages.set(key, page);
    return page;
  }

  async function writeDraftsPage(before: string, after: string, file: string): Promise<string> {
    const sounds = { 'videos/low.wav': toneWav(1, 220), 'videos/high.wav': toneWav(1, 880) };
    const repository = gitIn(makeRepository({ ...sounds, 'videos/berlin.yaml': before }));
    await repository.git('init', '--quiet', '--initial-branch=main');
    await repository.commit({});
    await repository.commit({ 'videos/berlin.yaml': after });
    const args = ['plan', '--format', 'html', '--preview', 'draft', '--base', 'HEAD~1', '--target', 'berlin'];
    const { stdout, stderr } = await reelform(repository.root, args, { now: Date.now });
    expect(stdout, stderr).toContain('<video');
    writeFileSync(file, stdout);
    return file;
  }

  const PINK = definition('Berlin');
  const NAVY = PINK.replace('EEADA7', '202040');
  const withSound = (text: string, name: string): string => `${text}audio: {main: ./${name}.wav}\n`;

  const shown = (page: Page): Promise<string[]> => page.locator('.card:visible h2').allTextContents();

  it('searches, filters, sorts and compares', async () => {
    const { page, complaints } = await open(documentOf(everyAction()), examplePreview());
    await page.getByRole('button', { name: 'create 1' }).click();
    expect(await shown(page)).toEqual(['paris']);
    expect(await page.getByRole('status').textContent()).toBe('1 of 6 shown');
    await page.getByRole('button', { name: 'All 6' }).click();
    await page.getByRole('searchbox').fill('SUMMER berl');
    expect(await shown(page)).toEqual(['berlin']);
    await page.getByRole('searchbox').fill('');
    await page.getByRole('combobox').selectOption('share');
    expect((await shown(page)).slice(0, 3)).toEqual(['paris', 'berlin', 'bergen']);

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

  it.each(['light', 'dark'] as const)('is legible and names each control: %s', async (colorScheme) => {
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

  /** Elements that extend beyond the right edge of the page, except those that scroll by themselves. */
  const TOO_WIDE = `(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element) => element.closest('.wide') !== null && element.closest('.wide') !== element;
    const found = [...document.querySelectorAll('body *')].filter((element) =>
      element.checkVisibility() && !scrolls(element) && element.getBoundingClientRect().right > width + 0.5);
    return found.map((element) => element.tagName + '.' + element.className + ' ' + element.textContent.slice(0, 40));
  })()`;

  const longVideos = new Map([...examplePreview().videos].map(([id, video]) => [id === 'berlin' ? LONG : id, video]));
  const WIDE_PLANS: [string, PlanDocument, PlanPreview | null][] = [
    ['hard values', documentOf(hardValues()), examplePreview()],
    ['every action', documentOf(everyAction()), examplePreview()],
    [
      'long names and problems',
      { ...documentOf(longNames()), diagnostics: LONG_PROBLEMS },
      { ...examplePreview(), videos: longVideos },
    ],
    ['100 videos', documentOf(largePlan(100)), null],
  ];

  it.each(WIDE_PLANS)('is no wider than the window with %s', async (_, document, preview) => {
    const { page } = await open(document, preview);
    for (const isOpen of [false, true]) {
      if (isOpen) await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      for (const width of [320, 360, 390, 412, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        // Fonts are wider on some machines.
        await page.evaluate(`document.body.style.fontFamily = '${width < 1000 ? 'monospace' : ''}'`);
        for (const view of ['Side by side', 'Slider', 'Difference']) {
          const radio = page.getByRole('radio', { name: view });
          if ((await radio.count()) > 0) await radio.check();
          expect(await page.evaluate(TOO_WIDE), `${width} pixels`).toEqual([]);
          expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
        }
      }
    }
    await page.close();
  });

  it('plays both drafts in sync, loads them on demand, and loops', async () => {
    const { page, complaints } = await openFile(await draftsPage(PINK, NAVY));
    const ask = (what: string): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('.drafts video')].map((one) => one.${what})`);
    expect(await ask('readyState')).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Play both drafts' }).click();
    for (const from of [0.1, 0.4]) {
      const times: number[][] = [];
      const begun = async (): Promise<number> => times[times.push((await ask('currentTime')) as number[]) - 1]![0]!;
      await expect.poll(begun).toBeGreaterThan(from);
      const [before, after] = times.at(-1)!;
      expect(Math.abs(before! - after!)).toBeLessThan(0.2);
    }
    const seek = page.getByRole('slider', { name: 'Time in the drafts of berlin' });
    await expect.poll(() => seek.inputValue()).not.toBe('0');
    // Both restart at the end.
    await ask(`addEventListener('ended', ({ target }) => { target.parentNode.dataset.ended = 'yes'; })`);
    await seek.focus();
    await page.keyboard.press('End');
    await expect.poll(() => ask('parentNode.dataset.ended')).toEqual(['yes', 'yes']);
    await expect.poll(() => ask('paused')).toEqual([false, false]);
    await expect.poll(() => ask('currentTime < 0.8')).toEqual([true, true]);
    await page.getByRole('button', { name: 'Pause' }).click();
    await seek.fill('500');
    await expect.poll(() => ask('seeking')).toEqual([false, false]);
    expect(await ask('currentTime')).toEqual([0.5, 0.5]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it.each([true, false])(
    'shows the first frame of each draft before it plays (script: %s)',
    async (javaScriptEnabled) => {
      const context = await browser.newContext({ javaScriptEnabled });
      const page = await context.newPage();
      await page.goto(pathToFileURL(await draftsPage(PINK, NAVY)).href);
      const sides = page.locator('.drafts figure');
      const colors: (readonly number[])[] = [];
      for (const side of await sides.all()) colors.push(await colorOf(side.locator('video')));
      expect(colors).toEqual(['#eeada7', '#202040'].map(likeColor));
      await context.close();
    },
  );

  it('plays a change of the sound alone, one side at a time', async () => {
    const { page, complaints } = await openFile(await draftsPage(withSound(PINK, 'low'), withSound(PINK, 'high')));
    const ask = (what: string): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('.heard video')].map((one) => one.${what})`);
    expect([await ask('muted'), await ask('controls'), await ask('readyState')]).toEqual([
      [false, false],
      [true, true],
      [0, 0],
    ]);
    for (const video of await page.locator('.heard video').all())
      expect(await colorOf(video)).toEqual(likeColor('#eeada7'));
    await page.evaluate(`document.querySelectorAll('.heard video')[0].play()`);
    await expect.poll(async () => ((await ask('currentTime')) as number[])[0]).toBeGreaterThan(0.2);
    // Asked in the page, because on a slow machine the draft may end before the next question.
    const paused = `(async () => {
      const videos = [...document.querySelectorAll('.heard video')];
      await videos[1].play();
      return videos.map((one) => one.paused);
    })()`;
    expect(await page.evaluate(paused)).toEqual([true, false]);
    await expect.poll(async () => ((await ask('currentTime')) as number[])[1]).toBeGreaterThan(0.2);
    expect(await ask('webkitAudioDecodedByteCount > 0')).toEqual([true, true]);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('plays the sound of one side when both drafts play', async () => {
    const { page } = await openFile(await draftsPage(withSound(PINK, 'low'), withSound(NAVY, 'high')));
    const muted = (): Promise<unknown> =>
      page.evaluate(`[...document.querySelectorAll('.drafts video')].map((one) => one.muted)`);
    expect(await muted()).toEqual([true, true]);
    const sound = page.getByRole('combobox', { name: 'Sound of the drafts of berlin' });
    await sound.selectOption('Sound of after');
    expect(await muted()).toEqual([true, false]);
    await sound.selectOption('Sound off');
    expect(await muted()).toEqual([true, true]);
    await page.close();
  });

  it('shows everything without its script', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(pathToFileURL(write(documentOf(everyAction()), examplePreview())).href);
    expect(await shown(page)).toHaveLength(6);
    expect(await page.locator('.restores').textContent()).toMatch(/^1 video to restore.*its video is missing: vienna$/);
    expect(await page.getByRole('searchbox').count()).toBe(0);
    expect(await page.getByRole('slider').count()).toBe(0);
    expect(await page.locator('video[controls]').count()).toBe(2);
    await context.close();
  });

  it('renders hostile texts as plain words', async () => {
    const videos = HOSTILE_TEXTS.map((words, index) =>
      desired(`v${index}`, { title: words.toWellFormed(), resources: { t_01: text(words.toWellFormed()) } }),
    );
    const { page, complaints } = await open(documentOf(plan(videos, emptyLock)));
    expect(await page.locator('.card').count()).toBe(HOSTILE_TEXTS.length);
    const others = `document.querySelectorAll('script:not(body > script:last-child), img, b, a:not([href^="#video-"]), h1 ~ h1').length`;
    expect(await page.evaluate(others)).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it('handles 2,000 videos', async () => {
    const { page, complaints } = await open(documentOf(largePlan(2000)));
    await page.getByRole('searchbox').fill('stores/1999');
    expect(await shown(page)).toEqual(['stores/1999']);
    // A jump shows its target despite the search filter.
    await page.getByRole('navigation', { name: 'Folders' }).getByRole('link', { name: 'stores/' }).click();
    await page.getByRole('status').filter({ hasText: /^$/ }).waitFor({ state: 'attached' });
    expect(await page.locator('.card:target h2').textContent()).toBe('stores/0000');
    await page.locator('.card:target h2').filter({ visible: true }).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});
