/** An animation to make a package from, and what came with it. */
export interface LottieSource {
  /** What its file is called, without the ending. */
  readonly name: string;
  /** As it was read: any JSON. */
  readonly animation: unknown;
  /** Files of the archive that it came in, by path; none for a plain JSON file. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Ids of other animations of the same archive. */
  readonly others: readonly string[];
  /** A file below the folder in which the source lies, by its path from there; null where there is none. */
  readonly beside: (path: string) => Uint8Array | null;
  /** Paths of the font files and licences beside the source. */
  readonly fontsBeside: readonly string[];
  /** What an image's first bytes say of it; undefined for anything that the renderer does not take. */
  readonly readImage: (bytes: Uint8Array) => { type: string; width: number; height: number } | undefined;
}

/** A file that the animation names, that nobody has, and that a person has to add to the package. */
export interface NeededFile {
  readonly kind: 'font' | 'image' | 'sound';
  /** As the animation calls it. */
  readonly name: string;
  /** Below the package's folder: where it belongs. */
  readonly path: string;
  /** Why what was there is no use; null where nothing was. */
  readonly problem: string | null;
}

/** The bytes of a `data:` URI; null for anything else, and for one that is damaged. @see RFC 2397 */
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
