import { readFile, writeFile } from 'node:fs/promises';
import { createCanvas, loadImage } from '@napi-rs/canvas';

// The picture of the README: a still of every example video, as the lockfile names them. Run it after `reelform apply`:
// node templates/source/contact-sheet.mjs

const GAP = 20;
const WIDTH = 1600;
/** Rows of [video id, number of the still]; a row's pictures share its height. */
const ROWS = [
  [
    ['launch/dune', 1],
    ['launch/tide', 1],
    ['launch/halo', 1],
  ],
  [
    ['story/stores/krakow', 1],
    ['story/late-light', 1],
    ['story/stores/sao-paulo', 1],
    ['story/stores/berlin', 2],
    ['story/trade-in', 2],
  ],
  [
    ['launch/halo', 2],
    ['launch/dune', 3],
    ['launch/tide', 2],
  ],
];

const { videos } = JSON.parse(await readFile('reelform.lock.json', 'utf8'));
const rows = [];
for (const row of ROWS) {
  const images = await Promise.all(row.map(([id, still]) => loadImage(videos[id].thumbnails[still - 1])));
  const ratio = images.reduce((sum, image) => sum + image.width / image.height, 0);
  rows.push({ images, height: (WIDTH - GAP * (images.length + 1)) / ratio });
}
const height = rows.reduce((sum, row) => sum + row.height + GAP, GAP);
const canvas = createCanvas(WIDTH, Math.round(height));
const context = canvas.getContext('2d');
context.fillStyle = '#16161a';
context.fillRect(0, 0, canvas.width, canvas.height);
let y = GAP;
for (const row of rows) {
  let x = GAP;
  for (const image of row.images) {
    const width = (row.height * image.width) / image.height;
    context.save();
    context.beginPath();
    context.roundRect(x, y, width, row.height, 12);
    context.clip();
    context.drawImage(image, x, y, width, row.height);
    context.restore();
    x += width + GAP;
  }
  y += row.height + GAP;
}
await writeFile('docs/media/contact-sheet.jpg', canvas.toBuffer('image/jpeg', 88));
