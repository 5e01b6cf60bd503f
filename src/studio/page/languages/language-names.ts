const NAMES = new Intl.DisplayNames('en', { type: 'language' });
const RIGHT_TO_LEFT = ['Adlm', 'Arab', 'Hebr', 'Nkoo', 'Rohg', 'Syrc', 'Thaa'];

/** `German` for `de`; the tag for one that the browser does not know. */
export function languageName(locale: string): string {
  return NAMES.of(locale) ?? locale;
}

/** Attributes of an element with text in a language: an empty field has no text to guess the direction from. */
export function languageOf(locale: string): { readonly lang: string; readonly dir: 'ltr' | 'rtl' } {
  const { script = '' } = new Intl.Locale(locale).maximize();
  return { lang: locale, dir: RIGHT_TO_LEFT.includes(script) ? 'rtl' : 'ltr' };
}
