import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Diagnostic, EXIT, hasErrors, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { formatOf, readUnits } from '../../reconciler/catalogues/catalogue-formats.ts';
import { importTranslations, mergeTexts } from '../../reconciler/locales/merge-catalogue.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { rewriteTextFile } from '../../reconciler/project/write-file.ts';
import { importText } from '../../report/terminal/locales-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { withRunLock } from '../state/open-lock.ts';
import { readCatalogues, unknownLocale, writtenCatalogue } from './locale-catalogues.ts';

interface ImportOptions extends GlobalOptions {
  readonly locale?: string;
}

/** `reelform locales import FILE`: takes the translations of a file that a translator returned into the catalogue of its locale. */
export async function importCommand(name: string, options: ImportOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  return withRunLock(findRoot(directory), io, () => importFile(name, directory, options, io));
}

async function importFile(name: string, directory: string, options: ImportOptions, io: Io): Promise<number> {
  const { project, settings, catalogues, diagnostics, keepsUnused, source } = await readCatalogues(directory);
  printDiagnostics(diagnostics, source, options, io);
  // Settings with a mistake name no catalogues.
  if (project.config.locales === null) return EXIT.error;
  if (formatOf(name) === null) {
    throw new ReelformError('catalogue_invalid', `${name} is not a catalogue`, { hint: 'Use a .po, .xlf, .xliff or .csv file' }); // biome-ignore format: one error
  }
  const text = await readFile(resolve(directory, name), 'utf8');
  const locale = options.locale ?? localeOf(name, settings.targets);
  const catalogue = catalogues.find((candidate) => candidate.locale === locale);
  if (catalogue === undefined) {
    printDiagnostics([unknownLocale(locale ?? name, settings)], source, options, io);
    return EXIT.error;
  }
  if (catalogue.isBroken) return EXIT.error;
  const read = readUnits(name, text);
  const sourceOf = (file: string): string | undefined => (file === name ? text : source(file));
  if (!read.ok) {
    printDiagnostics(read.diagnostics, sourceOf, options, io);
    return EXIT.error;
  }
  const current = mergeTexts(catalogue.units, catalogue.texts, { keepsUnused });
  const { units, imported, unknown } = importTranslations(current.units, read.value);
  const unused = read.value
    .filter((unit) => unknown.includes(unit))
    .map(({ context, at }): Diagnostic => {
      return warningAt('translation_unused', at, `No definition has the text ${JSON.stringify(context)}`, 'Extract again before you send texts to translators'); // biome-ignore format: one warning
    });
  printDiagnostics(unused, sourceOf, options, io);
  const written = writtenCatalogue(catalogue, units, settings);
  if (written !== catalogue.text) {
    const path = join(project.root, catalogue.file);
    await mkdir(dirname(path), { recursive: true });
    await rewriteTextFile(path, written);
  }
  io.stdout.write(importText({ imported, unknown: unknown.length, file: catalogue.file }));
  return hasErrors(diagnostics) ? EXIT.error : EXIT.ok;
}

/** Returns the locale that a file is named after: `de` of `de.po` and of `olune.de.xlf`. */
function localeOf(name: string, targets: readonly string[]): string | undefined {
  const parts = basename(name).replaceAll('_', '-').split('.');
  return targets.find((locale) => parts.some((part) => part.toLowerCase() === locale.toLowerCase()));
}
