import { escapeControls } from '../wording/escape-controls.ts';

/** Text as it may stand in an element or in a quoted attribute. What commands a terminal or turns the line is shown by its code. */
export function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`);
}
