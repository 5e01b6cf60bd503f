import { createColors } from 'picocolors';
import type { Rendering } from '../../lock/lock.ts';
import { escapeControls } from '../wording/escape-controls.ts';
import { placeOfUrl } from '../wording/place-of-url.ts';

/**
 * What `reelform mv` did, and what the next plan makes of it.
 *
 * @param options.isWanted whether a definition has the new id
 * @param options.wasWanted whether one still has the old id
 */
export function movedText(
  from: string,
  to: string,
  options: { readonly color: boolean; readonly isWanted: boolean; readonly wasWanted: boolean },
): string {
  const { bold, green, yellow } = createColors(options.color);
  const told = `${green('✓')} ${escapeControls(from)} is ${bold(escapeControls(to))} now\n`;
  if (options.isWanted) return told;
  const next = options.wasWanted
    ? `The definition still has the id ${escapeControls(from)}: the next plan moves it back, unless it says "id: ${escapeControls(to)}"`
    : `No definition has the id ${escapeControls(to)}: the next plan forgets it`;
  return `${told}${yellow('note')} ${next}\n`;
}

/**
 * What `reelform rm` did.
 *
 * @param options.wanted ids that definitions have
 */
export function forgottenText(
  ids: readonly string[],
  options: { readonly color: boolean; readonly wanted: ReadonlySet<string> },
): string {
  const { green, yellow } = createColors(options.color);
  const lines = ids.map((id) => `${green('✓')} ${escapeControls(id)} is forgotten; its video stays where it is\n`);
  const back = ids.filter((id) => options.wanted.has(id)).map(escapeControls);
  const note = `${yellow('note')} There are definitions for ${back.join(', ')}: the next plan creates what they say\n`;
  return lines.join('') + (back.length > 0 ? note : '');
}

/** What `reelform import` recorded. */
export function importedText(
  id: string,
  { session, video_url }: Rendering,
  options: { readonly color: boolean; readonly isSigned: boolean },
): string {
  const { bold, green, yellow } = createColors(options.color);
  const told = `${green('✓')} ${bold(escapeControls(id))} is what ${escapeControls(session)} rendered: ${placeOfUrl(video_url)}\n`;
  const note = `${yellow('note')} The URL is a signed one: who reads the lockfile has the video, until the URL ends\n`;
  return options.isSigned ? told + note : told;
}
