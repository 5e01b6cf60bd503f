import { isAbsolute, relative, sep } from 'node:path';

/**
 * The way from a folder to one in it, with `/` and one at its end: `shop/videos/`. Empty where they are the same, where the
 * outer one is not known, and where the other is not in it.
 */
export function folderWithin(outer: string | undefined, inner: string): string {
  if (outer === undefined || outer === '') return '';
  const way = relative(outer, inner);
  if (way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)) return '';
  return `${way.split(sep).join('/')}/`;
}
