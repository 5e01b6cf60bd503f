import { readFileSync } from 'node:fs';
import type { CAPTION_FONTS } from '../../contract/captions/caption-style.ts';
import { engineAsset } from '../../engine/built-file.ts';
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
      subsets.map((subset) =>
        readFileSync(engineAsset(import.meta.url, `fonts/${name.replace(' ', '')}-${subset}.woff2`)),
      ),
    ]),
  );
  return files;
}
