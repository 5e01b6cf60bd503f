// npm run bench:page [-- saves --json] — the preview page: from a save to the new still and to a draft that can be played, and a wall of 2,000 videos.
// PAGE_BROWSER=1 also opens the wall in Chromium.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import type { DraftState, PreviewState, StateChange, VideoCard } from '../src/studio/protocol.ts';
import { recordFigure } from './record-figure.ts';

const ROOT = join(import.meta.dirname, '../..');
const SAVES = Number(process.argv[2] ?? 20);
const WALL = 2_000;
const folders: string[] = [];

interface Page {
  readonly url: string;
  readonly pid: number;
  readonly startMs: number;
  get(path: string): Promise<Response>;
  /** Resolves to the card of a video when its content has changed. */
  nextCard(id: string, fingerprint: string): Promise<VideoCard>;
  close(): Promise<void>;
}

/** Copies the videos and templates of this repository. */
function exampleRepository(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reelform-page-'));
  folders.push(folder);
  for (const name of ['reelform.yaml', 'videos', 'templates', 'schemas', 'reelform.lock.json']) {
    if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  }
  return folder;
}

async function openPage(folder: string): Promise<Page> {
  const startedAt = performance.now();
  const program = join(ROOT, 'dist/cli/main.js');
  const child = spawn(process.execPath, [program, 'preview', '--port', '0'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /http:\S+/.exec(line)?.[0];
      if (found !== undefined) resolve(found);
    });
  });
  const startMs = performance.now() - startedAt;
  const { origin } = new URL(url);
  const opened = await fetch(url, { redirect: 'manual' });
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!;
  const get = (path: string): Promise<Response> => fetch(new URL(path, origin), { headers: { cookie } });
  const waiting = new Set<(change: PreviewState | StateChange) => void>();
  const events = await get('/api/events');
  void (async () => {
    let text = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of events.body!) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop()!;
        for (const block of blocks) {
          if (!block.startsWith('event: state\n')) continue;
          const change = JSON.parse(block.slice(block.indexOf('data: ') + 6)) as StateChange;
          for (const take of waiting) take(change);
        }
      }
    } catch {
      // The server has ended.
    }
  })();
  return {
    url,
    pid: child.pid!,
    startMs,
    get,
    nextCard: (id, fingerprint) =>
      new Promise((resolve) => {
        const take = ({ videos = [] }: { readonly videos?: readonly VideoCard[] }): void => {
          const card = videos.find((one) => one.id === id && one.fingerprint !== fingerprint);
          if (card === undefined) return;
          waiting.delete(take);
          resolve(card);
        };
        waiting.add(take);
      }),
    async close() {
      child.kill('SIGTERM');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

async function state(page: Page): Promise<PreviewState> {
  return (await (await page.get('/api/state')).json()) as PreviewState;
}

async function body(page: Page, path: string): Promise<number> {
  const response = await page.get(path);
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return (await response.arrayBuffer()).byteLength;
}

/** Saves a definition again and again, and measures until the new picture is there. */
async function measureSaves(page: Page, folder: string, id: string): Promise<void> {
  const path = join(folder, 'videos', `${id}.yaml`);
  const text = readFileSync(path, 'utf8');
  let { fingerprint } = (await state(page)).videos.find((one) => one.id === id)!;
  const times: Record<'card' | 'still' | 'draft', number[]> = { card: [], still: [], draft: [] };
  for (let save = 0; save <= SAVES; save++) {
    const changed = page.nextCard(id, fingerprint);
    const savedAt = performance.now();
    writeFileSync(path, text.replace(/^( {2}t_01: ).*$/m, `$1Version ${save}`));
    const card = await changed;
    const cardMs = performance.now() - savedAt;
    const address = encodeURIComponent(card.fingerprint);
    await body(page, `/api/still/${address}/${card.posterFrame}.jpeg?width=960`);
    const stillMs = performance.now() - savedAt;
    const draftAt = performance.now();
    await body(page, `/api/draft/${address}/0.mp4`);
    const draftMs = performance.now() - draftAt;
    ({ fingerprint } = card);
    // The rest of the draft, and the plan, must not slow down the next save.
    const { segments } = (await (await page.get(`/api/draft/${address}`)).json()) as DraftState;
    for (const index of segments.keys()) await body(page, `/api/draft/${address}/${index}.mp4`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    // The first save starts processes and compiles.
    if (save === 0) continue;
    times.card.push(cardMs);
    times.still.push(stillMs);
    times.draft.push(cardMs + draftMs);
  }
  writeFileSync(path, text);
  for (const [name, values] of Object.entries(times)) report(`${id}: save → ${name}`, quantiles(values));
}

function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): string =>
    `${Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!)} ms`;
  return `median ${at(0.5)}, p95 ${at(0.95)} of ${values.length}`;
}

/** Adds videos to a repository: the rows of one definition. */
function addRows(folder: string, count: number): void {
  const ids = Array.from({ length: count }, (_, index) => `n${String(index).padStart(5, '0')}`);
  writeFileSync(
    join(folder, 'videos/data/wall.csv'),
    `id,headline\n${ids.map((id) => `${id},Headline ${id}\n`).join('')}`,
  );
  const text = readFileSync(join(folder, 'videos/launch/tide.yaml'), 'utf8');
  const each = 'each: { from: videos/data/wall.csv, id: "${id}" }\n';
  writeFileSync(
    join(folder, 'videos/launch/wall.yaml'),
    `${each}${text.replace(/^( {2}t_01: ).*$/m, '$1${headline}')}`,
  );
}

async function measureWall(): Promise<void> {
  const folder = exampleRepository();
  addRows(folder, WALL);
  const page = await openPage(folder);
  try {
    report(`${WALL} videos: start`, `${Math.round(page.startMs)} ms`);
    const json = await (await page.get('/api/state')).text();
    const size = `${(json.length / 1e6).toFixed(2)} MB, ${(gzipSync(json).length / 1e3).toFixed(0)} kB compressed`;
    report(`${WALL} videos: state`, size);
    const [card] = (JSON.parse(json) as PreviewState).videos.filter(({ id }) => id.startsWith('launch/wall'));
    const askedAt = performance.now();
    await body(page, `/api/still/${encodeURIComponent(card!.fingerprint)}/${card!.posterFrame}.jpeg?width=320`);
    report(`${WALL} videos: first still`, `${Math.round(performance.now() - askedAt)} ms`);
    if (process.env.PAGE_BROWSER === '1') await measureBrowser(page);
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${page.pid}/status`, 'utf8'))?.[1]) / 1e3;
    report(`${WALL} videos: memory of the server`, `${Math.round(rss)} MB`);
  } finally {
    await page.close();
  }
}

/** Scrolls the wall, and resolves to the milliseconds of each frame. Runs in the page. */
const SCROLL = `(async () => {
  const times = [];
  let last = performance.now();
  const isLong = (element) => element.scrollHeight > element.clientHeight * 4;
  const scrolled = [...document.querySelectorAll('*')].find(isLong) ?? document.documentElement;
  for (let count = 0; count < 180; count++) {
    scrolled.scrollBy(0, 120);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const now = performance.now();
    times.push(now - last);
    last = now;
  }
  return times;
})()`;

/** Opens the wall in Chromium: time to the first card and the first picture, frame times while scrolling, memory of the page. */
async function measureBrowser({ url }: Page): Promise<void> {
  const args = ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args });
  try {
    // The policy of the page forbids the expressions below.
    const view = await browser.newPage({ viewport: { width: 1440, height: 900 }, bypassCSP: true });
    const openedAt = performance.now();
    await view.goto(url);
    await view.waitForFunction(`document.querySelector('main img') !== null`);
    report('wall: first card', `${Math.round(performance.now() - openedAt)} ms`);
    await view.waitForFunction('[...document.images].some((image) => image.complete && image.naturalWidth > 1)');
    report('wall: first picture', `${Math.round(performance.now() - openedAt)} ms`);
    const frames = await view.evaluate<number[]>(SCROLL);
    report('wall: frame time while scrolling', quantiles(frames));
    const heap = await view.evaluate<number>('performance.memory?.usedJSHeapSize ?? 0');
    report('wall: heap of the page', `${(heap / 1e6).toFixed(0)} MB`);
  } finally {
    await browser.close();
  }
}

function measureWeight(): void {
  const folder = join(ROOT, 'dist/preview-page');
  for (const name of existsSync(folder) ? readdirSync(folder).sort() : []) {
    if (!/\.(?:js|css|html)$/.test(name)) continue;
    const bytes = readFileSync(join(folder, name));
    report(
      `page: ${name}`,
      `${(bytes.length / 1e3).toFixed(1)} kB, ${(gzipSync(bytes).length / 1e3).toFixed(1)} kB compressed`,
    );
  }
}

function report(name: string, value: string): void {
  console.log(`${name.padEnd(44)} ${value}`);
  recordFigure('', name, value);
}

try {
  measureWeight();
  const folder = exampleRepository();
  const page = await openPage(folder);
  report('start', `${Math.round(page.startMs)} ms`);
  await measureSaves(page, folder, 'launch/tide');
  await measureSaves(page, folder, 'story/late-light');
  await page.close();
  await measureWall();
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
