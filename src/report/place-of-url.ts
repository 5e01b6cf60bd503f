import { escapeControls } from './escape-controls.ts';

/** A URL as a log may have it: without its query, which may hold a signature; `?…` stands for it. */
export function placeOfUrl(url: string): string {
  return escapeControls(url).replace(/\?.*$/, '?…');
}
