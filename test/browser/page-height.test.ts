import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../field/lottie-web.ts';
import { PreviewClient } from '../support/preview-client.ts';
import { CONFIG, makeRepository } from '../support/repository.ts';

const LAUNCH = join(import.meta.dirname, '../../templates/launch');
const VIDEO = 'template: launch\ntitle: Dune\nresources: { t_01: Dune, c_01: "#241A14", c_03: "#C96F2E" }\n';
const ROWS = 'template: launch\neach: { from: videos/data/rows.csv, id: "${id}" }\nresources: { t_01: "${name}" }\n';

/** The files of the template `launch`, whose form is longer than a window. */
function launchFiles(): Record<string, Uint8Array> {
  const files = readdirSync(LAUNCH, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => relative(LAUNCH, join(parentPath, name)));
  return Object.fromEntries(paths.map((path) => [`templates/launch/${path}`, readFileSync(join(LAUNCH, path))]));
}

describe.skipIf(CHROMIUM === null)('the preview page scrolls nothing into an empty window', () => {
  let server: PreviewClient;
  let browser: Browser;

  beforeAll(async () => {
    const root = makeRepository({
      ...launchFiles(),
      'reelform.yaml': `${CONFIG}`.replace('  small:', '  launch: ./templates/launch\n  small:'),
      'videos/dune.yaml': VIDEO,
      'videos/rows.yaml': ROWS,
      'videos/data/rows.csv': 'id,name\none,One\ntwo,Two\n',
    });
    server = await PreviewClient.start(root);
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });

  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  async function open(hash: string, width: number, height: number): Promise<Page> {
    const page = await browser.newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
    page.setDefaultTimeout(30_000);
    await page.goto(`${server.url.href}${hash}`);
    return page;
  }

  /** Heights of the document, of the window, and of the view. */
  const heights = (page: Page): Promise<{ document: number; window: number; view: number }> =>
    page.evaluate(`({
      document: document.documentElement.scrollHeight,
      window: innerHeight,
      view: Math.ceil(document.querySelector('#main').getBoundingClientRect().bottom + scrollY),
    })`);

  it('does not scroll a video by the wheel over its picture', async () => {
    const page = await open('#/video/dune', 1440, 900);
    await page.getByLabel('Contrast with the other colours').first().waitFor();
    // In the left part, where the picture is.
    await page.mouse.move(400, 450);
    await page.mouse.wheel(0, 1200);
    const { document, window } = await heights(page);
    expect([document, await page.evaluate('scrollY')]).toEqual([window, 0]);
    await page.close();
  });

  it.each([
    ['the form', '#/video/dune', '.contrasts'],
    ['the findings', '#/video/dune?panel=findings', '.panel'],
    ['the changes', '#/video/dune?panel=changes', '.panel'],
    ['the source', '#/video/dune?panel=source', '.code'],
    ['all videos', '#/', '.card'],
    ['the plan', '#/plan', '#main'],
    ['a template', '#/template/launch', '#main'],
    ['a data file', '#/rows/videos/data/rows.csv', 'table'],
  ])('is as high as the window or its content: %s', async (_, hash, content) => {
    for (const [width, height] of [
      [1440, 900],
      [1440, 420],
      [600, 420],
    ] as const) {
      // biome-ignore format: three sizes
      const page = await open(hash, width, height);
      await page.locator(content).first().waitFor();
      await expect
        .poll(async () => {
          const { document, window, view } = await heights(page);
          return document - Math.max(window, view);
        })
        .toBeLessThanOrEqual(0);
      if (width > 900 && hash.startsWith('#/video/')) {
        const { document, window } = await heights(page);
        expect(document).toBe(window);
      }
      await page.close();
    }
  });
});
