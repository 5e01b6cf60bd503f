import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { LongRender, LongRenderOptions } from '../support/long-render.ts';
import { count, tell } from '../support/proof.ts';

const SHORT = 7;
const LONG = count(200, 27);
/** Allowed growth of a long video over a short one. */
const GROWTH = 1.2;

/** Below dist/, where the engine finds the files that its processes start from. */
const program = join(import.meta.dirname, `../../dist/proof/memory-${randomUUID()}.mjs`);

beforeAll(() =>
  build({
    entryPoints: [join(import.meta.dirname, '../../bench/memory.ts')],
    outfile: program,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    logLevel: 'warning',
  }),
);
afterAll(() => rm(program, { force: true }));

async function render(scenes: number, isCached: boolean): Promise<LongRender> {
  const options: LongRenderOptions = { scenes, clipMegabytes: null, format: 'mp4', isCached };
  const words = ['--expose-gc', program, '--one', JSON.stringify(options)];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as LongRender;
}

describe.skipIf(process.platform !== 'linux')('the memory of a render', () => {
  test.each([
    ['without a cache', false],
    ['with a segment cache', true],
  ])('does not grow with the length of the video, %s', async (_name, isCached) => {
    const [short, long] = [await render(SHORT, isCached), await render(LONG, isCached)];
    const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
    for (const { seconds, fileBytes, parentBytes, childBytes, treeBytes } of [short, long]) {
      const processes = `${megabytes(parentBytes)} asking, ${megabytes(childBytes)} rendering`;
      tell(`${seconds} s, a file of ${megabytes(fileBytes)}: ${processes}, ${megabytes(treeBytes)} in all processes`);
    }
    expect(long.parentBytes).toBeLessThan(short.parentBytes * GROWTH);
    expect(long.childBytes).toBeLessThan(short.childBytes * GROWTH);
    // Whether the peaks of the two coincide is chance, so their sum is told but not compared.
  });
});
