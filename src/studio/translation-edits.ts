import { editYaml } from '../kernel/yaml/edit-yaml.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import { child, textOf } from '../kernel/yaml/tree.ts';
import { readUnits, writeUnits } from '../reconciler/catalogues/catalogue-formats.ts';
import { editTranslation } from '../reconciler/catalogues/edit-translation.ts';
import { readCsv } from '../reconciler/definition/read-rows.ts';
import { nodeAt } from '../reconciler/definition/texts.ts';
import { editRows } from '../reconciler/definition/write-rows.ts';
import type { CatalogueUnit } from '../reconciler/locales/catalogue.ts';
import { mergeTexts } from '../reconciler/locales/merge-catalogue.ts';
import type { FileEdit } from './edit-log.ts';
import type { TranslationRequest } from './language-protocol.ts';
import type { DefinitionLanguages } from './ports.ts';
import { RequestError } from './request-error.ts';

/**
 * Changes a translation in the column of its locale. Everything else of the file keeps its bytes.
 *
 * @param text of the data file, or of the definition that has the row
 * @throws RequestError `conflict` if the file was changed meanwhile
 */
export function editedCell({ source, former, text: value, cell }: CellRequest, text: string): FileEdit {
  const { path, list, row, column, sourceColumn } = cell;
  const readColumn = list === undefined ? cellsOfRow(path, text, row) : valuesOfRow(path, text, [...list, String(row)]);
  if (readColumn(column) !== former || readColumn(sourceColumn) !== source) {
    const hint = 'Reload the page to see it';
    throw new RequestError('conflict', `${path} was changed meanwhile`, { hint });
  }
  const content =
    list === undefined
      ? editRows(text, { cells: [{ row, column, value }] })
      : editYaml(text, [{ path: [...list, String(row), column], value }]);
  return { path, content };
}

type ReadColumn = (column: string) => string | undefined;

function cellsOfRow(path: string, text: string, row: number): ReadColumn {
  const read = readCsv(path, text);
  return (column) => (read.ok ? read.value[row]?.values.get(column) : undefined);
}

/** @param at keys of the row in the definition */
function valuesOfRow(path: string, text: string, at: readonly string[]): ReadColumn {
  const parsed = parseYaml(path, text);
  const row = parsed.ok && parsed.value !== null ? nodeAt(parsed.value, at) : null;
  return (column) => {
    const value = child(row, column);
    return value?.kind === 'scalar' ? (textOf(value) ?? '') : undefined;
  };
}

type CellRequest = TranslationRequest & Required<Pick<TranslationRequest, 'cell'>>;

/**
 * Changes a translation in its catalogue. A text that the catalogue does not have yet is added as `reelform locales extract` adds it.
 *
 * @returns the new content
 * @throws RequestError `not_found`; `conflict` if the file or the text was changed meanwhile
 */
export function editedTranslation(
  { locale, context, source, former, text }: TranslationRequest,
  { settings, catalogues }: Pick<DefinitionLanguages, 'settings' | 'catalogues'>,
): FileEdit {
  const catalogue = catalogues.find((candidate) => candidate.locale === locale);
  const wanted = catalogue?.texts.find((candidate) => candidate.context === context);
  if (catalogue === undefined || wanted === undefined)
    throw new RequestError('not_found', `No definition has the text ${JSON.stringify(context)} in ${locale}`);
  const { file, units } = catalogue;
  const read = catalogue.text === null ? null : readUnits(file, catalogue.text);
  if (read?.ok === false) throw new RequestError('conflict', `${file} cannot be read`, { hint: 'Mend the file first' });
  const index = units.findIndex((unit) => unit.context === context && !unit.isObsolete);
  const present = units[index]?.target ?? '';
  if (wanted.source !== source || present !== former) {
    const hint = `It has ${present === '' ? 'no translation' : JSON.stringify(present)} now. Reload the page to see it`;
    throw new RequestError('conflict', `${file} was changed meanwhile`, { hint });
  }
  const locales = { source: settings.source, target: locale };
  if (catalogue.text !== null && index !== -1) {
    const content = editTranslation({ file, text: catalogue.text, units }, index, translated(units[index]!), locales);
    return { path: file, content };
  }
  // Other texts stay as they are, also those of definitions with mistakes.
  const merged = mergeTexts(units, catalogue.texts, { keepsUnused: true }).units;
  const written = merged.map((unit) => (unit.context === context && !unit.isObsolete ? translated(unit) : unit));
  return { path: file, content: writeUnits(file, written, locales, catalogue.text) };

  function translated<Unit extends CatalogueUnit>(unit: Unit): Unit {
    const { previous: _, ...rest } = unit;
    return { ...rest, source, target: text, isStale: false } as Unit;
  }
}
