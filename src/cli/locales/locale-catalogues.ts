import { type Diagnostic, errorAt, hasErrors, ReelformError, startOf } from '../../kernel/diagnostic.ts';
import { formatOf } from '../../reconciler/catalogues/catalogue-formats.ts';
import { unreadable } from '../../reconciler/definition/definition-file.ts';
import type { FoundText } from '../../reconciler/definition/translate-definition.ts';
import type { CatalogueUnit, LocaleCatalogue, LocatedText } from '../../reconciler/locales/catalogue.ts';
import { catalogueFile, type LocaleSettings } from '../../reconciler/locales/locale-settings.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { textPosition } from '../../report/json/diagnostics-json.ts';

/** The languages of a repository, with its texts and catalogues. */
export interface LocaleCatalogues {
  readonly project: Project;
  readonly settings: LocaleSettings;
  readonly catalogues: readonly LocaleCatalogue[];
  /** Of the definitions and of the catalogues. */
  readonly diagnostics: readonly Diagnostic[];
  source(file: string): string | undefined;
}

/**
 * Reads the texts of all definitions, and the catalogue of each locale.
 *
 * @param options.withSource true to add the catalogue of the source language, which has all texts and no translation
 * @param options.missing `fallback` also returns videos that wait, with texts of other languages
 * @throws ReelformError `locales_missing`
 */
export async function readCatalogues(
  cwd: string,
  {
    withSource = false,
    missing = 'skip',
  }: { readonly withSource?: boolean; readonly missing?: 'skip' | 'fallback' } = {},
): Promise<LocaleCatalogues> {
  const found: FoundText[] = [];
  // What is not translated is no mistake here, whatever reelform.yaml says.
  const project = await loadProject({ cwd, onText: (text) => found.push(text), missing });
  const settings = project.config.locales;
  if (settings === null && !hasErrors(project.diagnostics)) {
    const hint = 'Add to it: locales: {source: en, targets: [de, fr]}';
    throw new ReelformError('locales_missing', 'reelform.yaml has no "locales"', { hint });
  }
  const files = new RepositoryFiles(project.root);
  const diagnostics: Diagnostic[] = [...project.diagnostics];
  const sources = new Map<string, string | undefined>();
  const lineOf = (file: string, offset: number): number => {
    if (!sources.has(file)) sources.set(file, project.source(file));
    return textPosition(sources.get(file) ?? '', offset).line;
  };
  const locales = settings === null ? [] : [...(withSource ? [settings.source] : []), ...settings.targets];
  const catalogues = locales.map((locale): LocaleCatalogue => {
    const file = catalogueFile(settings!, locale);
    const texts = new Map<string, LocatedText>();
    for (const { locale: tag, ...text } of found) {
      if ((tag !== locale && locale !== settings?.source) || texts.has(text.context)) continue;
      texts.set(text.context, { ...text, location: `${text.at.file}:${lineOf(text.at.file, text.at.start)}` });
    }
    const catalogue = { locale, file, texts: [...texts.values()] };
    const read = files.text(file);
    if (!read.ok) {
      if (read.reason !== 'missing') diagnostics.push(unreadable(file, read.reason, startOf(file)));
      return { ...catalogue, text: null, units: [] };
    }
    const units = formatOf(file)!.read(file, read.text);
    if (!units.ok) diagnostics.push(...units.diagnostics);
    return { ...catalogue, text: read.text, units: units.ok ? units.value : [] };
  });
  return {
    project,
    settings: settings!,
    catalogues,
    diagnostics,
    source: (file) => project.source(file) ?? files.source(file),
  };
}

/** Returns the text of a catalogue with other units. */
export function writtenCatalogue(
  catalogue: LocaleCatalogue,
  units: readonly CatalogueUnit[],
  { source }: LocaleSettings,
): string {
  return formatOf(catalogue.file)!.write(units, { source, target: catalogue.locale }, catalogue.text);
}

/** Returns an error for a locale that is not in reelform.yaml. */
export function unknownLocale(locale: string, { targets }: LocaleSettings): Diagnostic {
  const message = `reelform.yaml has no locale ${JSON.stringify(locale)} to translate to`;
  return errorAt('unknown_locale', undefined, message, `The locales are ${targets.join(', ')}`);
}
