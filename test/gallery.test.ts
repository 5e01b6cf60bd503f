import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { beforeAll, describe, expect, it } from 'vitest';
import { galleryDigest, galleryDigests, MAX_GALLERY_BYTES } from '../src/cli/template/gallery.ts';
import { textFindings } from '../src/engine/text/text-findings.ts';
import { templateLengths } from '../src/template/package-timing.ts';
import { parseTemplatePackage } from '../src/template/parse-template-package.ts';
import type { TemplatePackage } from '../src/template/template-package.ts';
import { galleryAnimations } from '../templates/source/gallery/animations.ts';
import { campaignAnimations } from '../templates/source/gallery/campaign.ts';
import { type GalleryExample, readGallery } from '../templates/source/gallery/read-gallery.ts';

const GALLERY = join(import.meta.dirname, '../gallery');
const NAMES = Object.keys(galleryAnimations);

function packageOf(packageFiles: ReadonlyMap<string, Uint8Array>): TemplatePackage {
  const parsed = parseTemplatePackage('', packageFiles);
  if (!parsed.ok) throw new Error(parsed.diagnostics[0]!.message);
  return parsed.value;
}

let examples: GalleryExample[];
beforeAll(async () => {
  examples = await readGallery(GALLERY);
});

const files = fg.sync('**/*', { cwd: GALLERY, ignore: ['renders/**'] });

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
      const { animation, fonts } = await video.renderInput();
      expect(await textFindings(animation, fonts), `${video.name} ${video.language}`).toEqual([]);
    }
  });

  it.each(NAMES)('%s can become longer, which is not part of its style version', (name) => {
    const own = files.filter((path) => path.startsWith(`${name}/`));
    const packageFiles = new Map(
      own.map((path) => [path.slice(name.length + 1), readFileSync(join(GALLERY, path)) as Uint8Array]),
    );
    const timed = packageOf(packageFiles);
    const text = readFileSync(join(GALLERY, name, 'template.yaml'), 'utf8');
    const untimed = packageOf(
      packageFiles.set('template.yaml', Buffer.from(text.replace(/^timing:\n(?: .*\n)+/m, ''))),
    );
    expect([timed.spec.timing, untimed.spec.timing]).toEqual([expect.any(Array), undefined]);
    expect(untimed.spec.id).toBe(timed.spec.id);
    const { maxSeconds } = templateLengths(timed)!;
    expect(maxSeconds ?? Number.POSITIVE_INFINITY).toBeGreaterThan(timed.frameCount / timed.fps);
  });

  it.each(Object.keys(campaignAnimations))('campaign/%s matches its source', (name) => {
    expect(readFileSync(join(GALLERY, 'campaign', name, 'animation.json'), 'utf8')).toBe(campaignAnimations[name]);
  });

  it.each(NAMES)('%s matches its source', (name) => {
    expect(readFileSync(join(GALLERY, name, 'animation.json'), 'utf8')).toBe(galleryAnimations[name]);
  });
});
