/** A text as it stands in HTML, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** A sentence of a description: `code` between backticks. */
export function inlineHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

/** A description: paragraphs between empty lines. */
export function paragraphs(text: string): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => `<p>${inlineHtml(paragraph)}</p>`)
    .join('\n');
}

/** A block of code under a caption. */
export function codeBlock(caption: string, code: string, language: 'json' | 'shell'): string {
  const body = language === 'json' ? highlightJson(code) : highlightShell(code);
  return `<figure class="code"><figcaption>${escapeHtml(caption)}</figcaption><pre tabindex="0"><code>${body}</code></pre></figure>`;
}

function highlightJson(code: string): string {
  return escapeHtml(code).replaceAll(
    /(&quot;(?:[^&\\]|\\.|&(?!quot;))*&quot;)(\s*:)?|\b(true|false|null)\b|(?<![\w.])(-?\d+(?:\.\d+)?)(?![\w.])/g,
    (whole, text: string | undefined, colon: string | undefined, word: string | undefined) => {
      if (text !== undefined)
        return colon === undefined ? `<i class="s">${text}</i>` : `<i class="k">${text}</i>${colon}`;
      return `<i class="${word === undefined ? 'n' : 'w'}">${whole}</i>`;
    },
  );
}

function highlightShell(code: string): string {
  return escapeHtml(code)
    .replaceAll(/^(# .*)$/gm, '<i class="c">$1</i>')
    .replaceAll(/^(curl)\b/gm, '<i class="w">$1</i>')
    .replaceAll(/(?<= )(-[A-Za-z]|--[a-z-]+)(?= )/g, '<i class="k">$1</i>');
}
