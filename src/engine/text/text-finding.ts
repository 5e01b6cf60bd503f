/** Something about a text that a viewer would notice, told by whoever sets it. */
export interface TextFinding {
  readonly code: 'glyph_missing' | 'text_overflow';
  /** The editable that the text fills (`editable` of the text's node, as `bindMapping` writes it); null for a fixed text. */
  readonly editable: string | null;
  /** The words, with line breaks as `\n`. */
  readonly text: string;
  /** Name of the text's font. */
  readonly font: string;
  /** What has no glyph in any font, each once (grapheme clusters); empty for an overflow. */
  readonly characters: readonly string[];
  /** Of an overflow: how far it goes over the box, as a share of the box's height (or width, where a word is too wide). */
  readonly overflow: number;
}
