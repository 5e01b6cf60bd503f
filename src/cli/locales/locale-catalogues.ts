import {
  type Diagnostic,
  errorAt,
  hasErrors,
  ReelformError,
  type Span,
  sortDiagnostics,
  startOf,
} from '../../kernel/diagnostic.ts';
import { writeUnits } from '../../reconciler/catalogues/catalogue-formats.ts';
import { unreadable } from '../../reconciler/definition/definition-file.ts';
import type { FoundText } from '../../reconciler/definition/translate-definition.ts';
import type { Catalogue, CatalogueUnit, LocaleCatalogue, LocatedText } from '../../reconciler/locales/catalogue.ts';
import { catalogueFile, type LocaleSettings } from '../../reconciler/locales/locale-settings.ts';
import { readCatalogue } from '../../reconciler/project/catalogue-reader.ts';
import { loadProject, type Project } from '../../reconciler/project/load-project.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { indexPositions } from '../../report/json/diagnostics-json.ts';
import { unusedCatalogues } from './unused-catalogues.ts';

/** The languages of a repository, with its texts and catalogues. */
export interface LocaleCatalogues {
  readonly project: Project;
  readonly settings: LocaleSettings;
  readonly catalogues: readonly LocaleCatalogue[];
  /** Of the definitions and of the catalogues. */
  readonly diagnostics: readonly Diagnostic[];
  /** A definition has a mistake, so that its texts may not be known: none of a catalogue counts as unused. */
  readonly keepsUnused: boolean;
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
  const found = new Map<string, FoundText[]>();
  const onText = (text: FoundText): void => {
    const ofLocale = found.get(text.locale);
    if (ofLocale === undefined) found.set(text.locale, [text]);
    else ofLocale.push(text);
  };
  const known = new Map<string, Catalogue | null>();
  const onCatalogue = (file: string, catalogue: Catalogue | null): void => void known.set(file, catalogue);
  // What is not translated is no mistake here, whatever reelform.yaml says.
  const project = await loadProject({ cwd, onText, onCatalogue, missing });
  const settings = project.config.locales;
  if (settings === null && !hasErrors(project.diagnostics)) {
    const hint = 'Add to it: locales: {source: en, targets: [de, fr]}';
    throw new ReelformError('locales_missing', 'reelform.yaml has no "locales"', { hint });
  }
  const files = new RepositoryFiles(project.root);
  const diagnostics: Diagnostic[] = [...project.diagnostics];
  if (settings !== null) diagnostics.push(...unusedCatalogues(project.root, settings));
  const locate = locator(project);
  const locales = settings === null ? [] : [...(withSource ? [settings.source] : []), ...settings.targets];
  const catalogues = locales.map((locale): LocaleCatalogue => {
    const file = catalogueFile(settings!, locale);
    const wanted = locale === settings!.source ? [...found.values()].flat() : (found.get(locale) ?? []);
    const texts = textsByContext(wanted, locate);
    const read = files.text(file);
    if (!read.ok) {
      const isBroken = read.reason !== 'missing';
      if (isBroken) diagnostics.push(unreadable(file, read.reason, startOf(file)));
      return { locale, file, texts, text: null, units: [], isBroken };
    }
    const catalogue = known.has(file) ? known.get(file)! : readAlone(file, read.text, diagnostics);
    return { locale, file, texts, text: read.text, units: catalogue?.all ?? [], isBroken: catalogue === null };
  });
  return {
    project,
    settings: settings!,
    catalogues,
    diagnostics: sortDiagnostics(diagnostics),
    keepsUnused: hasErrors(project.diagnostics),
    source: (file) => project.source(file) ?? files.source(file),
  };
}

/** Returns a function that names the line of a place: `videos/spring.yaml:12`. */
function locator({ source }: Pick<Project, 'source'>): (at: Span) => string {
  const known = new Map<string, ReturnType<typeof indexPositions>>();
  return ({ file, start }) => {
    const positions = known.get(file) ?? indexPositions(source(file) ?? '');
    known.set(file, positions);
    return `${file}:${positions(start).line}`;
  };
}

/** Returns each text once, the first of a context. */
function textsByContext(found: readonly FoundText[], locate: (at: Span) => string): LocatedText[] {
  const texts = new Map<string, LocatedText>();
  for (const { locale: _, ...text } of found) {
    if (!texts.has(text.context)) texts.set(text.context, { ...text, location: locate(text.at) });
  }
  return [...texts.values()];
}

/** Reads a catalogue that no definition is translated with. @returns null if it has a mistake, which `diagnostics` receives */
function readAlone(file: string, text: string, diagnostics: Diagnostic[]): Catalogue | null {
  const read = readCatalogue(file, text);
  if (!read.ok) diagnostics.push(...read.diagnostics);
  return read.ok ? read.value : null;
}

/** Returns the text of a catalogue with other units. */
export function writtenCatalogue(
  catalogue: LocaleCatalogue,
  units: readonly CatalogueUnit[],
  { source }: LocaleSettings,
): string {
  return writeUnits(catalogue.file, units, { source, target: catalogue.locale }, catalogue.text);
}

/** Returns an error for a locale that is not in reelform.yaml. */
export function unknownLocale(locale: string, { targets }: LocaleSettings): Diagnostic {
  const message = `reelform.yaml has no locale ${JSON.stringify(locale)} to translate to`;
  return errorAt('unknown_locale', undefined, message, `The locales are ${targets.join(', ')}`);
}
