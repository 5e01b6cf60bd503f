import { readCsv } from '../definition/read-rows.ts';
import { editRows } from '../definition/write-rows.ts';
import type { CatalogueLocales, LocatedUnit } from '../locales/catalogue.ts';
import { formatOf } from './catalogue-formats.ts';
import { PO_FORMAT } from './po-catalogue.ts';

/** A catalogue with the units that were read from its text. */
interface CatalogueText {
  readonly file: string;
  readonly text: string;
  readonly units: readonly LocatedUnit[];
}

/**
 * Replaces a unit of a catalogue. Everything else of the file keeps its bytes, also where the writer of the format would lay it
 * out in another way.
 *
 * @param index of the former unit
 */
export function editTranslation(
  catalogue: CatalogueText,
  index: number,
  unit: LocatedUnit,
  locales: CatalogueLocales,
): string {
  const { file, text, units } = catalogue;
  const format = formatOf(file)!;
  if (/\.[ct]sv$/i.test(file)) return editedRow(catalogue, unit);
  const written = format.write(units.with(index, unit), locales, text);
  const isPo = format === PO_FORMAT;
  const former = isPo ? poBlock(text, unit.context) : xliffUnit(text, units[index]!);
  const changed = isPo ? poBlock(written, unit.context) : former && nthUnit(written, former.position, text);
  if (former === null || changed === null) return written;
  const lines = changed.block.replaceAll(/\r?\n/g, text.includes('\r\n') ? '\r\n' : '\n');
  return text.slice(0, former.start) + lines + text.slice(former.start + former.block.length);
}

interface Block {
  readonly start: number;
  readonly block: string;
  /** Number of blocks before it. */
  readonly position: number;
}

/** Finds the lines of a unit, which empty lines separate from others. */
function poBlock(text: string, context: string): Block | null {
  const blocks = [...text.matchAll(/(?:^[^\r\n]+(?:\r?\n|$))+/gm)];
  const position = blocks.findIndex(([block]) => {
    const read = block.includes('msgctxt') ? PO_FORMAT.read('', block) : null;
    return read?.ok === true && read.value.some((unit) => unit.context === context && !unit.isObsolete);
  });
  if (position === -1) return null;
  const { index: start, 0: block } = blocks[position]!;
  // Units without an empty line between them are one block here.
  return (block.match(/^msgctxt /gm)?.length ?? 0) === 1 ? { start, block, position } : null;
}

function xliffUnits(text: string): RegExpExecArray[] {
  return [...text.matchAll(/<unit\b[^>]*>[\s\S]*?<\/unit>/g)];
}

function xliffUnit(text: string, { at }: LocatedUnit): Block | null {
  const elements = xliffUnits(text);
  const found = elements.filter(({ index }) => index >= at.start && index <= at.end);
  if (found.length !== 1) return null;
  const { index: start, 0: block } = found[0]!;
  return { start, block, position: elements.indexOf(found[0]!) };
}

/** Finds a unit by its position; null if the texts have different units. */
function nthUnit(written: string, position: number, text: string): Block | null {
  const elements = xliffUnits(written);
  if (elements.length !== xliffUnits(text).length) return null;
  const { index: start, 0: block } = elements[position]!;
  return { start, block, position };
}

/** Changes the cells of a row that the table has columns for. */
function editedRow({ file, text, units }: CatalogueText, unit: LocatedUnit): string {
  const rows = readCsv(file, text);
  const all = rows.ok ? rows.value : [];
  const former = units.find(({ context, isObsolete }) => context === unit.context && !isObsolete);
  const row = all.indexOf(all.find(({ values }) => former !== undefined && isRowOf(values, former))!);
  const state = (all[row]?.values.get('state') ?? '')
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '' && (name !== 'stale' || unit.isStale));
  const cells = Object.entries({
    source: unit.source,
    target: unit.target,
    state: state.join('; '),
    previous: unit.previous ?? '',
  });
  const changed = cells.flatMap(([column, value]) => {
    const present = all[row]?.values.get(column);
    return present === undefined || present === value ? [] : [{ row, column, value }];
  });
  return editRows(text, { cells: changed });
}

function isRowOf(values: ReadonlyMap<string, string>, { context, source, target }: LocatedUnit): boolean {
  return (
    values.get('context') === context &&
    (values.get('source') ?? '') === source &&
    (values.get('target') ?? '') === target
  );
}
