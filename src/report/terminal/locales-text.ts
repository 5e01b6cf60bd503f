import { createColors } from 'picocolors';
import { cutCells, maxWidth, padCells } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';

/** A catalogue after `reelform locales extract`. */
export interface ExtractedCatalogue {
  readonly locale: string;
  readonly file: string;
  readonly texts: number;
  readonly added: number;
  readonly stale: number;
  readonly obsolete: number;
  readonly isChanged: boolean;
}

/** Reports what `reelform locales extract` wrote, or would write. */
export function extractText(
  catalogues: readonly ExtractedCatalogue[],
  {
    color,
    isCheck,
    stills,
  }: { readonly color: boolean; readonly isCheck: boolean; readonly stills: ExtractedStills | null },
): string {
  const { bold, dim } = createColors(color);
  const width = maxWidth(catalogues.map(({ locale }) => locale));
  const lines = catalogues.map(({ locale, file, texts, added, stale, obsolete, isChanged }) => {
    const state = isChanged ? (isCheck ? 'out of date' : 'written') : 'up to date';
    const counts = [
      countNoun(texts, 'text'),
      ...(added === 0 ? [] : [`${added} new`]),
      ...(stale === 0 ? [] : [`${stale} stale`]),
      ...(obsolete === 0 ? [] : [`${obsolete} no longer used`]),
    ];
    return `${bold(padCells(locale, width))}  ${counts.join(', ')}  ${dim(`${escapeControls(file)} ${state}`)}`;
  });
  return `${[...lines, ...(stills === null ? [] : [stillsText(stills)])].join('\n')}\n`;
}

/** Numbers of pictures of texts. */
interface ExtractedStills {
  readonly drawn: number;
  readonly unchanged: number;
  readonly removed: number;
}

function stillsText({ drawn, unchanged, removed }: ExtractedStills): string {
  const rest = [
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
    ...(removed === 0 ? [] : [`${removed} removed`]),
  ];
  return [`${countNoun(drawn, 'picture')} drawn`, ...rest].join(', ');
}

/** The texts of a locale. */
export interface LocaleStatus {
  readonly locale: string;
  readonly file: string;
  readonly texts: number;
  readonly untranslated: number;
  readonly stale: number;
  /** Number of videos that wait for translation. */
  readonly waiting: number;
  readonly open: readonly {
    readonly state: 'untranslated' | 'stale';
    readonly context: string;
    readonly source: string;
    readonly location: string;
    readonly label?: string;
  }[];
}

/** Maximum number of texts listed for a locale. */
const MAX_LISTED = 5;
const MAX_SOURCE = 48;

/** Lists how much of each locale is translated, and the texts that are not. */
export function statusText(
  locales: readonly LocaleStatus[],
  { color, verbose }: { readonly color: boolean; readonly verbose: boolean },
): string {
  const { bold, dim, green, yellow } = createColors(color);
  const width = maxWidth(locales.map(({ locale }) => locale));
  const lines = locales.flatMap(({ locale, texts, untranslated, stale, waiting, open }) => {
    const done = texts - untranslated - stale;
    const counts = [
      `${done} of ${countNoun(texts, 'text')} translated`,
      ...(stale === 0 ? [] : [`${stale} stale`]),
      ...(waiting === 0 ? [] : [`${countNoun(waiting, 'video')} waiting`]),
    ].join(', ');
    const listed = verbose ? open : open.slice(0, MAX_LISTED);
    const hidden = open.length - listed.length;
    return [
      `${bold(padCells(locale, width))}  ${open.length === 0 ? green(counts) : yellow(counts)}`,
      ...listed.map(({ location, context, source, state }) => {
        const text = cutCells(escapeControls(source.replaceAll(/\s+/g, ' ')), MAX_SOURCE);
        return `  ${dim(escapeControls(location))}  ${escapeControls(context)}  ${text}${state === 'stale' ? dim('  stale') : ''}`;
      }),
      ...(hidden > 0 ? [dim(`  and ${countNoun(hidden, 'other text')}; --verbose lists all`)] : []),
    ];
  });
  return `${lines.join('\n')}\n`;
}

/** Reports the translations that `reelform locales import` took. */
export function importText({
  imported,
  unknown,
  file,
}: {
  readonly imported: number;
  readonly unknown: number;
  readonly file: string;
}): string {
  const rest = unknown === 0 ? '' : `, left out ${countNoun(unknown, 'text')} that no definition has`;
  return `Took ${countNoun(imported, 'translation')} into ${escapeControls(file)}${rest}.\n`;
}
