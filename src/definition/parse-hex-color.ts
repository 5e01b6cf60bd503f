/** `#EEADA7` or `eeada7ff` → 6 or 8 upper-case digits; `null` for anything else. */
export function parseHexColor(text: string): string | null {
  return /^#?(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text) ? text.replace('#', '').toUpperCase() : null;
}
