import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { pngFile } from '../../src/engine/images/png-file.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';

/** 64 × 36 pixels, 10 frames at 10 fps: a colour, an image and a text. Small enough to render in a test. */
export const SMALL_MANIFEST = `name: Small
stillcuts:
  stillcut_01: 0.5
editables:
  t_01: { label: Headline, kind: text, stillcut: stillcut_01, max_length: 20 }
  c_01: { label: Background, kind: color, stillcut: stillcut_01 }
  (Footage)/USER/photo.png: { label: Photo, kind: image, stillcut: stillcut_01, required: false }
`;

/** A real font, stored under the name in the package. */
export const TEST_FONT = readFileSync(
  join(import.meta.dirname, '../../templates/story/fonts/InstrumentSans-Medium.ttf'),
);

const still = { a: 0 };
const transform = {
  o: { ...still, k: 100 },
  r: { ...still, k: 0 },
  p: { ...still, k: [0, 0, 0] },
  a: { ...still, k: [0, 0, 0] },
  s: { ...still, k: [100, 100, 100] },
};

export function smallAnimation(): LottieDocument {
  const layer = { ip: 0, op: 10, st: 0, sr: 1, bm: 0, ddd: 0, ks: transform };
  return {
    v: '5.11.0',
    fr: 10,
    ip: 0,
    op: 10,
    w: 64,
    h: 36,
    nm: 'small',
    ddd: 0,
    fonts: { list: [{ fName: 'Test-Regular', fFamily: 'Test', fStyle: 'Regular', ascent: 75, origin: 3 }] },
    assets: [{ id: 'photo', w: 16, h: 16, u: 'images/', p: 'photo.png', e: 0, sid: '(Footage)/USER/photo.png' }],
    layers: [
      {
        ...layer,
        ty: 5,
        nm: 'headline',
        ind: 1,
        t: {
          d: { sid: 't_01', k: [{ t: 0, s: { t: 'Hello', f: 'Test-Regular', s: 8, fc: [1, 1, 1], j: 0, lh: 10 } }] },
          p: {},
          m: { g: 1, a: { a: 0, k: [0, 0] } },
          a: [],
        },
      },
      { ...layer, ty: 2, nm: 'photo', ind: 2, refId: 'photo', ks: { ...transform, p: { a: 0, k: [40, 10, 0] } } },
      {
        ...layer,
        ty: 4,
        nm: 'background',
        ind: 3,
        shapes: [
          {
            ty: 'gr',
            it: [
              { ty: 'rc', p: { a: 0, k: [32, 18] }, s: { a: 0, k: [64, 36] }, r: { a: 0, k: 0 } },
              { ty: 'fl', c: { a: 0, k: [0, 0, 1, 1], sid: 'c_01' }, o: { a: 0, k: 100 } },
              { ty: 'tr', ...transform, sk: { a: 0, k: 0 }, sa: { a: 0, k: 0 } },
            ],
          },
        ],
      },
    ],
  };
}

/** Returns a PNG of one colour. */
export function solidPng(color: string, width = 16, height = 16): Uint8Array {
  const row = Buffer.concat([Buffer.alloc(1), Buffer.alloc(width * 3, color.slice(1), 'hex')]);
  return pngFile({
    width,
    height,
    channels: 3,
    data: deflateSync(Buffer.alloc(row.length * height, row)),
    comment: null,
  });
}

/** Returns the files of the small package, with changes. */
export function smallPackageFiles(
  changes: Readonly<Record<string, Uint8Array | string | null>> = {},
): Map<string, Uint8Array> {
  const files: Record<string, Uint8Array | string | null> = {
    'template.yaml': SMALL_MANIFEST,
    'animation.json': JSON.stringify(smallAnimation()),
    'images/photo.png': solidPng('#00ff00'),
    'fonts/Test-Regular.ttf': TEST_FONT,
    ...changes,
  };
  return new Map(
    Object.entries(files).flatMap(([path, content]): [string, Uint8Array][] =>
      content === null ? [] : [[path, typeof content === 'string' ? new TextEncoder().encode(content) : content]],
    ),
  );
}

export function smallPackage(): TemplatePackage {
  const result = parseTemplatePackage('templates/small', smallPackageFiles());
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.value;
}
