/** Returns a Markdown table. Cells may contain inline Markdown; `|` and `<` outside of code are escaped. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(header), `|${'---|'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}

function cell(text: string): string {
  return escapeHtml(text.replaceAll(/\s+/g, ' ').trim()).replaceAll('|', '\\|');
}

/** Escapes `<` outside of code, so that placeholders such as `<id>` are not read as HTML. */
export function escapeHtml(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((piece) => (piece.startsWith('`') ? piece : piece.replaceAll('<', '&lt;')))
    .join('');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** Begins with a capital letter, unless the text begins with a name such as `mp4`, and ends with a full stop. */
export function sentence(text: string): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  const [first = ''] = trimmed.split(/[\s,;:]/);
  const begun = /^[a-z]+(?:-[a-z]+)*$/.test(first) ? first[0]!.toUpperCase() + trimmed.slice(1) : trimmed;
  return escapeHtml(/[.!?:]$/.test(begun) ? begun : `${begun}.`);
}
