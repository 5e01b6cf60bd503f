import { defined } from '../../kernel/defined.ts';
import type { Span } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import type { LocaleTexts } from '../definition/locale-texts.ts';

/** What the videos of a definition do not have in a locale. */
export interface TextsDocument {
  readonly definition: string;
  /** Path of the definition. */
  readonly path: string;
  readonly locale: string;
  /** Videos that lack something. */
  readonly videos: number;
  /** Of them, those that are neither rendered nor removed until their texts are translated. */
  readonly waiting: number;
  /** Texts and columns of all videos. */
  readonly untranslated: number;
  readonly stale: number;
  readonly fallbacks: number;
  /** The first of them. */
  readonly first: {
    readonly video: string;
    readonly state: LocaleTexts['first']['state'];
    /** Editable, column or path. */
    readonly name: string;
    /** Locale or column that is used instead. */
    readonly used: string;
    readonly file: string;
    /** Absent if the file was not read. */
    readonly line?: number;
  };
}

/** Groups what videos lack by definition and locale. @param lineOf returns the line of a location, if its file was read */
export function textsDocument(
  texts: readonly LocaleTexts[],
  lineOf: (at: Span) => number | undefined,
): TextsDocument[] {
  const groups = groupBy(texts, ({ definition, locale }) => `${definition} ${locale}`);
  const documents = [...groups.values()].map((group): TextsDocument => {
    const sum = (field: 'untranslated' | 'stale' | 'fallbacks'): number =>
      group.reduce((count, video) => count + video[field], 0);
    const [{ definition, path, locale, id, first }] = group;
    const { at, state, name, used } = first;
    return {
      definition,
      path,
      locale,
      videos: group.length,
      waiting: group.filter(({ waits }) => waits).length,
      untranslated: sum('untranslated'),
      stale: sum('stale'),
      fallbacks: sum('fallbacks'),
      first: { video: id, state, name, used, file: at.file, ...defined({ line: lineOf(at) }) },
    };
  });
  return documents.sort((a, b) => byCodeUnit(a.definition, b.definition) || byCodeUnit(a.locale, b.locale));
}
