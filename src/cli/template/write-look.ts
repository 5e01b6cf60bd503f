import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OUTPUTS_FOLDER } from '../../reconciler/lock/lock.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { lookHtml, sampleLabel } from '../../report/html/look-html.ts';
import { drawSamples, type SamplePictures, sampleSheet } from '../../report/preview/sample-sheet.ts';
import type { DrawnLook } from '../../report/terminal/template-text.ts';
import type { RenderPool } from '../../service/sessions/processes/render-pool.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { packageRoot } from '../own-package.ts';

/** Returns the folder for previews, which Git ignores and apply never writes to. */
export function looksFolder(root: string): string {
  return join(root, OUTPUTS_FOLDER, 'looks');
}

/**
 * Draws a template with sample values.
 *
 * @throws RenderError for a package that cannot be drawn
 */
export function drawLook(template: TemplatePackage, pool: Pick<RenderPool, 'run'>): Promise<readonly SamplePictures[]> {
  return drawSamples(template, { compare: (comparison) => pool.run('compare', comparison) });
}

/**
 * Writes `<name>.look.png` and `<name>.look.html` of a template to a folder.
 *
 * @param samples as of `drawLook`
 * @param folder absolute
 * @returns absolute paths
 * @throws RenderError for pictures that cannot be drawn
 */
export async function writeLook(
  name: string,
  samples: readonly SamplePictures[],
  folder: string,
  pool: Pick<RenderPool, 'run'>,
): Promise<DrawnLook> {
  const font = {
    name: 'InstrumentSans-Medium',
    bytes: readFileSync(join(packageRoot(), 'starter/templates/card/fonts/InstrumentSans-Medium.ttf')),
    isFallback: false,
  };
  const [sheet] = await pool.run('stills', sampleSheet(samples, { font, label: sampleLabel }));
  const [image, page] = [join(folder, `${name}.look.png`), join(folder, `${name}.look.html`)];
  await writeFileAtomic(image, sheet!.bytes);
  await writeFileAtomic(page, lookHtml(name, samples));
  return { template: name, image, page, samples: samples.map(({ sample }) => sample) };
}
