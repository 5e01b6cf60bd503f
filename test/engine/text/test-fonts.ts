import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { SceneFont } from '../../../src/template/scene.ts';

const resolve = createRequire(import.meta.url).resolve;
const read = new Map<string, Uint8Array>();

/** A font file of a @fontsource package: `noto-sans`, `latin` → Noto Sans for Latin letters. */
export function testFont(
  family: string,
  subset: string,
  { name = `${family}-${subset}`, isFallback = true, ending = 'woff2' } = {},
): SceneFont {
  const file = `@fontsource/${family}/files/${family}-${subset}-400-normal.${ending}`;
  const bytes = read.get(file) ?? readFileSync(resolve(file));
  read.set(file, bytes);
  return { name, bytes, isFallback };
}

/** Noto Sans for Latin letters, the font that the texts of these tests name. */
export const LATIN = testFont('noto-sans', 'latin', { name: 'Latin', isFallback: false });

/** One fallback for each writing system. */
export function everyScript(): SceneFont[] {
  return [
    ...['latin-ext', 'cyrillic', 'greek', 'devanagari', 'vietnamese'].map((subset) => testFont('noto-sans', subset)),
    ...['arabic', 'hebrew', 'thai'].map((script) => testFont(`noto-sans-${script}`, script)),
    testFont('noto-sans-kr', 'korean'),
    testFont('noto-sans-jp', 'japanese'),
    testFont('noto-color-emoji', 'emoji', { ending: 'woff' }),
  ];
}
