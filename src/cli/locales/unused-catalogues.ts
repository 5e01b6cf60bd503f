import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Diagnostic, startOf, warningAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { formatOf } from '../../reconciler/catalogues/catalogue-formats.ts';
import { allLocales, catalogueFile, type LocaleSettings } from '../../reconciler/locales/locale-settings.ts';

/**
 * Returns a warning for each file beside the catalogues that is named as one is, but is not read: its language is not in
 * reelform.yaml, or its name or format differs from `files`. Empty if the name of a file does not have the locale.
 *
 * @param root absolute
 */
export function unusedCatalogues(root: string, settings: LocaleSettings): Diagnostic[] {
  const { dir: folder, name: stem, ext: extension } = posix.parse(settings.files);
  const [before = '', after] = stem.split('{locale}');
  if (after === undefined || folder.includes('{locale}')) return [];
  const fileOf = new Map(allLocales(settings).map((locale) => [locale, catalogueFile(settings, locale)]));
  const read = new Set(fileOf.values());
  return namesIn(join(root, folder)).flatMap((file): Diagnostic[] => {
    const path = posix.join(folder, file);
    const { name, ext } = posix.parse(file);
    if (read.has(path) || formatOf(file) === null || !name.startsWith(before) || !name.endsWith(after)) return [];
    const tag = languageTag(name.slice(before.length, name.length - after.length));
    if (tag === null) return [];
    const catalogue = fileOf.get(tag);
    // A table beside the catalogues may be anything.
    if (catalogue === undefined && ext !== extension) return [];
    const hint =
      catalogue === undefined
        ? `Add ${tag} to "targets" of "locales" in reelform.yaml`
        : `The translations to ${tag} are in ${catalogue}: take these over with reelform locales import ${path}`;
    return [warningAt('catalogue_unused', startOf(path), `${path} is not read`, hint)];
  });
}

/** Returns a language with a code of two or three letters as BCP 47 writes it, such as `de-AT`; null for any other text. */
function languageTag(text: string): string | null {
  if (!/^[a-z]{2,3}(?:[-_]|$)/i.test(text)) return null;
  try {
    return Intl.getCanonicalLocales(text.replaceAll('_', '-'))[0]!;
  } catch {
    return null;
  }
}

/** Returns the names of the files of a folder in order; empty if there is none. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
      .sort(byCodeUnit);
  } catch {
    return [];
  }
}
