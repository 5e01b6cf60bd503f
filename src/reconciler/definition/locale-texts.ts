import { type Diagnostic, type Span, warningAt } from '../../kernel/diagnostic.ts';
import type { VideoId } from './video.ts';

/** Texts and files of a video that its locale does not have. */
export interface LocaleTexts {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Id of the definition: the id of the video without its row, variant and locale. */
  readonly definition: string;
  /** Absent without variants. */
  readonly variant?: string;
  readonly locale: string;
  /** Absent without labels. */
  readonly labels?: Readonly<Record<string, string>>;
  readonly untranslated: number;
  /** Translated texts whose source changed. */
  readonly stale: number;
  /** Columns and files of which another locale's are used. */
  readonly fallbacks: number;
  /** Whether the video is neither rendered nor removed until its texts are translated. */
  readonly waits: boolean;
  /** The first of them. */
  readonly first: MissingText;
}

/** A text or a file that a locale does not have. */
export interface MissingText {
  readonly state: 'untranslated' | 'stale' | 'fallback';
  /** Editable, column or path. */
  readonly name: string;
  /** Locale or column that is used instead. */
  readonly used: string;
  readonly at: Span;
}

/** Returns a warning for each file, font and column that a video takes from another locale. @param missing by what is missing; columns as `${claim} …` */
export function fallbackFindings(missing: ReadonlyMap<string, MissingText>, locale: string): Diagnostic[] {
  return [...missing].flatMap(([key, { state, name, used, at }]) => {
    if (state !== 'fallback') return [];
    const absent = key.startsWith('${') ? `${name}_${locale}` : name;
    const message = `${locale} has no ${absent}; ${used} is used`;
    return [warningAt('locale_fallback', at, message, 'Add it if the locale needs its own')];
  });
}

/** Counts what a video does not have in its locale; null if it has everything. */
export function localeTexts(
  video: Pick<LocaleTexts, 'id' | 'path' | 'definition' | 'variant' | 'locale' | 'labels'>,
  missing: readonly MissingText[],
  waits: boolean,
): LocaleTexts | null {
  const [first] = missing;
  if (first === undefined) return null;
  const count = (state: MissingText['state']): number => missing.filter((text) => text.state === state).length;
  const [untranslated, stale, fallbacks] = [count('untranslated'), count('stale'), count('fallback')];
  return { ...video, untranslated, stale, fallbacks, waits: waits && untranslated + stale > 0, first };
}
