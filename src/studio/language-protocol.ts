/** The languages of a definition: its videos as a table, and its texts with their translations. */
export interface LanguageTable {
  /** Id of the definition. */
  readonly definition: string;
  /** Path of the definition. */
  readonly path: string;
  /** Locale in which the definition is written. */
  readonly source: string;
  /** In the order of reelform.yaml, the source first. */
  readonly locales: readonly string[];
  /** Names of the variants; one empty name without variants. */
  readonly variants: readonly string[];
  /** Ids of its rows; one empty id without rows. */
  readonly rows: readonly string[];
  /** The row that is shown. */
  readonly row: string;
  readonly cells: readonly LanguageCell[];
  readonly texts: readonly LanguageText[];
}

/** A video of the table. */
export interface LanguageCell {
  readonly locale: string;
  readonly variant: string;
  /** Null for a video that waits for translation. */
  readonly id: string | null;
  /** What a video that waits lacks: `2 texts, 1 stale`. Its picture has the texts that are there, and the others in the source language. */
  readonly missing: string | null;
  /** Names the content, as of a `VideoCard`; null if it cannot be drawn here. */
  readonly fingerprint: string | null;
  readonly width: number;
  readonly height: number;
  readonly frameCount: number;
  readonly posterFrame: number;
}

/** A text of the definition. */
export interface LanguageText {
  /** Name of the text in catalogues; `data/products.csv line 3: claim` for a column of a data file. */
  readonly context: string;
  /** Name of the editable in the template, of the property, or of the column. */
  readonly label: string;
  readonly text: string;
  /** Unicode code points. */
  readonly maxLength: number | null;
  /** Lines that its area has room for. */
  readonly lines: number | null;
  /** One for each locale that translates it. */
  readonly translations: readonly LanguageTranslation[];
}

export interface LanguageTranslation {
  readonly locale: string;
  /** Path of the catalogue, or of the data file. */
  readonly file: string;
  readonly text: string;
  /** `stale`: the text changed after it was translated, or a translator marked it. */
  readonly state: 'translated' | 'untranslated' | 'stale';
  /** The text that was translated, if it changed since. */
  readonly previous: string | null;
  /** Where it is seen; null for a text that no frame shows. */
  readonly seen: { readonly variant: string; readonly frame: number } | null;
  /** The cell of the data file that has the text; absent for a text of a catalogue. */
  readonly cell?: TranslationCell;
  /** Why it cannot be edited here; absent if it can. */
  readonly readOnly?: string;
}

/** A cell of a CSV file, or of a row in a definition. */
export interface TranslationCell {
  /** Keys of the list of rows in a definition, from its top; absent for a CSV file. */
  readonly list?: readonly string[];
  /** Counts from 0, without the header. */
  readonly row: number;
  /** `claim_de` */
  readonly column: string;
  /** Column of the text that is translated: `claim`. */
  readonly sourceColumn: string;
}

/** Writes a translation into its catalogue or its data file. */
export interface TranslationRequest {
  readonly definition: string;
  readonly locale: string;
  readonly context: string;
  /** The text that is translated. */
  readonly source: string;
  /** The translation that is replaced. The edit is refused if the file has another by now. */
  readonly former: string;
  /** Empty to remove it. */
  readonly text: string;
  /** Absent for a text of a catalogue. */
  readonly cell?: TranslationCell & { readonly path: string };
}
