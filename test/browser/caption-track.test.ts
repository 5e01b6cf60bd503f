import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cue } from '../../src/contract/captions/cue.ts';
import { writeCaptions } from '../../src/contract/captions/write-captions.ts';
import { CHROMIUM } from '../field/lottie-web.ts';
import { startServer, type TestServer } from '../support/http-server.ts';

const CUES: readonly Cue[] = [
  { start: 0.25, end: 0.75, text: 'Light that lands\nsoftly & <slowly>' },
  { start: 1, end: 2.125, text: 'שלום עולם' },
  {
    start: 3600.5,
    end: 3602,
    text: '春の 光',
    speaker: 'Anna',
    words: [
      { text: '春の', start: 3600.5, end: 3601 },
      { text: '光', start: 3601.25, end: 3602 },
    ],
  },
];

/** Runs in the page: the cues of its track, once it is read. */
const READ_CUES = `(async () => {
  const element = document.querySelector('track');
  element.track.mode = 'showing';
  if (element.readyState !== HTMLTrackElement.LOADED) {
    await new Promise((resolve, reject) => {
      element.addEventListener('load', resolve);
      element.addEventListener('error', () => reject(new Error('The track was not read')));
    });
  }
  return [...element.track.cues].map((cue) => {
    const shown = cue.getCueAsHTML();
    const found = document.createTreeWalker(shown, NodeFilter.SHOW_PROCESSING_INSTRUCTION);
    const stamps = [];
    while (found.nextNode()) stamps.push(found.currentNode.data);
    return { startTime: cue.startTime, endTime: cue.endTime, text: shown.textContent, stamps };
  });
})()`;

describe.skipIf(CHROMIUM === null)('a <track> in Chromium', () => {
  let server: TestServer;
  let browser: Browser;

  beforeAll(async () => {
    server = await startServer(({ url }, response) => {
      const isTrack = url === '/captions.vtt';
      response.writeHead(200, { 'content-type': isTrack ? 'text/vtt' : 'text/html' });
      response.end(isTrack ? writeCaptions(CUES, 'vtt') : '<video><track default src="captions.vtt"></video>');
    });
    browser = await chromium.launch({ executablePath: CHROMIUM!, args: ['--no-sandbox'] });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  it('reads every cue of a .vtt, with its times, its text and the times of its words', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    expect(await page.evaluate(READ_CUES)).toEqual([
      { startTime: 0.25, endTime: 0.75, text: 'Light that lands\nsoftly & <slowly>', stamps: [] },
      { startTime: 1, endTime: 2.125, text: 'שלום עולם', stamps: [] },
      { startTime: 3600.5, endTime: 3602, text: '春の 光', stamps: ['01:00:01.000', '01:00:01.250'] },
    ]);
  });
});
