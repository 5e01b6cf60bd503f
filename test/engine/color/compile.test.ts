import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const path = new URL('../../../src/engine/color/', import.meta.url);

test.each(['rgba-to-i420', 'i420-to-bgra'])('compileKernel() reproduces the committed text of %s', async (name) => {
  const { compileKernel } = (await import(new URL('compile.mjs', path).href)) as {
    compileKernel(kernel: string): Promise<string>;
  };
  expect(await compileKernel(name)).toBe(await readFile(new URL(`${name}.wasm.ts`, path), 'utf8'));
});
