import { mkdir, writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';
import { canvasOf, disc, glow, gradient, shape } from './drawing.ts';
import { board, dish, finish, pot } from './kitchen.ts';
import { lighthouse } from './lighthouse.ts';
import { bedroom, house, livingRoom } from './rooms.ts';

/*
 * `node templates/source/build.mjs gallery/pictures.ts [NAME…]` draws the pictures of the gallery's templates.
 */

interface Person {
  readonly back: readonly [string, string];
  readonly skin: readonly [string, string];
  readonly hair: readonly [string, string];
  readonly coat: readonly [string, string];
  readonly style: 'bun' | 'short' | 'long';
}

/** A head and shoulders in soft shapes lit from the upper left, drawn in a square of 100 units. */
function person(size: number, { back, skin, hair, coat, style }: Person): Canvas {
  return canvasOf(size, size, (pen) => {
    pen.scale(size / 100, size / 100);
    pen.fillStyle = gradient(pen, [0, 0, 100, 100], ...back);
    pen.fillRect(0, 0, 100, 100);
    disc(pen, 74, 30, 34, `${back[1]}88`);
    const locks = gradient(pen, [30, 10, 75, 80], ...hair);
    if (style === 'bun') disc(pen, 56, 14, 10, locks);
    if (style === 'long')
      shape(pen, locks, [27, 44], [22, 10, 52, 12], [82, 12, 76, 46], [80, 74, 82, 86], [20, 86], [24, 70, 27, 44]);
    // Neck and coat.
    shape(pen, gradient(pen, [40, 60, 62, 80], skin[1], skin[1]), [42, 58], [42, 80], [60, 84], [61, 58]);
    shape(
      pen,
      gradient(pen, [10, 74, 90, 104], ...coat),
      [6, 104],
      [8, 82, 38, 76],
      [51, 92, 64, 75],
      [94, 80, 97, 104],
    );
    // Face.
    pen.save();
    pen.translate(51, 45);
    pen.rotate(-0.04);
    pen.scale(0.86, 1);
    disc(pen, 0, 0, 22.5, glow(pen, [-9, -10, 2, 36], ...skin));
    pen.restore();
    // Hair over the forehead.
    const fringe = style === 'short' ? 22 : 25;
    shape(
      pen,
      locks,
      [30, 46],
      [27, 17, 53, 17],
      [79, 17, 73, 48],
      [71, 36, 66, fringe + 9],
      [54, fringe + 10, 44, fringe + 7],
      [35, 34, 30, 46],
    );
    // Eyes, brows, mouth: a few strokes.
    pen.strokeStyle = hair[1];
    pen.lineCap = 'round';
    pen.lineWidth = 1.3;
    for (const [x, y] of [
      [43.5, 46],
      [58.5, 45.4],
    ] as const) {
      pen.beginPath();
      pen.arc(x, y - 0.5, 2.2, 0.15 * Math.PI, 0.85 * Math.PI);
      pen.stroke();
    }
    pen.strokeStyle = '#8a3b2b';
    pen.lineWidth = 1.4;
    pen.beginPath();
    pen.arc(51.4, 53, 5.4, 0.18 * Math.PI, 0.8 * Math.PI);
    pen.stroke();
    disc(pen, 40.5, 53, 3.6, '#e0604522');
    disc(pen, 62.5, 52.4, 3.6, '#e0604522');
  });
}

/** A part of a picture of the example videos: its left and upper edge and its width, as shares of the picture's. */
async function crop(
  file: string,
  [width, height]: readonly [number, number],
  [left, top, part]: readonly [number, number, number],
): Promise<Canvas> {
  const picture = await loadImage(file);
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  const sourceWidth = part * picture.width;
  const sourceHeight = (sourceWidth * height) / width;
  pen.drawImage(picture, left * picture.width, top * picture.height, sourceWidth, sourceHeight, 0, 0, width, height);
  return canvas;
}

/** The logo of the example templates, whole, in the middle of a transparent canvas. */
async function logoOn(width: number, height: number): Promise<Canvas> {
  const logo = await loadImage('templates/launch/images/logo.png');
  const canvas = createCanvas(width, height);
  const scale = Math.min(width / logo.width, height / logo.height);
  const [w, h] = [logo.width * scale, logo.height * scale];
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(logo, (width - w) / 2, (height - h) / 2, w, h);
  return canvas;
}

const PICTURES: Readonly<Record<string, Readonly<Record<string, () => Canvas | Promise<Canvas>>>>> = {
  quote: {
    'portrait.jpg': () =>
      person(480, {
        back: ['#9DB39A', '#5F7F6B'],
        skin: ['#F0C3A0', '#C98A63'],
        hair: ['#4A2F22', '#2A1912'],
        coat: ['#D9482B', '#9E2E1B'],
        style: 'bun',
      }),
  },
  'product-grid': {
    'product-1.jpg': () => crop('videos/images/halo-hero.jpg', [600, 480], [0.08, 0.1, 0.84]),
    'product-2.jpg': () => crop('videos/images/dune-hero.jpg', [600, 320], [0.06, 0.12, 0.88]),
    'product-3.jpg': () => crop('templates/launch/images/hero.jpg', [600, 320], [0.06, 0.3, 0.88]),
    'product-4.jpg': () => crop('videos/images/tide-hero.jpg', [600, 480], [0.02, 0.18, 0.96]),
  },
  countdown: {
    'background.jpg': () => crop('videos/images/late-light.jpg', [900, 1600], [0, 0, 1]),
  },
  audiogram: { 'cover.jpg': lighthouse },
  'end-card': { 'logo.png': () => logoOn(720, 240) },
  'job-offer': { 'photo.jpg': () => crop('videos/images/krakow.jpg', [1080, 640], [0, 0.16, 1]) },
  recipe: { 'dish.jpg': dish, 'step-1.jpg': board, 'step-2.jpg': pot, 'step-3.jpg': finish },
  listing: { 'photo-1.jpg': house, 'photo-2.jpg': livingRoom, 'photo-3.jpg': bedroom },
  review: {
    'portrait.jpg': () =>
      person(480, {
        back: ['#F3C969', '#E39A3B'],
        skin: ['#F6D3B8', '#D99F78'],
        hair: ['#C98B4A', '#8A5524'],
        coat: ['#3A6E8F', '#234A66'],
        style: 'long',
      }),
  },
  'examples/images': {
    'guest.jpg': () =>
      person(480, {
        back: ['#7FA8C9', '#4C7AA3'],
        skin: ['#D9A177', '#A86B45'],
        hair: ['#2B211F', '#120D0C'],
        coat: ['#E7E0D2', '#BDB29C'],
        style: 'short',
      }),
    'halo.jpg': () => crop('videos/images/halo-hero.jpg', [720, 720], [0.12, 0.08, 0.76]),
  },
  sale: {
    'product.jpg': () => crop('videos/images/dune-hero.jpg', [720, 720], [0.12, 0.08, 0.78]),
  },
};

const wanted = process.argv.slice(2);
for (const [name, files] of Object.entries(PICTURES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const folder = name.includes('/') ? `gallery/${name}` : `gallery/${name}/images`;
  await mkdir(folder, { recursive: true });
  for (const [file, draw] of Object.entries(files)) {
    const canvas = await draw();
    const bytes = file.endsWith('.png') ? await canvas.encode('png') : await canvas.encode('jpeg', 84);
    await writeFile(`${folder}/${file}`, bytes);
  }
}
