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
