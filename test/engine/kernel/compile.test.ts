import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

test('compileKernel() gives the text that is checked in', async () => {
  const path = new URL('../../../src/engine/kernel/', import.meta.url);
  const { compileKernel } = (await import(new URL('compile.mjs', path).href)) as { compileKernel(): Promise<string> };
  expect(await compileKernel()).toBe(await readFile(new URL('rgba-to-i420.wasm.ts', path), 'utf8'));
});
