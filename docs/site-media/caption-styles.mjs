// node docs/site-media/caption-styles.mjs — draws every built-in style of captions with the built command, in both shapes, over a
// light, a dark and a busy picture of the gallery: docs/media/caption-styles.webp.
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { execa } from 'execa';

const root = join(import.meta.dirname, '../..');
const STYLES = ['clean', 'box', 'bold', 'highlight', 'pop', 'word', 'karaoke', 'elegant', 'label', 'minimal'];
const PICTURES = {
  light: 'gallery/product-grid/images/product-3.jpg',
  dark: 'gallery/countdown/images/background.jpg',
  busy: 'gallery/listing/images/photo-2.jpg',
};
const SHAPES = { wide: [1920, 1080], tall: [1080, 1920] };
const SECONDS = 2;
const WORDS = ['Light', 'that', 'lands', 'softly', 'on', 'what', 'you', 'love.'];
/** When the frame is taken: "lands" is spoken. */
const AT = 0.65;
const ROW = 226;
const GAP = 10;
const LABEL = 34;

const scratch = await mkdtemp(join(tmpdir(), 'reelform-styles-'));
try {
  await writeRepository();
  await drawSheet();
} finally {
  await rm(scratch, { recursive: true, force: true });
}

/** A video for each shape and picture, with a scene for each style. */
async function writeRepository() {
  const clock = (index) => `00:00:${(0.1 + 0.22 * index).toFixed(3).padStart(6, '0')}`;
  const cue = WORDS.map((word, index) => (index === 0 ? word : `<${clock(index)}>${word}`)).join(' ');
  await writeFile(join(scratch, 'line.vtt'), `WEBVTT\n\n${clock(0)} --> 00:00:02.000\n${cue}\n`);
  await writeFile(
    join(scratch, 'reelform.yaml'),
    'service: embedded\ntemplates: { wide: ./wide, tall: ./tall }\nvideos: "*-*.yaml"\n',
  );
  for (const [shape, [width, height]] of Object.entries(SHAPES)) {
    await mkdir(join(scratch, shape, 'images'), { recursive: true });
    await cp(join(root, PICTURES.busy), join(scratch, shape, 'images/picture.jpg'));
    await writeFile(join(scratch, shape, 'animation.json'), JSON.stringify(animation(width, height)));
    await writeFile(
      join(scratch, shape, 'template.yaml'),
      'name: Picture\ndescription: A picture.\nstillcuts: { stillcut_01: 1 }\neditables:\n' +
        '  (Footage)/USER/picture.jpg: { label: Picture, kind: image, stillcut: stillcut_01 }\n',
    );
    for (const [name, picture] of Object.entries(PICTURES)) {
      await cp(join(root, picture), join(scratch, `${name}.jpg`));
      const scenes = STYLES.map((style) =>
        JSON.stringify({
          id: style,
          template: shape,
          resources: { '(Footage)/USER/picture.jpg': `./${name}.jpg` },
          captions: { from: './line.vtt', style, lang: 'en' },
        }),
      );
      await writeFile(
        join(scratch, `${shape}-${name}.yaml`),
        `title: ${name}\nscenes:\n${scenes.map((scene) => `  - ${scene}\n`).join('')}`,
      );
    }
  }
}

function animation(w, h) {
  const op = 30 * SECONDS;
  const still = (k) => ({ a: 0, k });
  const ks = {
    o: still(100),
    r: still(0),
    p: still([w / 2, h / 2, 0]),
    a: still([w / 2, h / 2, 0]),
    s: still([100, 100, 100]),
  };
  return {
    v: '5.7.0',
    fr: 30,
    ip: 0,
    op,
    w,
    h,
    nm: 'Picture',
    ddd: 0,
    assets: [{ id: 'picture', w, h, u: 'images/', p: 'picture.jpg', e: 0, sid: '(Footage)/USER/picture.jpg' }],
    layers: [{ ddd: 0, ind: 1, ty: 2, nm: 'picture', refId: 'picture', sr: 1, ks, ip: 0, op, st: 0, bm: 0 }],
  };
}

async function drawSheet() {
  const columns = Object.keys(SHAPES).flatMap((shape) => Object.keys(PICTURES).map((name) => ({ shape, name })));
  const widthOf = (shape) => Math.round((ROW * SHAPES[shape][0]) / SHAPES[shape][1]);
  const width = columns.reduce((sum, { shape }) => sum + widthOf(shape) + GAP, GAP);
  const canvas = createCanvas(width, STYLES.length * (ROW + LABEL) + GAP);
  const context = canvas.getContext('2d');
  context.fillStyle = '#F4F2EE';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.imageSmoothingQuality = 'high';
  context.font = '600 20px sans-serif';
  let x = GAP;
  for (const { shape, name } of columns) {
    for (const [index, style] of STYLES.entries()) {
      const png = join(scratch, 'frame.png');
      const at = `${(index * SECONDS + AT).toFixed(2)}s`;
      const main = join(root, 'dist/cli/main.js');
      await execa('node', [main, '-C', scratch, 'render', `${shape}-${name}`, '--frame', at, '--out', png]);
      const y = index * (ROW + LABEL);
      context.fillStyle = '#24242A';
      if (x === GAP) context.fillText(style, GAP, y + LABEL - 9);
      context.drawImage(await loadImage(png), x, y + LABEL, widthOf(shape), ROW);
      await rm(png);
    }
    x += widthOf(shape) + GAP;
  }
  await writeFile(join(root, 'docs/media/caption-styles.webp'), await canvas.encode('webp', 82));
}
