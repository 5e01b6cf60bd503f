import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fg from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { lintTexts } from '../../src/engine/lint/lint-texts.ts';
import { MeasuredFrames } from '../../src/engine/lint/measured-frames.ts';
import { loadProject } from '../../src/reconciler/project/load-project.ts';
import { contrastOf, parseRgba } from '../../src/studio/page/color.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import type { TemplatePackage } from '../../src/template/template-package.ts';
import { readGallery } from '../../templates/source/gallery/read-gallery.ts';
import { some } from '../support/full-run.ts';

const ROOT = join(import.meta.dirname, '../..');

function readTemplate(folder: string): TemplatePackage {
  const cwd = join(ROOT, folder);
  const files = fg.sync('**/*', { cwd }).map((path): [string, Uint8Array] => [path, readFileSync(join(cwd, path))]);
  const parsed = parseTemplatePackage(folder, new Map(files));
  if (!parsed.ok) throw new Error(parsed.diagnostics.map(({ message }) => message).join('\n'));
  return parsed.value;
}

async function lowContrasts(renderInput: RenderInput): Promise<unknown[]> {
  const moments = new Map<string, never>();
  return (await lintTexts(renderInput, moments, null, new MeasuredFrames())).filter(
    ({ code }) => code === 'low_contrast',
  );
}

// test/proof/gallery.proof.ts lints the templates of the gallery.
describe('the colours of the examples', () => {
  it.each(some(['templates/launch', 'templates/story', 'starter/templates/card']))(
    '%s has enough contrast',
    async (folder) => {
      expect(await lowContrasts(bindMapping(readTemplate(folder), { resources: {} }, new Map()))).toEqual([]);
    },
  );

  it.each(['launch', 'story'])('the videos of %s have enough contrast', async (folder) => {
    const videos = await readGallery(ROOT, folder);
    expect(videos.length).toBeGreaterThanOrEqual(3);
    for (const video of some(videos)) expect(await lowContrasts(await video.renderInput()), video.language).toEqual([]);
  });

  it('of launch leave a margin to the contrast that the text of the button needs', async () => {
    const { editables } = readTemplate('templates/launch').spec;
    const exampleOf = (key: string): string => (editables[key] as { example_text: string }).example_text;
    const { videos } = await loadProject({ cwd: ROOT });
    const filled = videos
      .map(({ scenes }) => scenes[0]!)
      .filter(({ template }) => template === 'launch')
      .map(({ resources }) => {
        const colors = new Map(
          [...resources].map(([key, resource]) => [key, resource.kind === 'color' ? resource.color : '']),
        );
        return ['c_05', 'c_03'].map((key) => colors.get(key)!);
      });
    expect(filled).toHaveLength(3);
    const colors = [[exampleOf('c_05'), exampleOf('c_03')], ...filled];
    for (const [text, button] of colors) {
      expect(contrastOf(parseRgba(text!)!, parseRgba(button!)!)).toBeGreaterThanOrEqual(3.5);
    }
  });
});
