import { escapeControls } from '../wording/display-text.ts';

/** Escapes text for an element or a quoted attribute. Control characters are shown by their code. */
export function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
