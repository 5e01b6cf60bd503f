import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { InputFont } from '../../../src/template/render-input.ts';

const require = createRequire(import.meta.url);
const PACKAGES = {
  'noto-sans': require.resolve('@fontsource/noto-sans/package.json'),
  'noto-sans-arabic': require.resolve('@fontsource/noto-sans-arabic/package.json'),
  'noto-sans-hebrew': require.resolve('@fontsource/noto-sans-hebrew/package.json'),
  'noto-sans-devanagari': require.resolve('@fontsource/noto-sans-devanagari/package.json'),
  'noto-sans-thai': require.resolve('@fontsource/noto-sans-thai/package.json'),
  'noto-sans-kr': require.resolve('@fontsource/noto-sans-kr/package.json'),
  'noto-sans-jp': require.resolve('@fontsource/noto-sans-jp/package.json'),
  'noto-color-emoji': require.resolve('@fontsource/noto-color-emoji/package.json'),
} as const;
const read = new Map<string, Uint8Array>();

/** Loads a font file of a @fontsource package: `noto-sans`, `latin` → Noto Sans for Latin letters. */
export function testFont(
  family: keyof typeof PACKAGES,
  subset: string,
  { name = `${family}-${subset}`, isFallback = true, ending = 'woff2' } = {},
): InputFont {
  const file = join(dirname(PACKAGES[family]), 'files', `${family}-${subset}-400-normal.${ending}`);
  const bytes = read.get(file) ?? readFileSync(file);
  read.set(file, bytes);
  return { name, bytes, isFallback };
}

/** Noto Sans for Latin letters, the font of the texts in these tests. */
export const LATIN = testFont('noto-sans', 'latin', { name: 'Latin', isFallback: false });

/** A fallback font for each writing system. */
export function everyScript(): InputFont[] {
  return [
    ...['latin-ext', 'cyrillic', 'greek', 'vietnamese'].map((subset) => testFont('noto-sans', subset)),
    ...(['arabic', 'hebrew', 'thai', 'devanagari'] as const).map((script) => testFont(`noto-sans-${script}`, script)),
    testFont('noto-sans-kr', 'korean'),
    testFont('noto-sans-jp', 'japanese'),
    testFont('noto-color-emoji', 'emoji', { ending: 'woff' }),
  ];
}

/** A variable font with the axis wght from 100 to 900, and the features tnum, liga, frac and others. */
export const VARIABLE: InputFont = {
  name: 'Geist',
  bytes: readFileSync(require.resolve('@fontsource-variable/geist/files/geist-latin-wght-normal.woff2')),
  isFallback: false,
};
