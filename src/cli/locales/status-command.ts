import { defined } from '../../kernel/defined.ts';
import { EXIT, hasErrors } from '../../kernel/diagnostic.ts';
import { catalogueOf, translationOf } from '../../reconciler/locales/catalogue.ts';
import { type LocaleStatus, statusText } from '../../report/terminal/locales-text.ts';
import { type JsonOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, printResult } from '../output.ts';
import { readCatalogues } from './locale-catalogues.ts';

/** `reelform locales status`: counts and lists the texts that are not translated. */
export async function statusCommand(options: JsonOptions & { readonly verbose?: boolean }, io: Io): Promise<number> {
  const { project, catalogues, diagnostics, source } = await readCatalogues(workingDirectory(options, io));
  printDiagnostics(diagnostics, source, options, io);
  const statuses = catalogues.map((catalogue): LocaleStatus => {
    const { locale, file, texts } = catalogue;
    const read = catalogueOf(file, catalogue.units);
    const open = texts.flatMap(({ context, source: text, location, label }) => {
      const { state } = translationOf(read, context, text);
      return state === 'translated' ? [] : [{ state, context, location, source: text, ...defined({ label }) }];
    });
    const waiting = project.texts.filter((video) => video.locale === locale && video.waits).length;
    const stale = open.filter(({ state }) => state === 'stale').length;
    return { locale, file, texts: texts.length, untranslated: open.length - stale, stale, waiting, open };
  });
  const verbose = options.verbose === true;
  printResult({ format_version: '1.0', locales: statuses }, (style) => statusText(statuses, { ...style, verbose }), options, io); // biome-ignore format: one line
  return hasErrors(diagnostics) ? EXIT.error : EXIT.ok;
}
