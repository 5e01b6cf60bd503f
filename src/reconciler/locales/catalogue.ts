import type { Result, Span } from '../../kernel/diagnostic.ts';

/** A text to translate, with what a translator has to know. */
export interface SourceText {
  /** Names the text for good: `<video>#<editable>`, `<video>#@title`, `<video>/<row>#${column}`. */
  readonly context: string;
  readonly source: string;
  /** Where it is written: `videos/spring.yaml:12`. */
  readonly location: string;
  /** Name of the editable in the template. */
  readonly label?: string;
  /** Unicode code points. */
  readonly maxLength?: number;
  /** Lines that the editable has room for. */
  readonly lines?: number;
  /** Path of a picture that shows the text, relative to the repository. */
  readonly still?: string;
}

/** A text of a catalogue with its translation. */
export interface CatalogueUnit<Raw = unknown> extends Omit<SourceText, 'location'> {
  readonly location?: string;
  /** Empty without a translation. */
  readonly target: string;
  /** The source changed after the translation was made, or a translator marked it. Counts as not translated. */
  readonly isStale: boolean;
  /** The source that was translated, if it changed. */
  readonly previous?: string;
  /** The text is no longer used. */
  readonly isObsolete: boolean;
  /** The unit as its format has it, so that nothing that we do not know is lost. Null for a new unit. */
  readonly raw: Raw | null;
}

/** A catalogue as a plan reads it. */
export interface Catalogue {
  /** Repository-relative. */
  readonly file: string;
  /** By context, without texts that are no longer used. */
  readonly units: ReadonlyMap<string, LocatedUnit>;
  /** All units in their order. */
  readonly all: readonly LocatedUnit[];
}

export interface LocatedUnit extends CatalogueUnit {
  readonly at: Span;
}

/** Languages of a catalogue, as BCP 47 tags. */
export interface CatalogueLocales {
  readonly source: string;
  readonly target: string;
}

/** A file format of catalogues. */
export interface CatalogueFormat {
  /** Reads all units in their order. Never throws. */
  read(file: string, text: string): Result<readonly LocatedUnit[]>;
  /**
   * Writes units in their order. Keeps what it does not know of the former text.
   *
   * @param former text that the units were read from; null for a new file
   */
  write(units: readonly CatalogueUnit[], locales: CatalogueLocales, former: string | null): string;
}

/** The catalogue of a locale, and the texts that it should have. */
export interface LocaleCatalogue {
  readonly locale: string;
  /** Repository-relative. */
  readonly file: string;
  /** Null if the file does not exist. */
  readonly text: string | null;
  readonly units: readonly LocatedUnit[];
  /** The file exists and has a mistake: its units are not known, and it is not written. */
  readonly isBroken: boolean;
  /** In the order of the definitions, each context once. */
  readonly texts: readonly LocatedText[];
}

export interface LocatedText extends SourceText {
  readonly at: Span;
}

/** The state of a text in a locale. */
export type Translation =
  | { readonly state: 'translated'; readonly text: string; readonly at: Span }
  | { readonly state: 'untranslated' | 'stale' };

/** Returns the translation of a text. A text that differs from that of the catalogue is stale. */
export function translationOf(catalogue: Catalogue | null, context: string, source: string): Translation {
  const unit = catalogue?.units.get(context);
  if (unit === undefined || unit.target === '') return { state: 'untranslated' };
  if (unit.isStale || unit.source !== source) return { state: 'stale' };
  return { state: 'translated', text: unit.target, at: unit.at };
}

/** Groups the used units of a catalogue by context; the first of a context wins. */
export function catalogueOf(file: string, units: readonly LocatedUnit[]): Catalogue {
  const used = units.filter(({ isObsolete }) => !isObsolete).map((unit) => [unit.context, unit] as const);
  return { file, units: new Map(used.reverse()), all: units };
}
