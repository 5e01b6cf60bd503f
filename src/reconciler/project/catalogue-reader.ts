import type { ReadCatalogue } from '../definition/resolve-definitions.ts';
import { catalogueOf } from '../locales/catalogue.ts';
import type { Config } from './config.ts';

/** Parsers of catalogues, which repositories of one language do not load. */
let formats: typeof import('../catalogues/catalogue-formats.ts') | null = null;

/** Loads the parsers of catalogues. Await it before definitions of a repository with `locales` are read. */
export async function loadCatalogueFormats({ locales }: Pick<Config, 'locales'>): Promise<void> {
  if (locales !== null) formats ??= await import('../catalogues/catalogue-formats.ts');
}

/** Reads a catalogue by its extension. */
export const readCatalogue: ReadCatalogue = (file, text) => {
  if (formats === null) throw new Error('Internal error: the parsers of catalogues are not loaded');
  const units = formats.readUnits(file, text);
  return units.ok ? { ok: true, value: catalogueOf(file, units.value) } : units;
};
