import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createCanvas, loadImage } from '@napi-rs/canvas';
import { expect, it } from 'vitest';
import { readPreview } from '../../../src/report/preview/read-preview.ts';
import { CONFIG, definition, makeRepository } from '../../support/repository.ts';
import { reelform } from '../../support/test-io.ts';

const LOCALES = 'locales: {source: en, targets: [de, ja]}\n';
const GERMAN = `msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8"

msgctxt "rome#@title"
msgid "Rome"
msgstr "Rom"

msgctxt "rome#t_01"
msgid "Rome"
msgstr "Rom"
`;

/** Returns the lines of an image with pixels in the colour of changed videos. */
async function amberLines(bytes: Uint8Array): Promise<number[]> {
  const image = await loadImage(bytes);
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  const isAmber = (at: number): boolean => {
    return Math.abs(data[at]! - 235) < 12 && Math.abs(data[at + 1]! - 179) < 12 && Math.abs(data[at + 2]! - 64) < 24;
  };
  return Array.from({ length: image.height }, (_, line) => line).filter((line) => {
    return Array.from({ length: image.width }, (_, x) => (line * image.width + x) * 4).some(isAmber);
  });
}

it('draws the locales and variants of a changed definition as one picture, in the folder, the page and the comment', async () => {
  const root = makeRepository({
    'reelform.yaml': `${CONFIG}${LOCALES}`,
    'videos/rome.yaml': `${definition('Rome')}locales: all\nvariants: {night: {resources: {c_01: "#202040"}}, day: {}}\n`,
    'locales/de.po': GERMAN,
  });
  const run = async (...args: string[]) => {
    const ran = await reelform(root, args, { now: Date.now });
    if (ran.exitCode !== 0) throw new Error(ran.stderr + ran.stdout);
    return ran.stdout;
  };
  await run('apply', '--auto-approve');
  const catalogue = join(root, 'locales/de.po');
  writeFileSync(catalogue, readFileSync(catalogue, 'utf8').replaceAll('"Rom"', '"Roma!"'));
  const flags = ['plan', '--preview', 'stills', '--preview-dir', 'looks'];
  const page = await run(...flags, '--format', 'html');
  const { matrices, videos } = await readPreview(join(root, 'looks'));
  expect([...videos.keys()]).toEqual(['rome/day/de', 'rome/night/de']);
  const [sheet, ...others] = matrices;
  expect(others).toEqual([]);
  expect(sheet).toMatchObject({ definition: 'rome', hidden: 0 });
  const { bytes, width, height } = sheet!.image!;
  expect(page).toContain('<summary>Contact sheet of rome</summary>');
  expect(page).toContain(Buffer.from(bytes).toString('base64'));
  // English (up to date), German (changed) and Japanese (waiting) are above each other; only the German pictures have a frame.
  const marked = await amberLines(bytes);
  expect(marked.length).toBeGreaterThan(height / 6);
  expect([marked[0]! > height / 4, marked.at(-1)! < (height * 3) / 4]).toEqual([true, true]);
  expect(width).toBeLessThan(1400);
  const markdown = await run(...flags, '--markdown');
  // Nothing was published.
  expect(markdown).not.toContain('<img');
});
