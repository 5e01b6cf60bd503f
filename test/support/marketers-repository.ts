import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ColorSlot,
  type DocumentParts,
  lottieDocument,
  serialized,
  slotColor,
} from '../../templates/source/kit/document.ts';
import { still } from '../../templates/source/kit/keyframes.ts';
import { imageLayer } from '../../templates/source/kit/layers.ts';
import { ground } from '../../templates/source/kit/presets.ts';
import type { Box } from '../../templates/source/kit/shapes.ts';
import { type TextStyle, textLayer } from '../../templates/source/kit/text.ts';
import { makeFolder, NO_LINT } from './repository.ts';
import { solidPng } from './small-package.ts';
import { toneWav } from './tone.ts';

// A shop's campaign as its marketer keeps it: every product in four languages and three formats, from one definition and one CSV.

const FONTS = ['Cairo-Bold', 'Cairo-SemiBold'] as const;
const SHAPES = {
  wide: { width: 640, height: 360 },
  square: { width: 480, height: 480 },
  tall: { width: 360, height: 640 },
} as const;
/** Products of the campaign for each product of another campaign. */
const CAMPAIGN_SHARE = 4;

/** What a person writes: the definition and the lines of `reelform.yaml` that are about languages and sound. */
export const DEFINITION = `each: {from: ../data/products.csv, where: {campaign: spring}, id: "\${slug}"}
title: "\${name}"
locales: all
variants:
  wide: {}
  square: {scenes: {intro: {template: title-square}, product: {template: product-square}, outro: {template: title-square}}}
  tall: {scenes: {intro: {template: title-tall}, product: {template: product-tall}, outro: {template: title-tall}}}
resources: {"(Footage)/USER/logo.png": ../images/logo.png}
scenes:
  - {id: intro, template: title-wide, resources: {t_01: "\${claim}"}}
  - id: product
    template: product-wide
    duration: content
    transition: {type: slide, direction: left, duration: 0.4}
    audio: {voice: {speak: "\${line}"}}
    resources: {t_01: "\${name}", t_02: "\${price}", t_03: "\${line}", "(Footage)/USER/product.png": "../images/\${picture}"}
  - {id: outro, template: title-wide, when: "\${offer}", resources: {t_01: "\${offer}"}}
audio: {music: {source: ../sounds/music.wav, loop: true, level: -24, fade_out: 1, duck: {under: voice}}}
loudness: -14
captions: {from: {track: voice}, style: box, files: [vtt], embed: true}
`;
/** `reelform.yaml`. */
export const CONFIG = `service: embedded
templates:
${Object.keys(SHAPES)
  .flatMap((shape) => ['title', 'product'].map((name) => `  ${name}-${shape}: ./templates/${name}-${shape}\n`))
  .join('')}locales: {source: en, targets: [de, fr, es], columns: [claim, line, offer]}
voices: {narrator: {builtin: slt}}
`;

/**
 * Creates the repository, in which plans do not lint. Flite reads every language with its English voice: what it says differs in length, as it does in a shop.
 *
 * @param products of the campaign; there are others in the CSV, which `where` leaves out
 */
export function makeMarketersRepository(products: number): string {
  const files: Record<string, Uint8Array | string> = {
    'reelform.yaml': `${CONFIG}${NO_LINT}`,
    'videos/spring.yaml': DEFINITION,
    'data/products.csv': productsCsv(products),
    'images/logo.png': solidPng('#E2672F', 96, 96),
    'sounds/music.wav': toneWav(4, 220),
  };
  for (const [at, color] of ['#8FB8DE', '#E8B04A', '#9CC5A1'].entries())
    files[`images/lamp-${at}.png`] = solidPng(color, 300, 300);
  for (const shape of Object.keys(SHAPES) as (keyof typeof SHAPES)[]) {
    for (const [path, bytes] of [...packageOf('title', shape), ...packageOf('product', shape)]) files[path] = bytes;
  }
  return makeFolder(files);
}

const NAMES = ['Halo', 'Dune', 'Reed', 'Mira', 'Opal'] as const;
const KINDS = [
  { en: 'warm', de: 'warme', fr: 'chaleureuse', es: 'cálida' },
  { en: 'quiet', de: 'leise', fr: 'discrète', es: 'discreta' },
  { en: 'bright', de: 'helle', fr: 'lumineuse', es: 'luminosa' },
  { en: 'small', de: 'kleine', fr: 'petite', es: 'pequeña' },
] as const;
const PLACES = [
  { en: 'every table', de: 'jeden Tisch im Haus', fr: 'toutes les tables', es: 'cada mesa de la casa' },
  { en: 'long evenings', de: 'lange Abende auf dem Balkon', fr: 'les longues soirées', es: 'las noches largas' },
] as const;

/** The CSV, with a column for each language of each text, as a shop exports it. */
function productsCsv(products: number): string {
  const languages = ['en', 'de', 'fr', 'es'] as const;
  const columns = (name: string): string[] =>
    languages.map((language) => (language === 'en' ? name : `${name}_${language}`));
  const header = [
    'slug',
    'name',
    'campaign',
    'price',
    'picture',
    ...columns('claim'),
    ...columns('line'),
    ...columns('offer'),
  ];
  const rows = Array.from({ length: products + Math.ceil(products / CAMPAIGN_SHARE) }, (_, at) => {
    const name = NAMES[at % NAMES.length]!;
    const kind = KINDS[at % KINDS.length]!;
    const place = PLACES[at % PLACES.length]!;
    const hasOffer = at % 2 === 0;
    return [
      `${name.toLowerCase()}-${at}`,
      `${name} ${at}`,
      at < products ? 'spring' : 'autumn',
      `€ ${99 + at}`,
      `lamp-${at % 3}.png`,
      ...['Light for spring', 'Licht für den Frühling', 'La lumière du printemps', 'Luz para la primavera'],
      `A ${kind.en} lamp for ${place.en}.`,
      `Eine ${kind.de} Lampe für ${place.de}.`,
      `Une lampe ${kind.fr} pour ${place.fr}.`,
      `Una lámpara ${kind.es} para ${place.es}.`,
      ...(hasOffer ? ['Until Sunday', 'Nur bis Sonntag', 'Jusqu’à dimanche', 'Hasta el domingo'] : ['', '', '', '']),
    ];
  });
  return `${[header, ...rows].map((cells) => cells.join(',')).join('\n')}\n`;
}

