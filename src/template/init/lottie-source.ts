/** An animation to convert, with its files. */
export interface LottieSource {
  /** File name without extension. */
  readonly name: string;
  /** Parsed JSON of any form. */
  readonly animation: unknown;
  /** Files of the archive by path; empty for a plain JSON file. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Ids of further animations in the archive. */
  readonly furtherAnimations: readonly string[];
  /** Reads a file by its path relative to the source's folder; null if it does not exist. */
  readonly readAdjacent: (path: string) => Uint8Array | null;
  /** Paths of font files and licences next to the source. */
  readonly adjacentFonts: readonly string[];
  /** Names of fonts whose file replaces a missing font; none when absent. */
  readonly substitutes?: ReadonlySet<string>;
  /** Reads type and size from an image's header; undefined for an unsupported type. */
  readonly readImage: (bytes: Uint8Array) => { type: string; width: number; height: number } | undefined;
}

/** A file that the animation refers to and that must be added to the package. */
export interface NeededFile {
  readonly kind: 'font' | 'image' | 'sound';
  readonly name: string;
  /** Expected path, relative to the package's folder. */
  readonly path: string;
  /** Problem of the file that was found; null if none was found. */
  readonly problem: string | null;
}

/** Decodes a `data:` URI; null for other or damaged ones. @see RFC 2397 */
export function readDataUri(uri: string): Uint8Array | null {
  const comma = uri.indexOf(',');
  if (!uri.startsWith('data:') || comma === -1) return null;
  const body = uri.slice(comma + 1);
  try {
    if (!/;base64$/i.test(uri.slice(0, comma))) return new TextEncoder().encode(decodeURIComponent(body));
    const bytes = new Uint8Array(Buffer.from(body, 'base64'));
    return bytes.length === 0 ? null : bytes;
  } catch {
    return null;
  }
}
