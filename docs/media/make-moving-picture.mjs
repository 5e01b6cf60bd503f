// Writes docs/media/edit-plan-video.svg, the moving picture of the README: edit one line, plan, apply, watch the video.
// All texts and frames come from real runs of the built command in a temporary repository. Usage, in the root of the repository:
//   node build.mjs && node docs/media/make-moving-picture.mjs
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { unzipSync } from 'fflate';

const OUTPUT = 'docs/media/edit-plan-video.svg';
const DEFINITION = 'videos/launch/dune.yaml';
const BEFORE = 'Light that lands softly';
const AFTER = 'Light that stays';
const FRAME = { width: 512, height: 288, every: 5, x: 718, y: 160 };

const repository = mkdtempSync(join(tmpdir(), 'reelform-picture-'));
const LAUNCH = ['templates/launch', 'videos/_launch.yaml', 'videos/launch', 'videos/images', 'videos/sounds'];
for (const path of LAUNCH) {
  cpSync(path, join(repository, path), { recursive: true });
}
writeFileSync(join(repository, 'reelform.yaml'), 'service: embedded\ntemplates:\n  launch: ./templates/launch\n');
const definition = readFileSync(join(repository, DEFINITION), 'utf8');

reelform('pull');
reelform('apply', '--auto-approve');
const framesBefore = await frames('before');
writeFileSync(join(repository, DEFINITION), definition.replace(BEFORE, AFTER));
const plan = reelform('plan');
const apply = reelform('apply', '--auto-approve')
  .split('\n')
  .filter((line) => /^[✓D]/.test(line))
  .join('\n');
const framesAfter = await frames('after');
rmSync(repository, { recursive: true });
writeFileSync(OUTPUT, picture());
console.log(`${OUTPUT}  ${Math.round(readFileSync(OUTPUT).length / 1000)} kB`);

