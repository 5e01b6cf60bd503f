import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { lottieDocument, serialized, slotColor } from '../../templates/source/kit/document.ts';
import { ease, keyed, type Property, still } from '../../templates/source/kit/keyframes.ts';
import { imageLayer, type Layer, shapeLayer } from '../../templates/source/kit/layers.ts';
import { fill, group, rectangle } from '../../templates/source/kit/shapes.ts';
import { textLayer } from '../../templates/source/kit/text.ts';
import type { Composition, Element } from './composition.ts';
import type { Program } from './program.ts';

/** The built command of this checkout, on a template folder. */
export function reelform(template: string): Program {
  return {
    name: 'Reelform',
    async prepare(folder) {
      await mkdir(join(folder, 'videos'), { recursive: true });
      await cp(template, join(folder, 'template'), { recursive: true });
      await writeFile(join(folder, 'reelform.yaml'), 'service: embedded\ntemplates: {video: ./template}\n');
      const definition = { template: 'video', title: 'A video', resources: await defaultsOf(template) };
      await writeFile(join(folder, 'videos/video.yaml'), JSON.stringify(definition));
      return null;
    },
    command: () => [
      process.execPath,
      resolve('dist/cli/main.js'),
      ...['render', 'video', '--out', 'video.mp4', '--no-segment-cache'],
    ],
    output: 'video.mp4',
  };
}

/** Returns the texts, colours and pictures that a template shows by itself, as a definition fills them. */
async function defaultsOf(template: string): Promise<Record<string, string>> {
  const { slots } = JSON.parse(await readFile(join(template, 'animation.json'), 'utf8')) as {
    readonly slots: Record<string, { p: { k: unknown; u?: string; p?: string } }>;
  };
  const values = Object.entries(slots).map(([key, { p: slot }]) => {
    if (slot.p !== undefined) return [key, `../template/${slot.u}${slot.p}`];
    if (key.startsWith('t_')) return [key, (slot.k as { s: { t: string } }[])[0]!.s.t.replaceAll('\r', '\n')];
    const channels = (slot.k as number[]).slice(0, 3).map((share) => Math.round(255 * share));
    return [key, `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`];
  });
  return Object.fromEntries(values);
}

/** Writes a composition of boxes, pictures and texts that move, scale or fade as a template. */
export async function writeTemplate(composition: Composition, folder: string): Promise<void> {
  const { name, width, height, fps, frameCount, files, fonts, elements } = composition;
  await mkdir(join(folder, 'images'), { recursive: true });
  await mkdir(join(folder, 'fonts'));
  for (const [file, path] of Object.entries(files)) await cp(path, join(folder, 'images', file));
  for (const [family, path] of Object.entries(fonts)) await cp(path, join(folder, 'fonts', `${family}.ttf`));
  const images = elements
    .filter(({ kind }) => kind === 'image')
    .map(({ file, box }) => ({ id: file!, file: file!, width: box.width, height: box.height }));
  const texts = elements.filter(({ kind }) => kind === 'text');
  const document = lottieDocument({
    name,
    width,
    height,
    fps,
    frameCount,
    images,
    fonts: Object.keys(fonts).map((family) => ({ name: family, family, style: 'Regular' })),
    colors: [],
    compositions: [],
    layers: elements.map((element) => layerOf(element, texts)).reverse(),
  });
  await writeFile(join(folder, 'animation.json'), serialized(document));
  const editables = [
    ...texts.map(({ text }, index) => [`t_0${index + 1}`, { label: text, kind: 'text', stillcut: 'stillcut_01' }]),
    ...images.map(({ file }) => [`(Footage)/USER/${file}`, { label: file, kind: 'image', stillcut: 'stillcut_01' }]),
  ];
  const manifest = { name, stillcuts: { stillcut_01: 5 }, editables: Object.fromEntries(editables) };
  await writeFile(join(folder, 'template.yaml'), JSON.stringify(manifest));
}

function layerOf(element: Element, texts: readonly Element[]): Layer {
  const { kind, box, color, file, text, font, size, moves = [] } = element;
  const moveOf = (
    property: string,
    rest: number,
    valueAt: (amount: number) => number | readonly number[],
  ): Property => {
    const move = moves.find((candidate) => candidate.property === property);
    if (move === undefined) return still(valueAt(rest));
    return keyed([move.from[0], valueAt(move.from[1]), ease.out], [move.to[0], valueAt(move.to[1])]);
  };
  const placement = { opacity: moveOf('opacity', 1, (share) => 100 * share) };
  if (kind === 'text') {
    return textLayer(
      text!,
      { key: `t_0${texts.indexOf(element) + 1}`, example: text! },
      { font: font!, size: size!, color: slotColor({ key: '', example: color! }), rise: 'center' },
      box,
      { ...placement, position: moveOf('x', 0, (x) => [x, 0]) },
    );
  }
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const middle = {
    ...placement,
    position: still([x, y]),
    scale: moveOf('scale', 1, (factor) => [100 * factor, 100 * factor]),
  };
  if (kind === 'image') return imageLayer(file!, { id: file!, width: box.width, height: box.height }, middle);
  const { sid: _, ...paint } = slotColor({ key: '', example: color! });
  return shapeLayer('box', [group(rectangle(still([0, 0]), still([box.width, box.height])), fill(paint))], middle);
}
