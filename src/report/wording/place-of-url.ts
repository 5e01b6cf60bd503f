import { escapeControls } from './escape-controls.ts';

/**
 * A URL as a log may have it: without user, password, query and fragment, which may grant something; `…` stands for each of
 * them.
 */
export function placeOfUrl(url: string): string {
  return escapeControls(url)
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1…@')
    .replace(/([?#]).*$/, '$1…');
}
