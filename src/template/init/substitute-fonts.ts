/** An open font that replaces a missing font. */
interface Substitute {
  /** Name of the font file in `starter/fonts/`, without extension. */
  readonly name: string;
  /** All characters are as wide as in the missing font. */
  readonly hasSameWidths: boolean;
}

/** Open fonts with the same character widths, by family of the missing font. */
const SAME_WIDTHS: Readonly<Record<string, 'Arimo' | 'Tinos' | 'Cousine'>> = {
  arial: 'Arimo',
  arialmt: 'Arimo',
  helvetica: 'Arimo',
  helveticaneue: 'Arimo',
  liberationsans: 'Arimo',
  timesnewroman: 'Tinos',
  timesnewromanpsmt: 'Tinos',
  timesnewromanps: 'Tinos',
  times: 'Tinos',
  liberationserif: 'Tinos',
  couriernew: 'Cousine',
  couriernewpsmt: 'Cousine',
  courier: 'Cousine',
  liberationmono: 'Cousine',
};

const SERIF =
  /serif|times|georgia|garamond|baskerville|bodoni|caslon|didot|palatino|playfair|merriweather|lora|minion|cambria|century|bookman|rockwell|slab|roman/;
const MONO = /mono|courier|consolas|menlo|code|typewriter|console/;
const BOLD = /bold|black|heavy|demi|impact|anton|bebas/;

/**
 * Chooses an open font to replace a missing font: for common system fonts a font with the same widths, otherwise a font of the
 * same kind (sans serif, serif, monospaced) and weight.
 */
export function substituteFor(font: Readonly<Record<'name' | 'family' | 'style', string>>): Substitute {
  const family = plain(font.family === '' ? font.name.split('-')[0]! : font.family);
  const all = plain(`${font.name} ${font.family} ${font.style}`);
  const same = SAME_WIDTHS[family] ?? SAME_WIDTHS[plain(font.name.split('-')[0]!)];
  const isSerif = SERIF.test(all.replaceAll('sansserif', ''));
  const base = same ?? (MONO.test(all) ? 'Cousine' : isSerif ? 'Tinos' : 'Arimo');
  const weight = BOLD.test(all) ? 'Bold' : 'Regular';
  return { name: `${base}-${weight}`, hasSameWidths: same !== undefined };
}

/** Normalises a font name for comparison across programs. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}
