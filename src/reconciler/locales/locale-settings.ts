/** What happens to a video of a locale with texts that are not translated. */
export type MissingTexts =
  /** It is neither rendered nor removed: a rendered video stays as it is. */
  | 'skip'
  /** It shows the texts of parent locales, else those of the source locale. */
  | 'fallback'
  /** It is an error of the video. */
  | 'error';

/** `locales` of reelform.yaml. */
export interface LocaleSettings {
  /** Locale in which definitions are written. */
  readonly source: string;
  /** Locales to translate to, in the order of the file, without the source. */
  readonly targets: readonly string[];
  /** Path of the catalogue of a locale, repository-relative, with `{locale}`. */
  readonly files: string;
  readonly missing: MissingTexts;
  /** Columns of data files whose values are in catalogues. */
  readonly columns: readonly string[];
  /** `keep-source`: the ids of videos of the source locale do not contain it. */
  readonly ids: 'all' | 'keep-source';
}

/** Returns all locales, the source first. */
export function allLocales({ source, targets }: Pick<LocaleSettings, 'source' | 'targets'>): string[] {
  return [source, ...targets];
}

/** Returns the path of the catalogue of a locale, repository-relative. */
export function catalogueFile({ files }: Pick<LocaleSettings, 'files'>, locale: string): string {
  return files.replaceAll('{locale}', locale);
}
