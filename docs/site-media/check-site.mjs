// npm run docs:check [-- --screenshots FOLDER] — opens the built site in Chromium, each kind of page once: axe at two widths and
// in dark, the width of the content at three, and the weight of the page. Chromium is at CHROMIUM, or /usr/bin/chromium.
import { mkdir, readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from 'playwright-core';

const { values } = parseArgs({ options: { screenshots: { type: 'string' }, pages: { type: 'string' } } });
const root = join(import.meta.dirname, '../.vitepress/dist');
const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** One page of each kind. */
const PAGES = values.pages?.split(',') ?? [
  '/',
  '/start/first-video',
  '/guides/data-driven-videos',
  '/reference/cli',
  '/reference/http-api',
  '/explanation/fingerprints-and-determinism',
  '/glossary',
  '/gallery',
  '/benchmarks',
];
/** How a page is looked at. axe checks only the colours in dark, and nothing at 820, which has the elements of 390. */
const VIEWS = [
  { colorScheme: 'light', width: 1440 },
  { colorScheme: 'dark', width: 1440, rules: ['color-contrast'] },
  { colorScheme: 'light', width: 390 },
  { colorScheme: 'light', width: 820, rules: [] },
];
/** Bytes that a page may transfer, uncompressed and without its pictures. */
const MOST_BYTES = 600_000;
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json',
  '.jpg': 'image/jpeg',
};

/** Serves the built site with clean URLs. */
const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
  for (const candidate of [path, `${path}.html`, `${path}index.html`]) {
    const file = join(root, candidate);
    if (!(await stat(file).catch(() => null))?.isFile()) continue;
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    return response.end(await readFile(file));
  }
  response.writeHead(404).end();
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
let failures = 0;
function fail(message) {
  failures += 1;
  console.error(message);
}

try {
  const page = await browser.newPage({ viewport: sizeOf(VIEWS[0]), reducedMotion: 'reduce' });
  for (const path of PAGES) await check(page, path);
} finally {
  await browser.close();
  server.close();
}
if (failures > 0) process.exit(1);

function sizeOf({ width }) {
  return { width, height: 900 };
}

async function check(page, path) {
  let bytes = 0;
  let pictures = 0;
  const count = async (answer) => {
    if (answer.status() >= 400) fail(`${path}: ${answer.status()} ${answer.url()}`);
    const { length } = await answer.body().catch(() => '');
    if (/\.(?:webp|jpg|svg)$/.test(answer.url())) pictures += length;
    else bytes += length;
  };
  const error = (message) => fail(`${path}: ${message}`);
  page.on('response', count);
  page.on('pageerror', error);
  await show(page, VIEWS[0]);
  const answer = await page.goto(origin + path, { waitUntil: 'networkidle' });
  if (answer.status() !== 200) return fail(`${path}: ${answer.status()}`);
  page.off('response', count);
  if (bytes > MOST_BYTES) error(`${bytes} bytes without pictures, more than ${MOST_BYTES}`);
  console.log(`${path.padEnd(44)} ${kilobytes(bytes)} + ${kilobytes(pictures)} of pictures`);
  await page.evaluate(axe);
  for (const view of VIEWS) await checkView(page, path, view);
  page.off('pageerror', error);
}

/** Changes the window of a page and waits until it has its final colours. */
async function show(page, view) {
  await page.emulateMedia({ colorScheme: view.colorScheme });
  await page.setViewportSize(sizeOf(view));
  // The page listens for a change of the colours.
  if (page.url().startsWith(origin))
    await page.waitForFunction(
      (isDark) => document.documentElement.classList.contains('dark') === isDark,
      view.colorScheme === 'dark',
    );
  await page.evaluate(() => Promise.all(document.getAnimations().map(({ finished }) => finished.catch(() => {}))));
}

async function checkView(page, path, view) {
  const name = `${view.colorScheme} ${view.width}`;
  const error = (message) => fail(`${path} (${name}): ${message}`);
  await show(page, view);
  const options = { resultTypes: ['violations'], ...(view.rules && { runOnly: view.rules }) };
  const isChecked = view.rules?.length !== 0;
  const { violations } = isChecked
    ? await page.evaluate((given) => window.axe.run(document, given), options)
    : { violations: [] };
  for (const { id, help, nodes } of violations)
    error(
      `axe ${id}: ${help}\n${nodes
        .slice(0, 4)
        .map(({ html, failureSummary }) => `    ${html.slice(0, 200)}\n      ${failureSummary.split('\n')[1]?.trim()}`)
        .join('\n')}`,
    );
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  if (overflow > 0) error(`${overflow} pixels wider than the window`);
  if (values.screenshots === undefined) return;
  await mkdir(values.screenshots, { recursive: true });
  const file = `${path.replaceAll('/', '_')}-${name.replace(' ', '-')}.png`;
  await page.screenshot({ path: join(values.screenshots, file), fullPage: path === '/' });
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0).padStart(5)} kB`;
}