const paper: ColorSlot = { key: 'c_01', example: '#F6EDDF' };
const ink: ColorSlot = { key: 'c_02', example: '#24324A' };

/** The files of a template in a shape. Templates of the same name have the same keys. */
function packageOf(name: 'title' | 'product', shape: keyof typeof SHAPES): Map<string, Uint8Array | string> {
  const folder = `templates/${name}-${shape}`;
  const { parts, manifest } = name === 'title' ? titleOf(shape) : productOf(shape);
  const cairo = join(import.meta.dirname, '../../gallery/campaign/product/fonts');
  return new Map<string, Uint8Array | string>([
    [`${folder}/template.yaml`, manifest],
    [`${folder}/animation.json`, serialized(lottieDocument(parts))],
    ...parts.images.map(({ file, width, height }): [string, Uint8Array] => [
      `${folder}/images/${file}`,
      solidPng('#C9C2B4', width, height),
    ]),
    ...FONTS.map((font): [string, Uint8Array] => [
      `${folder}/fonts/${font}.woff2`,
      readFileSync(join(cairo, `${font}.woff2`)),
    ]),
    [`${folder}/fonts/OFL-cairo.txt`, readFileSync(join(cairo, 'OFL-cairo.txt'))],
  ]);
}

function titleOf(shape: keyof typeof SHAPES): { parts: DocumentParts; manifest: string } {
  const size = SHAPES[shape];
  const logo = { id: 'logo', file: 'logo.png', width: 96, height: 96 };
  const box: Box = { x: 24, y: size.height * 0.45, width: size.width - 48, height: 120 };
  const parts = partsOf(`Title, ${shape}`, size, 30, {
    images: [logo],
    layers: [
      imageLayer('logo', logo, { position: still([72, size.height * 0.25]) }),
      textLayer('claim', { key: 't_01', example: 'Light for spring' }, style('Cairo-Bold', 44), box),
      ground(slotColor(paper), size),
    ],
  });
  return {
    parts,
    manifest: manifestOf(['t_01: { label: Claim, kind: text', '(Footage)/USER/logo.png: { label: Logo, kind: image']),
  };
}

function productOf(shape: keyof typeof SHAPES): { parts: DocumentParts; manifest: string } {
  const size = SHAPES[shape];
  const photo = { id: 'product', file: 'product.png', width: 300, height: 300 };
  const isWide = shape === 'wide';
  const column = { x: isWide ? 340 : 24, width: isWide ? 276 : size.width - 48 };
  const top = isWide ? 40 : size.height * 0.48;
  const parts = partsOf(`Product, ${shape}`, size, 60, {
    images: [photo],
    layers: [
      textLayer('name', { key: 't_01', example: 'Dune' }, style('Cairo-Bold', 36), { ...column, y: top, height: 50 }),
      textLayer('line', { key: 't_03', example: 'A warm lamp for every table.' }, style('Cairo-SemiBold', 20), {
        ...column,
        y: top + 52,
        height: 80,
      }),
      textLayer('price', { key: 't_02', example: '€ 189' }, style('Cairo-Bold', 24), {
        ...column,
        y: top + 134,
        height: 34,
      }),
      imageLayer('product', photo, {
        position: still(isWide ? [160, 180] : [size.width / 2, size.height * 0.24]),
        scale: still(isWide ? [90, 90, 100] : [68, 68, 100]),
      }),
      ground(slotColor(paper), size),
    ],
  });
  const texts = [
    't_01: { label: Name, kind: text',
    't_02: { label: Price, kind: text',
    't_03: { label: Line, kind: text',
  ];
  return { parts, manifest: manifestOf([...texts, '(Footage)/USER/product.png: { label: Picture, kind: image']) };
}

function style(font: (typeof FONTS)[number], size: number): TextStyle {
  return { font, size, color: slotColor(ink) };
}

function partsOf(
  name: string,
  size: { readonly width: number; readonly height: number },
  frameCount: number,
  { images, layers }: Pick<DocumentParts, 'images' | 'layers'>,
): DocumentParts {
  const fonts = FONTS.map((font) => ({ name: font, family: 'Cairo', style: font.slice('Cairo-'.length) }));
  return { name, ...size, fps: 30, frameCount, fonts, colors: [paper, ink], images, compositions: [], layers };
}

function manifestOf(editables: readonly string[]): string {
  const colors = [
    'c_01: { label: Background, kind: color, required: false',
    'c_02: { label: Text, kind: color, required: false',
  ];
  const lines = [...editables, ...colors].map((line) => `  ${line}, stillcut: stillcut_01 }\n`);
  return `name: Shop\nstillcuts: { stillcut_01: 0.8 }\ntiming:\n  - { hold: 0.8 }\neditables:\n${lines.join('')}`;
}
