import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImageHeader } from '../../src/engine/images/image-header.ts';
import { keepTextSizes } from '../../src/engine/inspect/keep-text-sizes.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { initPackage, isPackage, type NewPackage } from '../../src/template/init/init-package.ts';
import { usedFonts } from '../../src/template/lottie/slots/lottie-slots.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { LottieDocument, RenderInput } from '../../src/template/render-input.ts';
import { evaluator } from '../support/evaluator.ts';
import { drawInput, inputOf } from './draw-input.ts';
import { comparedFrames } from './measure.ts';
import type { Picture } from './picture-difference.ts';

const { resolve } = createRequire(import.meta.url);
const SHIPPED = join(resolve('lottie-web/package.json'), '../test/animations');
/** A folder of Lotties to compare besides: `REELFORM_LOTTIES=<folder> npm run field -- init-frames`. */
const FOLDERS = [SHIPPED, process.env.REELFORM_LOTTIES].filter((folder) => folder !== undefined);
const FONT = new Uint8Array(readFileSync(resolve('@fontsource/noto-sans/files/noto-sans-latin-400-normal.woff2')));
const MAX_SIDE = 240;

/** Left out unless a folder is named: each takes longer than all others together. */
const LONG = ['lights.json', 'monster.json', 'navidad.json', 'ripple.json'];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json') && (FOLDERS.length > 1 || !LONG.includes(name)))
    .map((name) => ({ name, path: join(folder, name) })),
);

describe('a new template and its source animation', () => {
  it.each(files)('draw the same frames: $name', async ({ path }) => {
    // Fixed texts would keep their outlines, and others be set in the font: glyph-outlines.test.ts compares the outlines.
    const { chars: _, ...animation } = JSON.parse(readFileSync(path, 'utf8')) as LottieDocument;
    for (const colorLayers of [null, 1]) {
      const created = await packageOf(animation, colorLayers);
      if (created === null) continue;
      const parsed = parseTemplatePackage('', created.files);
      if (!parsed.ok) throw new Error(parsed.diagnostics[0]!.message);
      const after = bindMapping(parsed.value, { resources: {} }, new Map());
      const before = await sourceInput(animation, after);
      const frames = comparedFrames(after.animation, 3);
      expect(differing(await draw(before, frames), await draw(after, frames))).toEqual(frames.map(() => 0));
    }
  });
});

/** Makes a package with a font for each missing one; null for an animation without editables or without its images. */
async function packageOf(animation: LottieDocument, colorLayers: number | null): Promise<NewPackage | null> {
  const source = {
    name: 'animation',
    animation,
    files: new Map(),
    furtherAnimations: [],
    readAdjacent: () => null,
    adjacentFonts: [],
    readImage: readImageHeader,
  };
  const created = initPackage(source, { colorLayers, evaluate: await evaluator() });
  if (!isPackage(created) || created.needs.some(({ kind }) => kind !== 'font')) return null;
  const needed = created.needs.map(({ path }) => [path.replace(/ttf$/, 'woff2'), FONT] as const);
  return keepTextSizes({ ...created, files: new Map([...created.files, ...needed]) });
}

/** Returns the input of a source animation with the size, the fonts and the images of its template. */
async function sourceInput(
  animation: LottieDocument,
  { animation: made, images, width, height }: RenderInput,
): Promise<RenderInput> {
  const isScaled = Math.max(animation.w - made.w, animation.h - made.h) > 1;
  const renderInput = await inputOf({ ...animation, ...(isScaled ? {} : { w: made.w, h: made.h }) } as LottieDocument);
  const fonts = usedFonts(animation).map((name) => ({ name, bytes: FONT, isFallback: false }));
  return { ...renderInput, fonts, images, width, height };
}

function draw(renderInput: RenderInput, frames: readonly number[]): Promise<Picture[]> {
  const scale = Math.min(1, MAX_SIDE / Math.max(renderInput.width, renderInput.height));
  const [width, height] = [renderInput.width, renderInput.height].map((side) =>
    Math.max(2, Math.round((side * scale) / 2) * 2),
  );
  return drawInput({ ...renderInput, width: width!, height: height! }, frames);
}

/** Returns the number of pixels in which each frame differs. */
function differing(before: readonly Picture[], after: readonly Picture[]): number[] {
  return before.map(({ rgba }, index) => {
    const [one, other] = [rgba, after[index]!.rgba].map((bytes) => new Uint32Array(bytes.slice().buffer));
    return one!.reduce((count, pixel, at) => count + (pixel === other![at] ? 0 : 1), 0);
  });
}
