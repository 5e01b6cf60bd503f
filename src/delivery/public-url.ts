/**
 * Under which everybody finds a key.
 *
 * @param base with a slash at its end; null where nobody does
 */
export function publicUrlOf(base: string | null, key: string): string | null {
  return base === null ? null : base + key.split('/').map(encodeURIComponent).join('/');
}
