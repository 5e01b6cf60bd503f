const JFIF = 0xe0;
const COMMENT = 0xfe;
const PREFIX = 'reelform still ';

/** Returns a JPEG with the digest of what it shows in a comment, so that a later run needs not draw it again. */
export function withStillKey(jpeg: Uint8Array, key: string): Uint8Array {
  const text = Buffer.from(`${PREFIX}${key}`, 'latin1');
  const length = text.length + 2;
  const comment = Buffer.concat([Buffer.from([0xff, COMMENT, length >> 8, length & 0xff]), text]);
  const at = commentOffset(jpeg);
  return Buffer.concat([jpeg.subarray(0, at), comment, jpeg.subarray(at)]);
}

/** Returns the digest in a picture of `withStillKey`; null in any other file. */
export function stillKeyOf(jpeg: Uint8Array): string | null {
  const at = commentOffset(jpeg);
  if (jpeg[at] !== 0xff || jpeg[at + 1] !== COMMENT) return null;
  const length = (jpeg[at + 2]! << 8) | jpeg[at + 3]!;
  const text = Buffer.from(jpeg.subarray(at + 4, at + 2 + length)).toString('latin1');
  return text.startsWith(PREFIX) ? text.slice(PREFIX.length) : null;
}

/** Returns the offset after the header, which JFIF wants first. */
function commentOffset(jpeg: Uint8Array): number {
  return jpeg[2] === 0xff && jpeg[3] === JFIF ? 4 + ((jpeg[4]! << 8) | jpeg[5]!) : 2;
}
