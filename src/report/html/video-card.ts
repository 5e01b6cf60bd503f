import type { ChangeDocument } from '../../plan/plan-document.ts';
import type { LeftOut, VideoPreview } from '../../preview/plan-preview.ts';
import { largestShare } from '../markdown-stills.ts';
import { type Row, rowsOf, type Shown } from '../plan-rows.ts';
import { reasonWords, SYMBOLS } from '../plan-words.ts';
import { LEFT_OUT_WORDS } from '../preview-words.ts';
import { showAsOneText, showText, showTexts } from '../show-value.ts';
import type { DiffPart } from '../word-diff.ts';
import { cardStills } from './card-stills.ts';
import { escapeHtml } from './escape-html.ts';

export interface CardParts {
  readonly change: ChangeDocument;
  readonly preview: VideoPreview | undefined;
  /** Why there is no preview; undefined where nobody says. */
  readonly leftOut: LeftOut['reason'] | undefined;
  /** Whether what changed is there to be read at once. */
  readonly isOpen: boolean;
}

/** One video of a plan: what is done and why, what changed about it, and what that looks like. */
export function videoCard({ change, preview, leftOut, isOpen }: CardParts): string {
  const { id, action, title, path } = change;
  const text = escapeHtml([id, title, path ?? '', change.template].join(' ').toLowerCase());
  const share = preview === undefined ? -1 : largestShare(preview);
  const why = [...(path === null ? [] : [path]), reasonWords(change)].map(escapeHtml).join(' · ');
  const missing =
    leftOut === undefined ? '' : `<p class="note">not looked at: ${escapeHtml(LEFT_OUT_WORDS[leftOut])}</p>`;
  return [
    `<article class="card ${action}" data-action="${action}" data-text="${text}" data-share="${share}">`,
    `<div class="top"><span class="badge"><span aria-hidden="true">${escapeHtml(SYMBOLS[action])}</span> ${action}</span>`,
    `<h2 class="id"><bdi>${escapeHtml(id)}</bdi></h2><span class="title"><bdi>${escapeHtml(title)}</bdi></span></div>`,
    `<p class="why">${why}</p>`,
    diffHtml(rowsOf(change), isOpen, id),
    preview === undefined ? missing : cardStills(id, preview),
    '</article>',
  ].join('');
}

function diffHtml(rows: readonly Row[], isOpen: boolean, id: string): string {
  if (rows.length === 0) return '';
  const body = rows.map(rowHtml).join('');
  const hidden = `<caption class="hidden">What changes about ${escapeHtml(id)}</caption>`;
  const table = `<div class="wide"><table>${hidden}<thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${body}</tbody></table></div>`;
  const words = rows.length === 1 ? 'What changes' : `What changes: ${rows.length}`;
  return isOpen ? table : `<details><summary>${words}</summary>${table}</details>`;
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
