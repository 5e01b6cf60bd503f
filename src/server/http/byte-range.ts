/** Bytes, half-open. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Which part of a file a `Range` header asks for: one range of bytes. Several ranges, another unit and a header that
 * cannot be read ask for the whole file, which a server is free to answer with.
 *
 * @param header the value of `Range`, if there is one
 * @param size of the file, bytes
 * @returns null for the whole file
 * @see RFC 9110, section 14.1.2
 */
export function readByteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (match === null) return null;
  const [, first = '', last = ''] = match;
  if (first === '' && last === '') return null;
  if (first === '') {
    const suffix = Number(last);
    return suffix === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - suffix), end: size };
  }
  const start = Number(first);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) return 'unsatisfiable';
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) };
}
