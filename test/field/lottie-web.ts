import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout } from 'node:timers/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { type Browser, chromium, type Page } from 'playwright-core';
import { allLayers } from '../../src/template/lottie/lottie-layers.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';
import { FIELD_FONT } from './field-font.ts';
import type { Picture } from './picture-difference.ts';

const PLAYER = createRequire(import.meta.url).resolve('lottie-web/build/player/lottie.min.js');

/** Path of this machine's Chromium; null without one. */
export const CHROMIUM =
  ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find((path) => existsSync(path)) ?? null;

/** An animation that takes longer is given up: after some errors, lottie-web never finishes loading. */
const LOAD_LIMIT_MS = 30_000;

/** Colour behind an animation. */
export type Ground = 'black' | 'white';

/** Another player to compare with. */
export interface Reference {
  /**
   * Draws frames at the given size, counted from the first frame of the animation.
   *
   * @param ground black when absent
   * @throws Error if the player reports one, in which case it would leave the frame empty
   */
  draw(
    document: LottieDocument,
    frames: readonly number[],
    width: number,
    height: number,
    ground?: Ground,
  ): Promise<Picture[]>;
  close(): Promise<void>;
}

/** Globals of the page: lottie-web, without network access. */
interface Player {
  readonly lottie: {
    loadAnimation(options: object): {
      readonly isLoaded: boolean;
      addEventListener(name: string, listener: (event: { readonly nativeError?: Error }) => void): void;
      goToAndStop(frame: number, isFrame: boolean): void;
      destroy(): void;
    };
  };
  shown?: ReturnType<Player['lottie']['loadAnimation']>;
  /** Error that lottie-web reported for the current animation. */
  failure?: string | undefined;
}

/**
 * Opens the first reference: lottie-web in Chromium, with its SVG renderer, or the HTML renderer where there is a camera, because
 * only that one draws cameras.
 *
 * @throws without Chromium
 */
export async function openLottieWeb(): Promise<Reference> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM!,
    args: ['--no-sandbox', '--force-color-profile=srgb', '--font-render-hinting=none'],
  });
  let page = await openPage(browser);
  return {
    async draw(document, frames, width, height, ground = 'black') {
      await page.setViewportSize({ width, height });
      await page.evaluate(setGround, ground);
      // Sent as text, because serialised objects would have shared parts duplicated.
      const renderer = hasCamera(document) ? ('html' as const) : ('svg' as const);
      const loaded = page.evaluate(load, { text: JSON.stringify(document), width, height, renderer });
      const timer = new AbortController();
      const late = setTimeout(LOAD_LIMIT_MS, 'late', { signal: timer.signal });
      if ((await Promise.race([loaded, late])) === 'late') {
        loaded.catch(() => undefined);
        // The old page might finish loading while the next animation is shown.
        await page.close();
        page = await openPage(browser);
        throw new Error(`lottie-web does not load it within ${LOAD_LIMIT_MS / 1000} s`);
      }
      timer.abort();
      const pictures: Picture[] = [];
      for (const frame of frames) pictures.push(await shot(page, frame, width, height));
      const failure = await page.evaluate(() => (globalThis as unknown as Player).failure);
      if (failure !== undefined) throw new Error(`lottie-web cannot draw it: ${failure}`);
      return pictures;
    },
    close: () => browser.close(),
  };
}

async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.setContent('<body style="margin:0;background:#000;overflow:hidden"><div id="stage"></div></body>');
  await page.addScriptTag({ content: readFileSync(PLAYER, 'utf8') });
  const font = `url(data:font/ttf;base64,${Buffer.from(FIELD_FONT).toString('base64')})`;
  await page.addStyleTag({
    content: `@font-face { font-family: Letters; src: ${font}; } text { text-rendering: geometricPrecision; }`,
  });
  await page.evaluate(() => document.fonts.load('16px Letters'));
  return page;
}

function hasCamera(document: LottieDocument): boolean {
  return allLayers(document).some(({ layer }) => layer.ty === 13);
}

async function shot(page: Page, frame: number, width: number, height: number): Promise<Picture> {
  await page.evaluate(
    (at) =>
      new Promise<void>((resolve) => {
        (globalThis as unknown as Player).shown!.goToAndStop(at, true);
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
      }),
    frame,
  );
  const image = await loadImage(await page.screenshot({ clip: { x: 0, y: 0, width, height } }));
  const context = createCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  return { width, height, rgba: context.getImageData(0, 0, width, height).data };
}

declare const requestAnimationFrame: (callback: () => void) => void;
declare const document: {
  readonly body: { readonly style: { setProperty(name: string, value: string): void } };
  getElementById(id: string): { style: { cssText: string }; innerHTML: string };
  fonts: { load(font: string): Promise<unknown>; readonly ready: Promise<unknown> };
};

/** Runs in the page. */
function setGround(color: string): void {
  document.body.style.setProperty('background', color);
}

/** Runs in the page. */
async function load(given: { text: string; width: number; height: number; renderer: 'svg' | 'html' }): Promise<void> {
  const player = globalThis as unknown as Player;
  player.shown?.destroy();
  player.failure = undefined;
  const stage = document.getElementById('stage');
  stage.style.cssText = `width:${given.width}px;height:${given.height}px`;
  await new Promise<void>((resolve) => {
    player.shown = player.lottie.loadAnimation({
      container: stage,
      renderer: given.renderer,
      loop: false,
      autoplay: false,
      animationData: JSON.parse(given.text),
      rendererSettings: { preserveAspectRatio: 'xMidYMid slice' },
    });
    player.shown.addEventListener('error', ({ nativeError }) => {
      player.failure ??= String(nativeError?.message);
    });
    if (player.shown.isLoaded) resolve();
    else player.shown.addEventListener('DOMLoaded', () => resolve());
  });
  await document.fonts.ready;
}
