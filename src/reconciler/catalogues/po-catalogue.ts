import { po } from 'gettext-parser';
import { defined } from '../../kernel/defined.ts';
import { failure, type Result } from '../../kernel/diagnostic.ts';
import type { CatalogueFormat, CatalogueLocales, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';
import { lineSpans } from './line-spans.ts';
import { describeText, readDescription } from './text-notes.ts';

/** A block of a PO file, as gettext-parser reads it. */
interface Block {
  readonly msgctxt?: string;
  readonly msgid: string;
  readonly msgid_plural?: string;
  readonly msgstr: readonly string[];
  readonly comments?: Comments;
}

interface Comments {
  readonly translator?: string;
  readonly reference?: string;
  readonly extracted?: string;
  readonly flag?: string;
  readonly previous?: string;
}

type Section = Record<string, Record<string, Block>>;

interface Table {
  charset: string;
  headers: Record<string, string>;
  translations: Section;
  obsolete?: Section;
}

const MAX_LENGTH_FLAG = /^max-length:(\d+)$/;

/**
 * The PO files of gettext, with `max-length:N` as Weblate reads it.
 *
 * @see https://www.gnu.org/software/gettext/manual/html_node/PO-Files.html
 */
export const PO_FORMAT: CatalogueFormat = {
  read(file, text): Result<readonly LocatedUnit[]> {
    let table: Table;
    try {
      table = parse(text);
    } catch (error) {
      const reason = (error instanceof Error ? error.message : String(error)).replace(/^Error parsing PO data: /, '');
      const message = `${file} is not valid PO: ${reason}`;
      const at = lineSpans(file, text)((error as { readonly lineNumber?: number }).lineNumber ?? 1);
      return failure('catalogue_invalid', at, message, 'Correct the file, or restore it from Git');
    }
    const places = contextPlaces(text);
    const units = [...unitsOf(table.translations, false), ...unitsOf(table.obsolete ?? {}, true)];
    return {
      ok: true,
      value: units.map((unit) => ({ ...unit, at: { file, ...(places.get(unit.context) ?? { start: 0, end: 0 }) } })),
    };
  },

  write(units, locales, former): string {
    const table = former === null ? newTable(locales) : parse(former);
    const header = table.translations['']?.[''];
    table.charset = 'utf-8';
    table.headers['Content-Type'] = 'text/plain; charset=utf-8';
    table.translations = { '': header === undefined ? {} : { '': header } };
    table.obsolete = {};
    for (const unit of units) {
      const section = unit.isObsolete ? table.obsolete : table.translations;
      section[unit.context] = { ...section[unit.context], [unit.source]: blockOf(unit as CatalogueUnit<Block>) };
    }
    return po.compile(table as unknown as Parameters<typeof po.compile>[0]).toString('utf8');
  },
};

function parse(text: string): Table {
  const parsed = (validation: boolean): Table => po.parse(text, { defaultCharset: 'utf-8', validation }) as Table;
  try {
    return parsed(true);
  } catch (error) {
    // gettext-parser takes the names of object properties, such as `constructor`, for texts that are there already.
    const [, duplicate] =
      /^Duplicate msgid error: entry "(\w+)"/.exec(error instanceof Error ? error.message : '') ?? [];
    if (duplicate === undefined || !(duplicate in {})) throw error;
    return parsed(false);
  }
}

function newTable({ target }: CatalogueLocales): Table {
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

function unitsOf(section: Section, isObsolete: boolean): CatalogueUnit<Block>[] {
  const blocks = Object.values(section).flatMap((bySource) => Object.values(bySource));
  return blocks.flatMap((block): CatalogueUnit<Block>[] => {
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

function flagsOf({ flag = '' }: Comments): string[] {
  return flag
    .split(/[,\n]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

function blockOf(unit: CatalogueUnit<Block>): Block {
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

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped.replaceAll('\r', '\\r')}"`;
}

function unquoted(written: string): string {
  const parts = [...written.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, part = '']) => part);
  return parts.join('').replaceAll(/\\(.)/gs, (_, escaped: string) => ESCAPES[escaped] ?? escaped);
}

/** Finds the line of each context. */
function contextPlaces(text: string): Map<string, { start: number; end: number }> {
  const found = [...text.matchAll(/^(?:#~ )?msgctxt ((?:(?:#~ )?"(?:[^"\\\n]|\\.)*"[ \t]*\r?\n)+)/gm)];
  const places = found.map((match) => {
    const { index: start } = match;
    return [unquoted(match[1]!), { start, end: start + (text.slice(start).indexOf('\n') + 1 || 1) - 1 }] as const;
  });
  return new Map(places.reverse());
}
