import type { CatalogueFormat } from '../locales/catalogue.ts';
import { CSV_FORMAT } from './csv-catalogue.ts';
import { PO_FORMAT } from './po-catalogue.ts';
import { XLIFF_FORMAT } from './xliff-catalogue.ts';

/** Returns the format of a catalogue by its extension; null if it is not known. Import this module lazily: it loads parsers. */
export function formatOf(file: string): CatalogueFormat | null {
  if (/\.pot?$/i.test(file)) return PO_FORMAT;
  if (/\.(?:xlf|xliff)$/i.test(file)) return XLIFF_FORMAT;
  return /\.[ct]sv$/i.test(file) ? CSV_FORMAT : null;
}
