import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';

/*
 * `node templates/source/build.mjs pictures.ts [FOLDER]` draws the logos and, given the folder of PNGs that
 * `studio/scenes.py` wrote, turns them into the JPEGs of the packages and the videos.
 */

const JPEG_QUALITY = 84;

/** The templates' own pictures, by scene; all others belong to the example videos. */
const PACKAGED: Readonly<Record<string, string>> = {
  'pebble-hero': 'templates/launch/images/hero.jpg',
  'pebble-detail': 'templates/launch/images/detail.jpg',
  shore: 'templates/story/images/background.jpg',
};
/** Pixels: the sizes of the image assets that the pictures fill. */
const SIZES = { hero: [1296, 1296], detail: [1080, 1296], story: [1080, 1920] } as const;

/** Olune's wordmark in a single stroke width; its first letter is a moon. */
function drawLogo(ink: string, moon: string): Canvas {
  const canvas = createCanvas(600, 160);
  const pen = canvas.getContext('2d');
  const radius = 46;
  const middle = 96;
  pen.translate(6, 0);
  pen.lineWidth = 19;
  pen.lineCap = 'round';
  pen.lineJoin = 'round';
  pen.strokeStyle = ink;

  pen.fillStyle = moon;
  pen.beginPath();
  pen.arc(56, middle, 55.5, 0, 2 * Math.PI);
  pen.fill();
  pen.globalCompositeOperation = 'destination-out';
  pen.beginPath();
  pen.arc(68, middle - 12, 34, 0, 2 * Math.PI);
  pen.fill();
  pen.globalCompositeOperation = 'source-over';

  const stroke = (draw: () => void) => {
    pen.beginPath();
    draw();
    pen.stroke();
  };
  const base = middle + radius;
  const top = middle - radius;
  stroke(() => {
    pen.moveTo(160, 14);
    pen.lineTo(160, base);
  });
  stroke(() => {
    pen.moveTo(212, top);
    pen.lineTo(212, middle);
    pen.arc(212 + radius, middle, radius, Math.PI, 0, true);
    pen.lineTo(212 + 2 * radius, top);
  });
  stroke(() => {
    pen.moveTo(356, base);
    pen.lineTo(356, middle);
    pen.arc(356 + radius, middle, radius, Math.PI, 0, false);
    pen.lineTo(356 + 2 * radius, base);
  });
  stroke(() => {
    pen.moveTo(496, middle);
    pen.lineTo(496 + 2 * radius, middle);
    pen.arc(496 + radius, middle, radius, 0, 0.26 * Math.PI, true);
  });
  return canvas;
}

/** Film grain, weaker in the lights; the same grain for the same size. */
function addGrain(canvas: Canvas, amount: number): void {
  const pen = canvas.getContext('2d');
  const picture = pen.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = picture;
  let state = 20_260_101;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
  for (let at = 0; at < data.length; at += 4) {
    const light = (data[at]! + data[at + 1]! + data[at + 2]!) / 765;
    const noise = (random() + random()) * amount * (1 - 0.5 * light);
    for (let channel = at; channel < at + 3; channel++) data[channel] = data[channel]! + noise;
  }
  pen.putImageData(picture, 0, 0);
}

async function writePicture(file: string): Promise<void> {
  const name = basename(file, '.png');
  const kind = name.endsWith('-hero') ? 'hero' : name.endsWith('-detail') ? 'detail' : 'story';
  const [width, height] = SIZES[kind];
  const to = PACKAGED[name] ?? `videos/images/${name}.jpg`;
  const canvas = createCanvas(width, height);
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high';
  pen.drawImage(await loadImage(file), 0, 0, width, height);
  addGrain(canvas, 7);
  await writeFile(to, await canvas.encode('jpeg', JPEG_QUALITY));
}

for (const folder of ['templates/launch/images', 'templates/story/images', 'videos/images']) {
  await mkdir(folder, { recursive: true });
}
const dark = await drawLogo('#1F1D1A', '#E2672F').encode('png');
const bright = await drawLogo('#FBF6EC', '#FFB26B').encode('png');
await writeFile('templates/launch/images/logo.png', dark);
await writeFile('templates/story/images/logo.png', dark);
await writeFile('videos/images/logo-dark.png', dark);
await writeFile('videos/images/logo-light.png', bright);

const folder = process.argv[2];
if (folder !== undefined) {
  for (const file of (await readdir(folder)).sort()) if (file.endsWith('.png')) await writePicture(join(folder, file));
}
