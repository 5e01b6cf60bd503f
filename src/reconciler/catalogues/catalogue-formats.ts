import { type Diagnostic, errorAt, failure, type Result, startOf } from '../../kernel/diagnostic.ts';
import type { CatalogueFormat, CatalogueLocales, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';
import { CSV_FORMAT } from './csv-catalogue.ts';
import { doubledTexts } from './doubled-texts.ts';
import { PO_FORMAT } from './po-catalogue.ts';
import { XLIFF_FORMAT } from './xliff-catalogue.ts';

/** Returns the format of a catalogue by its extension; null if it is not known. Import this module lazily: it loads parsers. */
export function formatOf(file: string): CatalogueFormat | null {
  if (/\.pot?$/i.test(file)) return PO_FORMAT;
  if (/\.(?:xlf|xliff)$/i.test(file)) return XLIFF_FORMAT;
  return /\.[ct]sv$/i.test(file) ? CSV_FORMAT : null;
}

/**
 * Reads the units of a catalogue, and reports what no format may have: no content, the marks of a merge, and a text with two
 * translations. Never throws.
 */
export function readUnits(file: string, text: string): Result<readonly LocatedUnit[]> {
  const format = formatOf(file);
  if (format === null) {
    return failure('catalogue_invalid', startOf(file), `${file} is not a catalogue`, 'Use a .po, .xlf, .xliff or .csv file'); // biome-ignore format: one line
  }
  if (/^\ufeff?\s*$/.test(text)) {
    const hint = 'Restore it from Git, or delete it and run reelform locales extract';
    return failure('catalogue_invalid', startOf(file), `${file} is empty`, hint);
  }
  const conflicts = conflictsIn(file, text);
  if (conflicts.length > 0) return { ok: false, diagnostics: conflicts };
  const read = format.read(file, text);
  const doubled = read.ok ? doubledTexts(file, read.value) : [];
  return doubled.length > 0 ? { ok: false, diagnostics: doubled } : read;
}

/** Writes the units of a catalogue, with the line breaks of its former text. @param former null for a new file */
export function writeUnits(
  file: string,
  units: readonly CatalogueUnit[],
  locales: CatalogueLocales,
  former: string | null,
): string {
  const written = formatOf(file)!.write(units, locales, former);
  return former?.includes('\r\n') ? written.replaceAll(/\r?\n/g, '\r\n') : written;
}

/** Returns an error for each conflict that a merge of Git has left. */
function conflictsIn(file: string, text: string): Diagnostic[] {
  const last = Math.min(text.lastIndexOf('\n======='), text.lastIndexOf('\n>>>>>>> '));
  const marks = last === -1 ? [] : [...text.matchAll(/^<{7} [^\r\n]*/gm)].filter(({ index }) => index < last);
  return marks.map(({ index, 0: mark }) => {
    const at = { file, start: index, end: index + mark.length };
    const hint = 'Keep one of the two sides, and remove the lines with <<<<<<<, ======= and >>>>>>>';
    return errorAt('catalogue_invalid', at, `${file} has a conflict of a merge`, hint);
  });
}
