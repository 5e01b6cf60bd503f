/** What is used of packages that come without types. */

declare module 'bidi-js' {
  interface Bidi {
    /** @returns the embedding level of every UTF-16 unit, and the paragraphs that it found. */
    getEmbeddingLevels(
      text: string,
      baseDirection?: 'ltr' | 'rtl' | 'auto',
    ): { readonly levels: Uint8Array; readonly paragraphs: readonly { readonly level: number }[] };
  }
  const bidiFactory: () => Bidi;
  export = bidiFactory;
}

declare module 'linebreak' {
  class LineBreaker {
    constructor(text: string);
    /** The next place at which a line may or must end, as an index of UTF-16 units; null after the last. */
    nextBreak(): { readonly position: number; readonly required?: boolean } | null;
  }
  export = LineBreaker;
}

declare module 'wawoff2/decompress.js' {
  /** @throws Error for a file that is no WOFF2 */
  function decompress(bytes: Uint8Array): Promise<Uint8Array>;
  export = decompress;
}
