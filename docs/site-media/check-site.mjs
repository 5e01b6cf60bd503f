// npm run docs:check [-- --screenshots FOLDER] — opens the built site in Chromium: axe on every kind of page at three
// widths, light, and two of them dark, and the weight of each page. Chromium is at CHROMIUM, or /usr/bin/chromium.
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
/** Colours do not depend on the width. */
const WIDTHS = { light: [1440, 820, 390], dark: [1440, 390] };
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
  // Light and dark at once: most of the time goes by waiting until a page is quiet.
  await Promise.all(
    ['light', 'dark'].map(async (colorScheme) => {
      for (const width of WIDTHS[colorScheme]) {
        const context = await browser.newContext({
          colorScheme,
          viewport: { width, height: 900 },
          reducedMotion: 'reduce',
        });
        const page = await context.newPage();
        for (const path of PAGES) await check(page, path, `${colorScheme} ${width}`);
        await context.close();
      }
    }),
  );
} finally {
  await browser.close();
  server.close();
}
if (failures > 0) process.exit(1);

async function check(page, path, name) {
  let bytes = 0;
  let pictures = 0;
  const count = async (answer) => {
    if (answer.status() >= 400) fail(`${path}: ${answer.status()} ${answer.url()}`);
    const { length } = await answer.body().catch(() => '');
    if (/\.(?:webp|jpg|svg)$/.test(answer.url())) pictures += length;
    else bytes += length;
  };
  const error = (message) => fail(`${path} (${name}): ${message}`);
  page.on('response', count);
  page.on('pageerror', error);
  const answer = await page.goto(origin + path, { waitUntil: 'networkidle' });
  if (answer.status() !== 200) return fail(`${path}: ${answer.status()}`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
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
  if (bytes > MOST_BYTES) error(`${bytes} bytes without pictures, more than ${MOST_BYTES}`);
  if (name === 'light 1440') console.log(`${path.padEnd(44)} ${kilobytes(bytes)} + ${kilobytes(pictures)} of pictures`);
  if (values.screenshots !== undefined) {
    await mkdir(values.screenshots, { recursive: true });
    const file = `${path.replaceAll('/', '_')}-${name.replace(' ', '-')}.png`;
    await page.screenshot({ path: join(values.screenshots, file), fullPage: path === '/' });
  }
  page.off('response', count);
  page.off('pageerror', error);
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(0).padStart(5)} kB`;
}
