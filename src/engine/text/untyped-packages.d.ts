/** Declares the used parts of packages without types. */

declare module 'bidi-js' {
  interface Bidi {
    /** @returns the embedding level of each UTF-16 unit, and the paragraphs found */
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
    /** Returns the next index (UTF-16 units) at which a line may or must end; null after the last. */
    nextBreak(): { readonly position: number; readonly required?: boolean } | null;
  }
  export = LineBreaker;
}

declare module 'wawoff2/decompress.js' {
  /** @throws Error for a file that is not WOFF2 */
  function decompress(bytes: Uint8Array): Promise<Uint8Array>;
  export = decompress;
}
