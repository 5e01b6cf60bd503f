import { po } from 'gettext-parser';
import { defined } from '../../kernel/defined.ts';
import { failure, type Result } from '../../kernel/diagnostic.ts';
import type { CatalogueFormat, CatalogueLocales, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';
import { doubledTexts } from './doubled-texts.ts';
import { lineSpans } from './line-spans.ts';
import {
  type PoBlock,
  type PoBlocks,
  type PoComments,
  type PoTable,
  quoted,
  readBlocks,
  readHeader,
  textsIn,
  unquoted,
} from './po-blocks.ts';
import { describeText, readDescription } from './text-notes.ts';

const COMMENT_KINDS = ['translator', 'reference', 'extracted', 'flag', 'previous'] as const;
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
      const doubled = reason.startsWith('Duplicate msgid') ? doubledTexts(file, textsIn(file, text)) : [];
      if (doubled.length > 0) return { ok: false, diagnostics: doubled };
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
    // A file without a header gets one.
    table.headers ??= newTable(locales).headers;
    table.headers['Content-Type'] = 'text/plain; charset=utf-8';
    const used = blocksOf(units, false);
    // Writing a block takes ten times as long as reading it, and translators' tools lay out blocks in other ways.
    const present = used.map((written) => (former === null ? null : unchangedText(written, former)));
    const changed = used.filter((_, index) => present[index] === null);
    // gettext-parser writes the blocks of sections in their order, and reads their contexts from the blocks.
    const sections = { '': header === undefined ? {} : { '': header }, units: changed.map(({ block }) => block) };
    const obsolete = { units: blocksOf(units, true).map(({ block }) => block) };
    const written = { ...table, translations: sections, obsolete };
    const text = po.compile(written as unknown as Parameters<typeof po.compile>[0]).toString('utf8');
    if (changed.length === used.length) return text;
    const [head, ...compiled] = text.trimEnd().split('\n\n');
    const inOrder = present.map((block) => block ?? compiled.shift()!);
    return `${[head, ...inOrder, ...compiled].join('\n\n')}\n`;
  },
};

/** Returns the lines of a block in its file; null if the block is new or has changed. */
function unchangedText({ block, raw }: WrittenBlock, former: string): string | null {
  if (raw?.range === undefined || block.msgid !== raw.msgid || block.msgstr[0] !== raw.msgstr[0]) return null;
  const [comments, present] = [block.comments ?? {}, raw.comments ?? {}];
  if (COMMENT_KINDS.some((kind) => comments[kind] !== present[kind])) return null;
  return former.slice(raw.range.start, raw.range.end).trimEnd();
}

interface WrittenBlock {
  readonly block: PoBlock;
  /** As it was read; null for a new one. */
  readonly raw: PoBlock | null;
}

/** Returns the blocks of units, those of a context together; of the same context and source the last. */
function blocksOf(units: readonly CatalogueUnit[], isObsolete: boolean): WrittenBlock[] {
  const byContext = new Map<string, Map<string, WrittenBlock>>();
  for (const unit of units) {
    if (unit.isObsolete !== isObsolete) continue;
    const blocks = byContext.get(unit.context) ?? new Map<string, WrittenBlock>();
    const { raw } = unit as CatalogueUnit<PoBlock>;
    const block = blockOf(unit as CatalogueUnit<PoBlock>);
    byContext.set(unit.context, blocks.set(unit.source, { block, raw }));
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