/** Runs the built command in the temporary repository and returns what it prints. */
function reelform(...args) {
  const main = join(process.cwd(), 'dist/cli/main.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: repository,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  if (status !== 0) throw new Error(stderr);
  return `${stderr}${stdout}`.trimEnd();
}

/** Renders the video and returns every fifth frame as a data URL. */
async function frames(name) {
  reelform('render', DEFINITION, '--format', 'png_sequence', '--height', `${FRAME.height}`, '--out', `${name}.zip`);
  const images = unzipSync(readFileSync(join(repository, `${name}.zip`)));
  const names = Object.keys(images)
    .filter((file) => file.endsWith('.png'))
    .sort();
  const urls = [];
  for (let index = 0; index < names.length; index += FRAME.every) {
    const canvas = createCanvas(FRAME.width, FRAME.height);
    canvas
      .getContext('2d')
      .drawImage(await loadImage(Buffer.from(images[names[index]])), 0, 0, FRAME.width, FRAME.height);
    urls.push(`data:image/webp;base64,${canvas.toBuffer('image/webp', 62).toString('base64')}`);
  }
  return urls;
}

function picture() {
  const total = 16;
  const at = { type: 1.2, plan: 4.2, apply: 8, play: 10.4 };
  const css = [];
  const body = [];
  let names = 0;
  const percent = (seconds) => `${((100 * seconds) / total).toFixed(3)}%`;
  /** Shows an element from one time to another. */
  const show = (from, to = total) => {
    const name = `s${names++}`;
    const start = from <= 0 ? '0%{opacity:1}' : `0%,${percent(from - 0.001)}{opacity:0}${percent(from)}{opacity:1}`;
    const end = to >= total ? '100%{opacity:1}' : `${percent(to - 0.001)}{opacity:1}${percent(to)},100%{opacity:0}`;
    css.push(`@keyframes ${name}{${start}${end}}.${name}{animation:${name} ${total}s infinite}`);
    return name;
  };
  const text = (x, y, content, fill = '#d7dce2', more = '') =>
    `<text x="${x}" y="${y}" fill="${fill}" xml:space="preserve"${more}>${escapeXml(content)}</text>`;
  /** Shows a text letter by letter, from a time on. */
  const typed = (x, y, content, from, until, fill) =>
    [...content].map((_, index) => {
      const next = index + 1 < content.length ? from + (index + 1) * 0.055 : until;
      return `<g class="${show(from + index * 0.055, next)}">${text(x, y, `${content.slice(0, index + 1)}▏`, fill)}</g>`;
    });
  const panel = (x, y, width, height, title) =>
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="#14171c" stroke="#2b3038"/>` +
    `<text x="${x + 18}" y="${y + 26}" fill="#8b949e" font-size="13">${title}</text>` +
    `<path d="M${x} ${y + 40}h${width}" stroke="#2b3038"/>`;

  // The editor.
  body.push(panel(16, 16, 660, 232, DEFINITION));
  const lines = definition.trimEnd().split('\n').slice(1, 9);
  lines.forEach((line, index) => {
    const y = 82 + index * 21;
    const edited = line.includes(BEFORE);
    const [, key = '', value = line] = /^(\s*[^:]+:)(.*)$/.exec(line) ?? [];
    body.push(text(36, y, key, '#7ab7ff'));
    const x = 36 + key.length * 8.43;
    if (!edited) body.push(text(x, y, value.length > 48 ? `${value.slice(0, 47)}…` : value));
    else {
      const start = at.type + 0.5;
      body.push(`<g class="${show(0, at.type)}">${text(x, y, value)}</g>`);
      body.push(
        `<g class="${show(at.type, start)}"><rect x="${x + 8}" y="${y - 15}" width="${BEFORE.length * 8.43}" height="20" fill="#264f78"/>${text(x, y, value)}</g>`,
      );
      body.push(...typed(x, y, ` ${AFTER}`, start, at.plan, '#f0c674'));
      body.push(`<g class="${show(at.plan)}">${text(x, y, ` ${AFTER}`, '#f0c674')}</g>`);
    }
  });

  // The terminal.
  body.push(panel(16, 264, 660, 330, 'terminal'));
  let y = 330;
  const prompt = (command, from) => {
    body.push(`<g class="${show(from - 0.4)}">${text(36, y, '$', '#7ee787')}</g>`);
    body.push(...typed(56, y, command, from, from + 1.2, '#ffffff'));
    body.push(`<g class="${show(from + 1.2)}">${text(56, y, command, '#ffffff')}</g>`);
    y += 24;
  };
  const print = (output, from) => {
    const group = [];
    for (const line of output.split('\n')) {
      const fill = line.startsWith('✓') ? '#7ee787' : /^\s*~/.test(line) ? '#f0c674' : '#c9d1d9';
      if (line.trim() !== '') group.push(text(36, y, line.length > 74 ? `${line.slice(0, 73)}…` : line, fill));
      y += line.trim() === '' ? 10 : 21;
    }
    body.push(`<g class="${show(from)}">${group.join('')}</g>`);
    y += 14;
  };
  prompt('npx reelform plan', at.plan);
  print(plan, at.plan + 1.5);
  prompt('npx reelform apply', at.apply);
  print(apply, at.play);

  // The video.
  body.push(panel(692, 16, 564, 578, 'Dune, the table lamp'));
  const image = (url, className) =>
    `<image class="${className}" x="${FRAME.x}" y="${FRAME.y}" width="${FRAME.width}" height="${FRAME.height}" href="${url}"/>`;
  const still = Math.round(84 / FRAME.every);
  body.push(image(framesBefore[still], show(0, at.play)));
  body.push(`<g class="${show(0, at.play)}">${text(FRAME.x, FRAME.y - 18, 'before', '#8b949e')}</g>`);
  body.push(`<g class="${show(at.play)}">${text(FRAME.x, FRAME.y - 18, 'after', '#7ee787')}</g>`);
  const seconds = (total - at.play - 0.6) / framesAfter.length;
  framesAfter.forEach((url, index) => {
    const from = at.play + index * seconds;
    body.push(image(url, show(from, index + 1 < framesAfter.length ? from + seconds : total)));
  });
  css.push(
    `@keyframes bar{0%,${percent(at.play)}{transform:scaleX(0)}${percent(total - 0.6)},100%{transform:scaleX(1)}}`,
  );
  body.push(
    `<rect x="${FRAME.x}" y="${FRAME.y + FRAME.height + 16}" width="${FRAME.width}" height="4" fill="#2b3038"/>`,
  );
  body.push(
    `<rect x="${FRAME.x}" y="${FRAME.y + FRAME.height + 16}" width="${FRAME.width}" height="4" fill="#f0c674" style="transform-box:fill-box;transform-origin:left;animation:bar ${total}s linear infinite"/>`,
  );

  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1272 610" role="img" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="14">
<title>One line of a definition is edited, reelform plan shows the change, reelform apply renders it, and the new video plays.</title>
<style>g,image{animation-timing-function:step-end!important}${css.join('')}</style>
<rect width="1272" height="610" rx="14" fill="#0d1014"/>
${body.join('\n')}
</svg>
`;
}

function escapeXml(content) {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
