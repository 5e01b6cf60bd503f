import type { ChangeDocument } from '../../plan/plan-document.ts';
import type { LeftOut } from '../../preview/plan-preview.ts';
import { escapeHtml } from '../wording/display-text.ts';
import { type DiffRow, type DisplayValue, inputNames, rowsOf } from '../wording/plan-rows.ts';
import { changeSegmentWords, reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { LEFT_OUT_WORDS } from '../wording/preview-words.ts';
import { type DiffPart, showAsOneText, showText, showTexts } from '../wording/text-diff.ts';
import { cardStills, draftsHtml, type EmbeddedVideo } from './preview-html.ts';

/** Renders differences as a table with name, before and after. */
export function diffTable(rows: readonly DiffRow[], caption: string): string {
  const head = '<thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>';
  const title = `<caption class="hidden">${escapeHtml(caption)}</caption>`;
  return `<div class="wide"><table>${title}${head}<tbody>${rows.map(rowHtml).join('')}</tbody></table></div>`;
}

function rowHtml({ name, subject, before, after, isDestination }: DiffRow): string {
  const about = subject === null ? '' : `<br><code>${escapeHtml(subject)}</code>`;
  const [old, now] = sides(before, after);
  const gone =
    isDestination === true && after === null ? '<span class="none">removed; the delivered file remains</span>' : now;
  return `<tr><th scope="row"><bdi>${escapeHtml(name)}</bdi>${about}</th><td>${old}</td><td>${gone}</td></tr>`;
}

function sides(before: DisplayValue | null, after: DisplayValue | null): [string, string] {
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

function sideHtml(shown: DisplayValue | null): string {
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

interface CardParts {
  readonly change: ChangeDocument;
  readonly anchor: string;
  readonly preview: EmbeddedVideo | undefined;
  /** Why there is no preview; undefined if unknown. */
  readonly leftOut: LeftOut['reason'] | undefined;
  /** True if the details are expanded. */
  readonly isOpen: boolean;
}

/** Renders one video of a plan: action, reason, differences and preview. */
export function videoCard({ change, anchor, preview, leftOut, isOpen }: CardParts): string {
  const { id, action, title, path } = change;
  const text = escapeHtml([id, title, path ?? '', change.template].join(' ').toLowerCase());
  const facts = [path ?? '', reasonWords(change), changeSegmentWords([change])];
  const why = facts.flatMap((fact) => (fact === '' ? [] : escapeHtml(fact))).join(' · ');
  return [
    `<article class="card ${action}" id="${anchor}" data-action="${action}" data-text="${text}" data-share="${preview?.share ?? -1}">`,
    `<div class="top"><span class="badge"><span aria-hidden="true">${escapeHtml(SYMBOLS[action])}</span> ${action}</span>`,
    `<h2 class="id"><bdi>${escapeHtml(id)}</bdi></h2><span class="title"><bdi>${escapeHtml(title)}</bdi></span></div>`,
    `<p class="why">${why}</p>`,
    diffHtml(rowsOf(change), isOpen, id),
    preview === undefined ? leftOutHtml(leftOut) : previewHtml(change, preview),
    '</article>',
  ].join('');
}

function leftOutHtml(reason: LeftOut['reason'] | undefined): string {
  return reason === undefined ? '' : `<p class="note">not drawn: ${escapeHtml(LEFT_OUT_WORDS[reason])}</p>`;
}

function previewHtml({ id, inputs }: ChangeDocument, preview: EmbeddedVideo): string {
  const names = inputNames(inputs);
  const { missing } = preview;
  const words = `${missing.join(' and ')} left out: this page would be too large`;
  const note = missing.length === 0 ? '' : `<p class="note">${words}</p>`;
  const stills = cardStills(id, preview, (key) => names.get(key) ?? key);
  return stills + draftsHtml(id, preview, preview.posters) + note;
}

function diffHtml(rows: readonly DiffRow[], isOpen: boolean, id: string): string {
  if (rows.length === 0) return '';
  const table = diffTable(rows, `What changes about ${id}`);
  const words = rows.length === 1 ? 'What changes' : `What changes: ${rows.length}`;
  return isOpen ? table : `<details><summary>${words}</summary>${table}</details>`;
}
