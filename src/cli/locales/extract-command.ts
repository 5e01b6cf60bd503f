import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { defined } from '../../kernel/defined.ts';
import { EXIT, hasErrors } from '../../kernel/diagnostic.ts';
import { mergeTexts } from '../../reconciler/locales/merge-catalogue.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { rewriteTextFile } from '../../reconciler/project/write-file.ts';
import { type ExtractedCatalogue, extractText } from '../../report/terminal/locales-text.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { withRunLock } from '../state/open-lock.ts';
import { type LocaleCatalogues, readCatalogues, writtenCatalogue } from './locale-catalogues.ts';

interface ExtractOptions extends JsonOptions {
  readonly check?: boolean;
  readonly stills?: boolean;
  readonly source?: boolean;
}

/** `reelform locales extract`: writes the texts of all definitions into the catalogues, and keeps the translations. */
export async function extractCommand(options: ExtractOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  if (options.check === true) return extract(directory, options, io);
  return withRunLock(findRoot(directory), io, () => extract(directory, options, io));
}

async function extract(directory: string, options: ExtractOptions, io: Io): Promise<number> {
  const read = await readCatalogues(directory, { withSource: options.source === true });
  const { project, settings, diagnostics, source } = read;
  printDiagnostics(diagnostics, source, options, io);
  // Settings with a mistake name no catalogues.
  if (project.config.locales === null) return EXIT.error;
  // Loads the engine.
  const stills = options.stills === true ? await (await import('./draw-stills.ts')).drawStills(read, io) : null;
  printDiagnostics(stills?.diagnostics ?? [], source, options, io);
  const { extracted, shown } = await writeCatalogues(read, { paths: stills?.paths, isCheck: options.check === true });
  // Pictures of texts that are not known stay.
  const removed =
    stills === null || hasErrors(diagnostics)
      ? 0
      : await (await import('./draw-stills.ts')).removeStills(project.root, settings, shown);
  const pictures = stills && { drawn: stills.drawn, unchanged: stills.unchanged, removed };
  const isCheck = options.check === true;
  printResult(
    {
      format_version: '1.0',
      catalogues: extracted.map(({ isChanged, ...document }) => ({ ...document, changed: isChanged })),
      ...(pictures && { stills: pictures }),
    },
    (style) => extractText(extracted, { ...style, isCheck, stills: pictures }),
    options,
    io,
  );
  if (hasErrors(diagnostics)) return EXIT.error;
  return isCheck && extracted.some(({ isChanged }) => isChanged) ? EXIT.changes : EXIT.ok;
}

/** Brings the files of catalogues up to date with the definitions. */
export async function writeCatalogues(
  { project, settings, catalogues, keepsUnused }: LocaleCatalogues,
  { paths, isCheck }: { readonly paths?: ReadonlyMap<string, string> | undefined; readonly isCheck: boolean },
): Promise<{ readonly extracted: readonly ExtractedCatalogue[]; readonly shown: ReadonlySet<string> }> {
  const extracted: ExtractedCatalogue[] = [];
  const shown = new Set<string>();
  for (const catalogue of catalogues) {
    if (catalogue.isBroken) continue;
    const texts =
      paths === undefined
        ? catalogue.texts
        : catalogue.texts.map((text) => ({ ...text, ...defined({ still: paths.get(text.context) }) }));
    const { units, ...counts } = mergeTexts(catalogue.units, texts, { keepsUnused });
    for (const { still } of units) if (still !== undefined) shown.add(still);
    const { locale, file } = catalogue;
    // A language that no definition has needs no file.
    const text = units.length === 0 && catalogue.text === null ? null : writtenCatalogue(catalogue, units, settings);
    const isChanged = text !== null && text !== catalogue.text;
    if (isChanged && !isCheck) {
      const path = join(project.root, file);
      await mkdir(dirname(path), { recursive: true });
      await rewriteTextFile(path, text);
    }
    extracted.push({ locale, file, texts: texts.length, ...counts, isChanged });
  }
  return { extracted, shown };
}
