import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import fg from 'fast-glob';
import { beforeAll, describe, expect, it } from 'vitest';
import { galleryDigest, galleryDigests, MAX_GALLERY_BYTES } from '../src/cli/template/gallery.ts';
import { inspectPackage } from '../src/engine/inspect/inspect-package.ts';
import { lintScene } from '../src/engine/lint/lint-scene.ts';
import { drawStills } from '../src/engine/stills/draw-stills.ts';
import { textFindings } from '../src/engine/text/text-findings.ts';
import { galleryAnimations } from '../templates/source/gallery/animations.ts';
import { type GalleryExample, readGallery } from '../templates/source/gallery/read-gallery.ts';

const GALLERY = join(import.meta.dirname, '../gallery');
const NAMES = Object.keys(galleryAnimations);

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

describe('the gallery', () => {
  it('has the same templates as its source, and two examples of each', () => {
    const folders = readdirSync(GALLERY).filter((name) => files.includes(`${name}/template.yaml`));
    expect(folders.sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      const languages = examples.filter((one) => one.name === name).map(({ language }) => language);
      expect(languages, name).toContain('en');
      expect(languages.length, name).toBeGreaterThanOrEqual(2);
    }
  });

  it('is known by digests, so that a download can be verified', () => {
    const digestOf = (name: string) => {
      const own = files.filter((path) => path.startsWith(`${name}/`));
      return galleryDigest(
        new Map(own.map((path) => [path.slice(name.length + 1), readFileSync(join(GALLERY, path))])),
      );
    };
    expect(galleryDigests()).toEqual(Object.fromEntries(NAMES.map((name) => [name, digestOf(name)])));
  });

  it(`stays below ${MAX_GALLERY_BYTES / 1e6} MB`, () => {
    const sizes = files.map((path) => statSync(join(GALLERY, path)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_GALLERY_BYTES);
  });

  it('has a showcase of one message in three formats and five languages, without findings', async () => {
    const videos = await readGallery(GALLERY, 'showcase');
    const sizes = new Set(videos.map(({ template }) => template.width / template.height));
    const languages = new Set(videos.map(({ language }) => language));
    expect([sizes.size, languages.size, videos.length]).toEqual([3, 5, 15]);
    for (const video of videos) {
      const { animation, fonts } = await video.scene();
      expect(await textFindings(animation, fonts), `${video.name} ${video.language}`).toEqual([]);
    }
  });

  describe.each(NAMES)('%s', (name) => {
    const own = () => examples.filter((one) => one.name === name);

    it('matches its source', () => {
      expect(readFileSync(join(GALLERY, name, 'animation.json'), 'utf8')).toBe(galleryAnimations[name]);
    });

    it('passes a strict check', async () => {
      const { template } = own()[0]!;
      const paths = files.filter((path) => path.startsWith(`${name}/`)).map((path) => path.slice(name.length + 1));
      const findings = await inspectPackage(template, paths, {
        renderStills: (scene) => drawStills(scene, () => {}),
        lint: lintScene,
      });
      expect(findings).toEqual([]);
    });

    it('has examples of more than one script, whose stills show something', async () => {
      const scripts = new Set<string>();
      for (const example of own()) {
        const text = [...example.texts.values()].join('');
        scripts.add(/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(text) ? 'other' : 'Latin');
        const scene = await example.scene();
        const small = { ...scene, width: 2 * Math.round(scene.width / 6), height: 2 * Math.round(scene.height / 6) };
        for (const { name: still, bytes } of await drawStills(small, () => {})) {
          expect(await colorsOf(bytes), `${example.language} ${still}`).toBeGreaterThan(8);
        }
      }
      expect([...scripts].sort()).toEqual(['Latin', 'other']);
    });

    // The strict check draws the texts of the English example, which are those of the template.
    it('has room for the longest texts in both languages', async () => {
      for (const example of own()) {
        expect(await lintScene(await example.scene(longestTexts(example))), example.language).toEqual([]);
      }
    });
  });
});
