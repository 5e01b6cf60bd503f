import { po } from 'gettext-parser';
import { defined } from '../../kernel/defined.ts';
import { failure, type Result } from '../../kernel/diagnostic.ts';
import type { CatalogueFormat, CatalogueLocales, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';
import { lineSpans } from './line-spans.ts';
import {
  type PoBlock,
  type PoBlocks,
  type PoComments,
  type PoTable,
  quoted,
  readBlocks,
  readHeader,
  unquoted,
} from './po-blocks.ts';
import { describeText, readDescription } from './text-notes.ts';

const MAX_LENGTH_FLAG = /^max-length:(\d+)$/;

/**
 * The PO files of gettext, with `max-length:N` as Weblate reads it.
 *
 * @see https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
 */
export const PO_FORMAT: CatalogueFormat = {
  read(file, text): Result<readonly LocatedUnit[]> {
    let blocks: PoBlocks;
    try {
      blocks = readBlocks(text);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/^Error parsing PO data: /, '');
      const message = `${file} is not valid PO: ${reason}`;
      const at = lineSpans(file, text)((error as { readonly lineNumber?: number }).lineNumber ?? 1);
      return failure('catalogue_invalid', at, message, 'Correct the file, or restore it from Git');
    }
    const { used, obsolete, places } = blocks;
    const units = [...unitsOf(used, false), ...unitsOf(obsolete, true)];
    return {
      ok: true,
      value: units.map((unit) => ({ ...unit, at: { file, ...(places.get(unit.context) ?? { start: 0, end: 0 }) } })),
    };
  },

  write(units, locales, former): string {
    const table = former === null ? newTable(locales) : readHeader(former);
    const header = table.translations['']?.[''];
    table.charset = 'utf-8';
    table.headers['Content-Type'] = 'text/plain; charset=utf-8';
    // gettext-parser writes the blocks of sections in their order, and reads their contexts from the blocks.
    const sections = { '': header === undefined ? {} : { '': header }, units: blocksOf(units, false) };
    const written = { ...table, translations: sections, obsolete: { units: blocksOf(units, true) } };
    return po.compile(written as unknown as Parameters<typeof po.compile>[0]).toString('utf8');
  },
};

/** Returns the blocks of units, those of a context together; of the same context and source the last. */
function blocksOf(units: readonly CatalogueUnit[], isObsolete: boolean): PoBlock[] {
  const byContext = new Map<string, Map<string, PoBlock>>();
  for (const unit of units) {
    if (unit.isObsolete !== isObsolete) continue;
    const blocks = byContext.get(unit.context) ?? new Map<string, PoBlock>();
    byContext.set(unit.context, blocks.set(unit.source, blockOf(unit as CatalogueUnit<PoBlock>)));
  }
  return [...byContext.values()].flatMap((blocks) => [...blocks.values()]);
}

function newTable({ target }: CatalogueLocales): PoTable {
  return {
    charset: 'utf-8',
    headers: {
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Transfer-Encoding': '8bit',
      Language: target.replaceAll('-', '_'),
    },
    translations: {},
  };
}

function unitsOf(blocks: readonly PoBlock[], isObsolete: boolean): CatalogueUnit<PoBlock>[] {
  return blocks.flatMap((block): CatalogueUnit<PoBlock>[] => {
    const { msgctxt: context = '', msgid: source, msgstr, comments = {} } = block;
    if (context === '') return [];
    const flags = flagsOf(comments);
    const maxLength = flags.map((flag) => MAX_LENGTH_FLAG.exec(flag)?.[1]).find((digits) => digits !== undefined);
    return [
      {
        ...readDescription(comments.extracted?.split('\n') ?? []),
        context,
        source,
        target: msgstr[0] ?? '',
        isStale: flags.includes('fuzzy') && (msgstr[0] ?? '') !== '',
        isObsolete,
        raw: block,
        ...defined({
          location: comments.reference,
          maxLength: maxLength === undefined ? undefined : Number(maxLength),
          previous: previousSource(comments.previous),
        }),
      },
    ];
  });
}

function flagsOf({ flag = '' }: PoComments): string[] {
  return flag
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function blockOf(unit: CatalogueUnit<PoBlock>): PoBlock {
  const { raw, context, source, target, isStale, previous, maxLength, location } = unit;
  const {
    extracted: _extracted,
    reference: _reference,
    flag: _flag,
    previous: before,
    ...comments
  } = raw?.comments ?? {};
  const kept = flagsOf(raw?.comments ?? {}).filter((flag) => flag !== 'fuzzy' && !MAX_LENGTH_FLAG.test(flag));
  const flags = [
    ...(isStale ? ['fuzzy'] : []),
    ...kept,
    ...(maxLength === undefined ? [] : [`max-length:${maxLength}`]),
  ];
  const former = previous === undefined ? undefined : `msgctxt ${quoted(context)}\nmsgid ${quoted(previous)}`;
  return {
    ...raw,
    msgctxt: context,
    msgid: source,
    msgstr: [target],
    comments: {
      ...comments,
      ...defined({
        reference: location,
        extracted: describeText(unit).join('\n') || undefined,
        flag: flags.join(', ') || undefined,
        previous: former !== undefined && former === before ? before : former,
      }),
    },
  };
}

/** Reads the former `msgid` of the comments `#|`. */
function previousSource(comment: string | undefined): string | undefined {
  const found = /(?:^|\n)msgid ((?:"(?:[^"\\]|\\.)*"\s*)+)/.exec(comment ?? '');
  return found === null ? undefined : unquoted(found[1]!);
}
