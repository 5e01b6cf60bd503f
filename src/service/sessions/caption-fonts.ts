import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CAPTION_FONTS } from '../../contract/captions/caption-style.ts';
import type { CaptionFontFiles } from '../../template/bind/bind-captions.ts';

/** Files of the built-in fonts in `fonts/`, in the order in which they are searched for a character. */
const FILES = {
  Inter: ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext', 'vietnamese'],
  Montserrat: ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese'],
  Anton: ['latin', 'latin-ext', 'vietnamese'],
  'Instrument Serif': ['latin', 'latin-ext'],
} as const satisfies Readonly<Record<(typeof CAPTION_FONTS)[number], readonly string[]>>;

let files: CaptionFontFiles | undefined;

/** Reads the built-in fonts of captions once. EDGE. */
export function builtInCaptionFonts(): CaptionFontFiles {
  files ??= new Map(
    Object.entries(FILES).map(([name, subsets]) => [
      name,
      subsets.map((subset) => readFileSync(join(fontsFolder(), `${name.replace(' ', '')}-${subset}.woff2`))),
    ]),
  );
  return files;
}

/** Returns the folder of the fonts: published, they belong to the engine's package; a checkout has them itself. */
function fontsFolder(): string {
  try {
    return dirname(createRequire(import.meta.url).resolve('#engine/fonts/Inter-latin.woff2'));
  } catch {
    return checkoutFonts(import.meta.dirname);
  }
}

function checkoutFonts(folder: string): string {
  const fonts = join(folder, 'fonts');
  if (existsSync(join(fonts, 'Inter-latin.woff2'))) return fonts;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('The folder "fonts" of the package @reelform/engine is missing');
  return checkoutFonts(parent);
}
