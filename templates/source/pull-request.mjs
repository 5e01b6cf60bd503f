import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { chromium } from 'playwright-core';

// The picture of a pull request in the README: two example videos are changed, and their comment is what
// `reelform comment github` writes, rendered as GitHub does. After `npm run build`, with a Chromium in CHROMIUM:
// node templates/source/pull-request.mjs

const CLI = join(process.cwd(), 'dist/cli/main.js');
const REPOSITORY = 'olune/videos';
const EDITS = [
  ['videos/launch/dune.yaml', 'Light that lands softly', 'Light that stays'],
  ['videos/launch/dune.yaml', '"#D8502C"', '"#2C66D4"'],
  ['videos/story/trade-in.yaml', 'Take € 30 off', 'Take € 40 off'],
  ['videos/story/trade-in.yaml', '"#2C66D4"', '"#B3203F"'],
];
/** What GitHub's pages look like, as far as a comment has it. */
const STYLE = `
body{margin:0;padding:20px;background:#fff;color:#1f2328;font:14px/1.5 "Noto Sans","Liberation Sans",Helvetica,Arial,sans-serif}
section{border:1px solid #d1d9e0;border-radius:6px;width:778px}
header{background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;padding:8px 16px;color:#59636e}header b{color:#1f2328}
main{padding:16px}main>:first-child{margin-top:0}main>:last-child{margin-bottom:0}p,table,details{margin:0 0 16px}
h3{font-size:1.25em;line-height:1.25;margin:24px 0 16px}h4{font-size:1em;line-height:1.25;margin:24px 0 16px}
table{display:block;width:max-content;max-width:100%;border-collapse:collapse}th,td{padding:6px 13px;border:1px solid #d1d9e0}tr:nth-child(2n){background:#f6f8fa}
code{padding:.2em .4em;font-size:85%;font-family:"DejaVu Sans Mono","Liberation Mono",monospace;background:#818b981f;border-radius:6px}
i{display:inline-block;width:8px;height:8px;border-radius:50%;margin-left:5px}sub{font-size:75%;line-height:0}img{max-width:100%}`;

const folder = await mkdtemp(join(tmpdir(), 'reelform-picture-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const root = join(folder, 'videos');
  for (const path of ['reelform.yaml', 'reelform.lock.json', 'schemas', 'templates', 'videos']) {
    await cp(path, join(root, path), { recursive: true });
  }
  await writeFile(join(root, '.gitignore'), '.reelform/\nrenders/\nlooks/\nplan.json\n');
  // Rendered already: no other than the changed ones is to be rendered.
  const { videos } = JSON.parse(await readFile('reelform.lock.json', 'utf8'));
  for (const file of Object.values(videos).flatMap((video) => [video.video_url, ...video.thumbnails])) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), '');
  }
  const git = (...args) =>
    execa('git', ['-c', 'user.name=Olune', '-c', 'user.email=olune@localhost', ...args], { cwd: root });
  const env = { GITHUB_REPOSITORY: REPOSITORY, GITHUB_SERVER_URL: 'https://github.com' };
  const reelform = (...args) => execa('node', [CLI, ...args], { cwd: root, env });
  const remote = join(folder, 'remote.git');
  await execa('git', ['init', '--quiet', '--bare', remote]);
  await git('init', '--quiet', '--initial-branch=main');
  await git('remote', 'add', 'origin', `file://${remote}`);
  await git('add', '--all');
  await git('commit', '--quiet', '--message', 'Before');
  for (const [path, before, after] of EDITS) {
    const text = await readFile(join(root, path), 'utf8');
    if (!text.includes(before)) throw new Error(`${path} has no ${before}`);
    await writeFile(join(root, path), text.replace(before, after));
  }
  const looks = ['--preview', 'stills', '--preview-dir', 'looks', '--preview-host', 'branch:looks', '--base', 'HEAD'];
  await writeFile(join(root, 'plan.json'), (await reelform('plan', '--json', ...looks)).stdout);
  const comment = await reelform(
    'comment',
    'github',
    '--dry-run',
    '--pr',
    '12',
    '--plan',
    'plan.json',
    '--preview-dir',
    'looks',
  );
  const html = micromark(comment.stdout, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
  });
  const shown = html.replaceAll(/<code>(#[0-9A-F]{6})<\/code>/g, '<code>$1<i style="background:$1"></i></code>');

  const page = await browser.newPage({ viewport: { width: 820, height: 900 } });
  await page.route(`https://github.com/${REPOSITORY}/**`, async (route) => {
    const [, path] = /\/blob\/looks\/([^?]+)/.exec(route.request().url());
    const { stdout: body } = await execa('git', ['-C', remote, 'show', `looks:${path}`], { encoding: 'buffer' });
    await route.fulfill({ body: Buffer.from(body), contentType: 'image/jpeg' });
  });
  const header = '<header><b>github-actions</b> bot commented just now</header>';
  await page.setContent(`<!doctype html><style>${STYLE}</style><section>${header}<main>${shown}</main></section>`, {
    waitUntil: 'networkidle',
  });
  await page
    .locator('details')
    .first()
    .evaluate((details) => details.setAttribute('open', ''));
  await page.screenshot({ path: 'docs/media/pull-request.jpg', type: 'jpeg', quality: 80, fullPage: true });
} finally {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
}
