import { mkdir, writeFile } from 'node:fs/promises';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import { drawStills } from '../../../src/engine/stills/draw-stills.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { type GalleryExample, readGallery } from './read-gallery.ts';

/*
 * `node templates/source/build.mjs gallery/contact-sheets.ts [NAME…]` draws the stills of the examples of each template side by side,
 * and those of the showcase in a row for each template, into docs/media/gallery/.
 */

const GAP = 16;

interface SheetSize {
  readonly width: number;
  /** Of a row. */
  readonly maxHeight: number;
  readonly maxBytes: number;
}

/** Draws rows of stills that are as wide as the sheet, unless that makes them too high. */
async function sheetOf(
  rows: readonly (readonly RenderInput[])[],
  { width, maxHeight, maxBytes }: SheetSize,
): Promise<Buffer> {
  const pictures: { readonly images: readonly Image[]; readonly height: number }[] = [];
  for (const inputs of rows) {
    const ratio = inputs.reduce(
      (sum, renderInput) => sum + (renderInput.stills.length * renderInput.width) / renderInput.height,
      0,
    );
    const count = inputs.reduce((sum, { stills }) => sum + stills.length, 0);
    const height = 2 * Math.floor(Math.min(maxHeight, (width - GAP * (count + 1)) / ratio) / 2);
    const images: Image[] = [];
    for (const renderInput of inputs) {
      const small = {
        ...renderInput,
        width: 2 * Math.round((renderInput.width * height) / renderInput.height / 2),
        height,
      };
      for (const { bytes } of await drawStills(small, () => {})) images.push(await loadImage(Buffer.from(bytes)));
    }
    pictures.push({ images, height });
  }
  const widths = pictures.map(({ images }) => images.reduce((sum, image) => sum + image.width + GAP, GAP));
  const canvas = createCanvas(
    Math.max(...widths),
    pictures.reduce((sum, { height }) => sum + height + GAP, GAP),
  );
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#D5D7DC';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  let y = GAP;
  for (const { images, height } of pictures) {
    let x = GAP;
    for (const image of images) {
      pen.drawImage(image, x, y);
      x += image.width + GAP;
    }
    y += height + GAP;
  }
  for (let quality = 84; ; quality -= 6) {
    const bytes = await canvas.encode('webp', quality);
    if (bytes.length <= maxBytes || quality < 30) return bytes;
  }
}

/** The inputs of a template's videos, the English video first. */
function inputsOf(examples: readonly GalleryExample[], name: string): Promise<RenderInput[]> {
  const examplesOfTemplate = examples.filter((example) => example.name === name);
  const sorted = examplesOfTemplate.toSorted((a, b) => Number(isEnglish(b)) - Number(isEnglish(a)));
  return Promise.all(sorted.map((example) => example.renderInput()));
}

function isEnglish({ language }: GalleryExample): boolean {
  return language === 'en';
}

const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
await mkdir('docs/media/gallery', { recursive: true });
const examples = await readGallery('gallery');
for (const name of new Set(examples.map((example) => example.name))) {
  if (!isWanted(name)) continue;
  const inputs = await inputsOf(examples, name);
  const hasSeveral = inputs.some(({ stills }) => stills.length > 1);
  const rows = hasSeveral ? inputs.map((renderInput) => [renderInput]) : [inputs];
  const sheet = await sheetOf(rows, { width: 1600, maxHeight: 560, maxBytes: 60_000 });
  await writeFile(`docs/media/gallery/${name}.webp`, sheet);
}
if (isWanted('showcase')) {
  const videos = await readGallery('gallery', 'showcase');
  const names = [...new Set(videos.map((video) => video.name))];
  const rows = await Promise.all(names.map((name) => inputsOf(videos, name)));
  const sheet = await sheetOf(rows, { width: 1100, maxHeight: 420, maxBytes: 120_000 });
  await writeFile('docs/media/gallery/showcase.webp', sheet);
}
