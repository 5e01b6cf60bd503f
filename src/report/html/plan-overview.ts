import type { ChangeDocument, PlanDocument } from '../../plan/plan-document.ts';
import { escapeHtml } from '../wording/display-text.ts';
import { type ChangeGroup, foldChanges, folderOf } from '../wording/fold-changes.ts';
import { groupRowsOf } from '../wording/plan-rows.ts';
import { groupReasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import { diffTable } from './video-card.ts';

/** With more folders than this, parent folders are listed instead. */
const MOST_FOLDERS = 40;
/** Smaller groups are easy to find in the list. */
const LEAST_ALIKE = 3;
const MOST_GROUPS = 10;

/**
 * Renders the overview of a large plan: groups of identical changes, the largest first, and links to the first video of each
 * folder. Empty if there are neither.
 *
 * @param anchorOf returns the anchor of a video's card
 */
export function overviewHtml(document: PlanDocument, anchorOf: (change: ChangeDocument) => string): string {
  const groups = foldChanges(document, true).filter(({ changes }) => changes.length >= LEAST_ALIKE);
  const blocks = groups.slice(0, MOST_GROUPS).map((group) => groupHtml(group, anchorOf(group.changes[0])));
  const alike =
    blocks.length === 0
      ? ''
      : `<section class="alike" aria-label="Videos that change alike">${blocks.join('')}</section>`;
  return alike + foldersHtml(document.changes, anchorOf);
}

function groupHtml({ changes, kind }: ChangeGroup, anchor: string): string {
  const [first] = changes;
  const { action } = first;
  const folder = kind === 'folder' && folderOf(first) !== '' ? ` in <code>${escapeHtml(folderOf(first))}</code>` : '';
  const rows = kind === 'same' ? groupRowsOf(changes) : [];
  const names = rows.length === 0 ? '' : `: ${[...new Set(rows.map(({ name }) => name))].join(', ')}`;
  const words = kind === 'rest' ? 'each in its own way' : escapeHtml(`${groupReasonWords(first)}${names}`);
  const title = `<span class="badge"><span aria-hidden="true">${escapeHtml(SYMBOLS[action])}</span> ${action}</span> <a href="#${anchor}">${countNoun(changes.length, 'video')}</a>${folder} <span class="why">${words}</span>`;
  if (rows.length === 0) return `<p class="${action}">${title}</p>`;
  const table = diffTable(rows, `What changes about ${countNoun(changes.length, 'video')}`);
  return `<details class="${action}"><summary>${title}</summary>${table}</details>`;
}

function foldersHtml(changes: readonly ChangeDocument[], anchorOf: (change: ChangeDocument) => string): string {
  let folders = new Map<string, { first: ChangeDocument; count: number }>();
  for (let depth = 8; depth > 0 && (folders.size === 0 || folders.size > MOST_FOLDERS); depth--) {
    folders = new Map();
    for (const change of changes) {
      const name = folderOf(change).split('/').slice(0, depth).join('/');
      const found = folders.get(name);
      if (found === undefined) folders.set(name, { first: change, count: 1 });
      else found.count += 1;
    }
  }
  if (folders.size < 2) return '';
  const links = [...folders].slice(0, MOST_FOLDERS).map(([name, { first, count }]) => {
    const words = name === '' ? 'at the top' : name;
    return `<li><a href="#${anchorOf(first)}"><bdi>${escapeHtml(words)}</bdi></a> ${formatCount(count)}</li>`;
  });
  return `<nav class="folders" aria-label="Folders"><ul>${links.join('')}</ul></nav>`;
}
