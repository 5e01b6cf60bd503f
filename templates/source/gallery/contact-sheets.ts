import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { execa } from 'execa';
import { type GalleryExample, readGallery } from './read-gallery.ts';

/*
 * `node templates/source/build.mjs gallery/contact-sheets.ts [NAME…]` draws the stills of the examples of each template side by side,
 * and those of the showcase in a row for each template, into docs/media/gallery/. Uses the built command.
 */

const GAP = 16;

interface SheetSize {
  readonly width: number;
  /** Of a row. */
  readonly maxHeight: number;
  readonly maxBytes: number;
}

/** Draws the stills of an example with the built command, so that they have its captions. */
async function stillsOf({ id, template }: GalleryExample): Promise<Image[]> {
  const stills: Image[] = [];
  for (const { timeSeconds } of template.manifest.stillcuts.values()) {
    const file = join(scratch, 'still.png');
    await execa('node', [
      'dist/cli/main.js',
      '-C',
      'gallery',
      'render',
      id,
      '--frame',
      `${timeSeconds}s`,
      '--out',
      file,
    ]);
    stills.push(await loadImage(file));
  }
  return stills;
}

/** Puts rows of stills together that are as wide as the sheet, unless that makes them too high. */
async function sheetOf(
  rows: readonly (readonly Image[])[],
  { width, maxHeight, maxBytes }: SheetSize,
): Promise<Buffer> {
  const pictures = rows.map((images) => {
    const ratio = images.reduce((sum, image) => sum + image.width / image.height, 0);
    const height = Math.floor(Math.min(maxHeight, (width - GAP * (images.length + 1)) / ratio));
    const sizes = images.map((image) => ({ image, width: Math.round((image.width * height) / image.height) }));
    return { images: sizes, height };
  });
  const widths = pictures.map(({ images }) => images.reduce((sum, image) => sum + image.width + GAP, GAP));
  const canvas = createCanvas(
    Math.max(...widths),
    pictures.reduce((sum, { height }) => sum + height + GAP, GAP),
  );
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.fillStyle = '#D5D7DC';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = GAP;
  for (const { images, height } of pictures) {
    let x = GAP;
    for (const { image, width: drawn } of images) {
      pen.drawImage(image, x, y, drawn, height);
      x += drawn + GAP;
    }
    y += height + GAP;
  }
  for (let quality = 84; ; quality -= 6) {
    const bytes = await canvas.encode('webp', quality);
    if (bytes.length <= maxBytes || quality < 30) return bytes;
  }
}

/** The stills of each video of a template, the English video first. */
async function rowsOf(examples: readonly GalleryExample[], name: string): Promise<Image[][]> {
  const examplesOfTemplate = examples.filter((example) => example.name === name);
  const sorted = examplesOfTemplate.toSorted((a, b) => Number(isEnglish(b)) - Number(isEnglish(a)));
  const rows: Image[][] = [];
  for (const example of sorted) rows.push(await stillsOf(example));
  return rows;
}

function isEnglish({ language }: GalleryExample): boolean {
  return language === 'en';
}

const scratch = await mkdtemp(join(tmpdir(), 'reelform-sheets-'));
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
await mkdir('docs/media/gallery', { recursive: true });
const examples = await readGallery('gallery');
for (const name of new Set(examples.map((example) => example.name))) {
  if (!isWanted(name)) continue;
  const rows = await rowsOf(examples, name);
  const hasSeveral = rows.some(({ length }) => length > 1);
  const sheet = await sheetOf(hasSeveral ? rows : [rows.flat()], { width: 1600, maxHeight: 560, maxBytes: 60_000 });
  await writeFile(`docs/media/gallery/${name}.webp`, sheet);
}
if (isWanted('showcase')) {
  const videos = await readGallery('gallery', 'showcase');
  const names = [...new Set(videos.map((video) => video.name))];
  const rows: Image[][] = [];
  for (const name of names) rows.push((await rowsOf(videos, name)).flat());
  const sheet = await sheetOf(rows, { width: 1100, maxHeight: 420, maxBytes: 120_000 });
  await writeFile('docs/media/gallery/showcase.webp', sheet);
}
await rm(scratch, { recursive: true });
