import type { Row, Shown } from '../wording/plan-rows.ts';
import { showAsOneText, showText, showTexts } from '../wording/show-value.ts';
import type { DiffPart } from '../wording/word-diff.ts';
import { escapeHtml } from './escape-html.ts';

/** What changed as a table: names, before, after. @param caption what it is about */
export function diffTable(rows: readonly Row[], caption: string): string {
  const head = '<thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>';
  const title = `<caption class="hidden">${escapeHtml(caption)}</caption>`;
  return `<div class="wide"><table>${title}${head}<tbody>${rows.map(rowHtml).join('')}</tbody></table></div>`;
}

function rowHtml({ name, subject, before, after, isPlace }: Row): string {
  const about = subject === null ? '' : `<br><code>${escapeHtml(subject)}</code>`;
  const [old, now] = sides(before, after);
  const gone = isPlace === true && after === null ? '<span class="none">no longer; what is there stays</span>' : now;
  return `<tr><th scope="row"><bdi>${escapeHtml(name)}</bdi>${about}</th><td>${old}</td><td>${gone}</td></tr>`;
}

function sides(before: Shown | null, after: Shown | null): [string, string] {
  if (before?.kind !== 'text' || after?.kind !== 'text') return [sideHtml(before), sideHtml(after)];
  const parts = showAsOneText(before.text, after.text);
  if (parts === null) {
    const [old, now] = showTexts(before.text, after.text);
    return [wordsHtml(old), wordsHtml(now)];
  }
  return [marked(parts, 'removed', 'del'), marked(parts, 'added', 'ins')];
}

function marked(parts: readonly DiffPart[], kind: DiffPart['kind'], tag: string): string {
  const words = parts
    .filter((part) => part.kind === 'same' || part.kind === kind)
    .map((part) => (part.kind === 'same' ? escapeHtml(part.text) : `<${tag}>${escapeHtml(part.text)}</${tag}>`));
  return `<span dir="auto">${words.join('')}</span>`;
}

function sideHtml(shown: Shown | null): string {
  switch (shown?.kind) {
    case undefined:
      return '<span class="none">none</span>';
    case 'text':
      return wordsHtml(showText(shown.text));
    case 'name':
      return `<code>${escapeHtml(shown.name)}</code>`;
    case 'color':
      return `<svg class="swatch" width="13" height="13" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="#${shown.color}"/></svg><code>#${shown.color}</code>`;
  }
}

function wordsHtml(words: string): string {
  return `<span dir="auto">${escapeHtml(words)}</span>`;
}
