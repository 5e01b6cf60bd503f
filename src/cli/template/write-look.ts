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

/** Pictures of a template with sample values. */
interface SampledLook {
  readonly samples: readonly SamplePictures[];
  /** The contact sheet as PNG. */
  readonly sheet: Uint8Array;
}

/**
 * Draws a template with sample values, and its contact sheet.
 *
 * @throws RenderError for a package that cannot be drawn
 */
export async function drawLook(template: TemplatePackage, pool: Pick<RenderPool, 'run'>): Promise<SampledLook> {
  // For tasks of one video, of which a process runs two at once.
  const video = Symbol('look');
  const samples = await drawSamples(template, { compare: (comparison) => pool.run('compare', comparison, { video }) });
  const font = {
    name: 'InstrumentSans-Medium',
    bytes: readFileSync(join(packageRoot(), 'starter/templates/card/fonts/InstrumentSans-Medium.ttf')),
    isFallback: false,
  };
  const [sheet] = await pool.run('stills', sampleSheet(samples, { font, label: sampleLabel }));
  return { samples, sheet: sheet!.bytes };
}

/**
 * Writes `<name>.look.png` and `<name>.look.html` of a template to a folder.
 *
 * @param folder absolute
 * @returns absolute paths
 */
export async function writeLook(name: string, { samples, sheet }: SampledLook, folder: string): Promise<DrawnLook> {
  const [image, page] = [join(folder, `${name}.look.png`), join(folder, `${name}.look.html`)];
  await Promise.all([writeFileAtomic(image, sheet), writeFileAtomic(page, lookHtml(name, samples))]);
  return { template: name, image, page, samples: samples.map(({ sample }) => sample) };
}
