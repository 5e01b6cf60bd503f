// npm run docs:media [-- --videos] — renders the pictures of the site into docs/public with the built command.
// --videos also renders each video as a small MP4; the Pages workflow does, and git ignores them.
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { execa } from 'execa';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const output = join(root, 'docs/public');
const data = join(root, 'docs/.vitepress/data');
const withVideos = process.argv.includes('--videos');
const scratch = await mkdtemp(join(tmpdir(), 'reelform-site-'));

/** Runs the built command in a repository of videos. */
async function reelform(repository, ...args) {
  const { stdout } = await execa('node', [join(root, 'dist/cli/main.js'), '-C', repository, ...args]);
  return stdout;
}

/** Renders one frame as WebP. `width` in pixels. */
async function still(repository, video, seconds, width, name) {
  const png = join(scratch, 'frame.png');
  await reelform(repository, 'render', video, '--frame', `${seconds}s`, '--out', png);
  const image = await loadImage(png);
  const canvas = createCanvas(width, Math.round((image.height * width) / image.width));
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const file = join(output, `${name}.webp`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await canvas.encode('webp', 80));
  await rm(png);
  return { width: canvas.width, height: canvas.height };
}

async function galleryOf(folder, prefix) {
  const repository = join(root, folder);
  const { videos } = JSON.parse(await reelform(repository, 'list', '--json'));
  const { templates } = parse(await readFile(join(repository, 'reelform.yaml'), 'utf8'));
  const entries = [];
  for (const { id, title, template, path } of videos) {
    const manifest = parse(await readFile(join(repository, templates[template], 'template.yaml'), 'utf8'));
    const file = `${prefix}${id}`;
    const [seconds] = Object.values(manifest.stillcuts);
    const size = await still(repository, id, seconds, 720, `stills/${file}`);
    if (withVideos) {
      const video = join(output, 'clips', `${file}.mp4`);
      await mkdir(dirname(video), { recursive: true });
      await reelform(repository, 'render', id, '--draft', '--height', '480', '--out', video);
    }
    entries.push({
      id,
      title,
      template: manifest.name,
      description: manifest.description,
      path: join(folder, path),
      file,
      ...size,
    });
  }
  return entries;
}

/** Renders a video, and plans each combination of two edits of its definition: the data of the home page. */
async function editsOfOneVideo() {
  const copy = join(scratch, 'repository');
  for (const path of ['reelform.yaml', 'templates', 'videos', 'schemas'])
    await cp(join(root, path), join(copy, path), { recursive: true });
  for (const other of ['launch/halo.yaml', 'launch/tide.yaml', '_story.yaml', 'story', 'data'])
    await rm(join(copy, 'videos', other), { recursive: true });
  const file = join(copy, 'videos/launch/dune.yaml');
  const original = await readFile(file, 'utf8');
  await reelform(copy, 'apply', '--auto-approve');
  const edits = [];
  for (const title of [false, true]) {
    for (const color of [false, true]) {
      let text = original;
      if (title) text = text.replace('Light that lands softly', 'Light for late hours');
      if (color) text = text.replace('#F8E9DD', '#DCE8E4');
      await writeFile(file, text);
      const name = `home/${title ? 'title' : 'same'}-${color ? 'color' : 'same'}`;
      const size = await still(copy, 'launch/dune', 2.8, 1120, name);
      const plan = JSON.parse(await reelform(copy, 'plan', '--json'));
      const [change] = plan.changes;
      const printed = await reelform(copy, 'plan', '--no-color');
      edits.push({ title, color, image: name, ...size, segments: change?.segments ?? null, text: printed.trim() });
    }
  }
  return edits;
}

try {
  const edits = await editsOfOneVideo();
  const entries = [...(await galleryOf('.', '')), ...(await galleryOf('gallery', 'gallery/'))];
  await writeFile(join(data, 'edits.json'), `${JSON.stringify(edits, null, 2)}\n`);
  await writeFile(join(data, 'gallery.json'), `${JSON.stringify(entries, null, 2)}\n`);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
