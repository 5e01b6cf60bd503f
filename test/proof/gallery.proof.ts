import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import fg from 'fast-glob';
import { beforeAll, describe, expect, it } from 'vitest';
import { inspectPackage } from '../../src/engine/inspect/inspect-package.ts';
import { lintInput } from '../../src/engine/lint/lint-input.ts';
import { compareStills } from '../../src/engine/stills/compare-stills.ts';
import { drawStills } from '../../src/engine/stills/draw-stills.ts';
import { openFont } from '../../src/engine/text/open-font.ts';
import { galleryAnimations } from '../../templates/source/gallery/animations.ts';
import { type GalleryExample, readGallery } from '../../templates/source/gallery/read-gallery.ts';
import { IS_WHOLE } from '../support/proof.ts';

const GALLERY = join(import.meta.dirname, '../../gallery');
const ALL = Object.keys(galleryAnimations);
const NAMES = ALL.filter((name) => name === 'end-card' || IS_WHOLE);

let examples: GalleryExample[];
beforeAll(async () => {
  examples = await readGallery(GALLERY);
});

const files = fg.sync('**/*', { cwd: GALLERY, ignore: ['renders/**'] });

/** Fills every text to its limit with words of the example. Figures stay as they are, because a limit counts words. */
function longestTexts({ texts, template }: GalleryExample): Map<string, string> {
  const all = [...texts.values()].filter((text) => !isFigure(text)).join(' ');
  const words = [...`${all.replaceAll('\n', ' ')} `];
  return new Map(
    [...texts].map(([key, text]) => {
      const limit = template.spec.editables[key]!.max_length!;
      if (isFigure(text)) return [key, text];
      const characters = Array.from({ length: limit }, (_, index) => words[index % words.length]);
      return [key, characters.join('').trim()];
    }),
  );
}

/** Letters of the waveform and figures of bars and counters. */
function isFigure(text: string): boolean {
  return !/\p{L}/u.test(text) || /^[a-z]{20,}$/.test(text);
}

/** Number of distinct colours among a sparse sample of a picture's pixels. */
async function colorsOf(bytes: Uint8Array): Promise<number> {
  const picture = await loadImage(Buffer.from(bytes));
  const canvas = createCanvas(64, 64);
  const pen = canvas.getContext('2d');
  pen.drawImage(picture, 0, 0, 64, 64);
  return new Set(new Uint32Array(pen.getImageData(0, 0, 64, 64).data.buffer)).size;
}

describe.each(NAMES)('the template %s of the gallery', (name) => {
  const own = () => examples.filter((one) => one.name === name);

  it('passes a strict check', async () => {
    const { template } = own()[0]!;
    const paths = files.filter((path) => path.startsWith(`${name}/`)).map((path) => path.slice(name.length + 1));
    const findings = await inspectPackage(template, paths, {
      renderStills: (renderInput) => drawStills(renderInput, () => {}),
      compare: compareStills,
      lint: lintInput,
      weightOf: openFont,
    });
    expect(findings).toEqual([]);
  });

  it('has examples of more than one script, whose stills show something', async () => {
    const scripts = new Set<string>();
    for (const example of own()) {
      const text = [...example.texts.values()].join('');
      scripts.add(/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text) ? 'other' : 'Latin');
      const renderInput = await example.renderInput();
      const small = {
        ...renderInput,
        width: 2 * Math.round(renderInput.width / 6),
        height: 2 * Math.round(renderInput.height / 6),
      };
      for (const { name: still, bytes } of await drawStills(small, () => {})) {
        expect(await colorsOf(bytes), `${example.language} ${still}`).toBeGreaterThan(8);
      }
    }
    expect([...scripts].sort()).toEqual(['Latin', 'other']);
  });

  // The strict check draws the texts of the English example, which are those of the template.
  it('has room for the longest texts in both languages', async () => {
    for (const example of own()) {
      expect(await lintInput(await example.renderInput(longestTexts(example))), example.language).toEqual([]);
    }
  });
});
