import type { ChangeDocument } from '../../plan/plan-document.ts';
import type { LeftOut } from '../../preview/plan-preview.ts';
import { inputNames, type Row, rowsOf } from '../wording/plan-rows.ts';
import { reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { LEFT_OUT_WORDS } from '../wording/preview-words.ts';
import { draftsHtml } from './card-drafts.ts';
import { cardStills } from './card-stills.ts';
import { diffTable } from './diff-html.ts';
import type { EmbeddedVideo } from './embedded-preview.ts';
import { escapeHtml } from './escape-html.ts';

export interface CardParts {
  readonly change: ChangeDocument;
  /** Of the card, to be jumped to. */
  readonly anchor: string;
  readonly preview: EmbeddedVideo | undefined;
  /** Why there is no preview; undefined where nobody says. */
  readonly leftOut: LeftOut['reason'] | undefined;
  /** Whether what changed is there to be read at once. */
  readonly isOpen: boolean;
}

/** One video of a plan: what is done and why, what changed about it, and what that looks like. */
export function videoCard({ change, anchor, preview, leftOut, isOpen }: CardParts): string {
  const { id, action, title, path } = change;
  const text = escapeHtml([id, title, path ?? '', change.template].join(' ').toLowerCase());
  const why = [...(path === null ? [] : [path]), reasonWords(change)].map(escapeHtml).join(' · ');
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
  return reason === undefined ? '' : `<p class="note">not looked at: ${escapeHtml(LEFT_OUT_WORDS[reason])}</p>`;
}

function previewHtml({ id, inputs }: ChangeDocument, preview: EmbeddedVideo): string {
  const names = inputNames(inputs);
  const { missing } = preview;
  const words = `${missing.join(' and ')} left out: this page would be too large`;
  const note = missing.length === 0 ? '' : `<p class="note">${words}</p>`;
  const stills = cardStills(id, preview, (key) => names.get(key) ?? key);
  return stills + draftsHtml(id, preview, preview.posters) + note;
}

function diffHtml(rows: readonly Row[], isOpen: boolean, id: string): string {
  if (rows.length === 0) return '';
  const table = diffTable(rows, `What changes about ${id}`);
  const words = rows.length === 1 ? 'What changes' : `What changes: ${rows.length}`;
  return isOpen ? table : `<details><summary>${words}</summary>${table}</details>`;
}
