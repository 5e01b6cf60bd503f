import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../project/write-file.ts';
import { planHtml } from '../../report/html/plan-html.ts';
import { planJson } from '../../report/json/command-json.ts';
import type { PrintedPlan } from './printed-plan.ts';

/**
 * Writes what a review takes, as a document and as a page, whatever the plan came to: one with mistakes, or one that is
 * denied, wants to be read most. The pictures are there already.
 *
 * @param folder absolute; made where it is not there
 */
export async function writeReport(folder: string, { document, preview }: PrintedPlan): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFileAtomic(join(folder, 'plan.html'), planHtml(document, { preview }));
  await writeFileAtomic(join(folder, 'plan.json'), planJson(document));
}
