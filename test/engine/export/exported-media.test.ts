import { expect, test } from 'vitest';
import { dataUriTexts } from '../../../src/engine/export/exported-media.ts';
import { TemporaryFile } from '../../../src/kernel/temporary-file.ts';

test.each([0, 1, 500_000, 500_001, 500_002])('dataUriTexts() gives the path of a file of %i bytes', async (size) => {
  const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * 2_654_435_761) >>> 13));
  const file = await TemporaryFile.of(bytes);
  const texts: string[] = [];
  for await (const text of dataUriTexts('audio/mp4', file)) texts.push(text);
  file.close();
  expect(texts.join('') === `data:audio/mp4;base64,${bytes.toString('base64')}`).toBe(true);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(300_000);
});
