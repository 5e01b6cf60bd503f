import type { MatrixPlace } from './video.ts';

/** The place of a video in a table of its definition. */
export interface TablePlace {
  /** The locale; without locales, the row. */
  readonly line: string;
  /** The variant, after the row if there are both; with locales and without variants, the row. Empty if there is neither. */
  readonly column: string;
}

/** Returns the place of a video in a table with a line for each locale and a column for each variant and row. */
export function tablePlace(id: string, place: MatrixPlace): TablePlace {
  const { variant, locale } = place;
  const row = rowOf(id, place);
  const parts = locale === undefined ? [variant] : [row, variant];
  return { line: locale ?? row, column: parts.filter((part) => part !== undefined && part !== '').join('/') };
}

/** Returns the part of the id that its row gave; empty without rows. */
export function rowOf(id: string, { definition, variant, locale }: MatrixPlace): string {
  const rest = id === definition ? [] : id.slice(definition.length + 1).split('/');
  // With `ids: keep-source`, the id of the source locale does not contain it.
  if (locale !== undefined && rest.at(-1) === locale) rest.pop();
  if (variant !== undefined && rest.at(-1) === variant) rest.pop();
  return rest.join('/');
}
