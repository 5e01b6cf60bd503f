import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fg from 'fast-glob';
import { freeBuffers } from '../../src/engine/free-buffers.ts';
import { lintInput } from '../../src/engine/lint/lint-input.ts';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { segmentRanges } from '../../src/engine/segments/segment.ts';
import { segmentInput } from '../../src/engine/segments/segment-input.ts';
import { sha256 } from '../../src/kernel/digest.ts';
import { bindMapping } from '../../src/template/bind/bind-mapping.ts';
import { parseTemplatePackage } from '../../src/template/parse-template-package.ts';
import type { RenderInput } from '../../src/template/render-input.ts';

// Runs with the code of other checkouts too, so it imports only what they have had for long.

/** The values of a template. */
export interface TreeRow {
  /** Folder of the template. */
  readonly template: string;
  /** Texts and colours by editable. */
  readonly texts: Readonly<Record<string, string>>;
  /** Paths of images by editable. */
  readonly files: Readonly<Record<string, string>>;
}

/** `lint` returns the findings of a row in their order, `frames` the SHA-256 of the pixels of each frame. */
export interface TreeTask {
  readonly kind: 'lint' | 'frames';
  readonly row: TreeRow;
}

/** An error is compared like any other answer. */
export type TreeAnswer = { readonly items: readonly object[] | readonly string[] } | { readonly error: string };

function inputOf({ template: folder, texts, files }: TreeRow): RenderInput {
  const names = fg.sync('**/*', { cwd: folder });
  const read = new Map(names.map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]));
  const template = parseTemplatePackage('template', read);
  if (!template.ok) throw new Error(template.diagnostics.map(({ message }) => message).join('\n'));
  const resources = Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, { source: { text } }]));
  const fetched = new Map(Object.entries(files).map(([key, path]) => [key, new Uint8Array(readFileSync(path))]));
  return bindMapping(template.value, { resources }, fetched);
}

async function digestsOf(renderInput: RenderInput): Promise<string[]> {
  const digests: string[] = [];
  for (const range of segmentRanges(renderInput)) {
    const rasterizer = await openRasterizer(segmentInput(renderInput, range));
    for (let frame = range.first; frame < range.end; frame++) {
      await rasterizer.prepare(frame);
      digests.push(sha256(rasterizer.draw(frame)));
      freeBuffers();
      await setImmediate();
    }
    rasterizer.close();
  }
  return digests;
}

async function answer({ kind, row }: TreeTask): Promise<TreeAnswer> {
  try {
    const renderInput = inputOf(row);
    return { items: kind === 'lint' ? await lintInput(renderInput) : await digestsOf(renderInput) };
  } catch (error) {
    return { error: String(error) };
  }
}

process.on('message', async (task: TreeTask) => {
  process.send!(await answer(task));
});
