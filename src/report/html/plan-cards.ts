import type { ChangeDocument, PlanDocument } from '../../reconciler/plan/plan-document.ts';
import type { LeftOut } from '../preview/plan-preview.ts';
import { definitionWords } from '../wording/definition-words.ts';
import type { DiffRow, DisplayValue } from '../wording/diff-row.ts';
import { escapeHtml } from '../wording/display-text.ts';
import { type ChangeGroup, foldChanges, folderOf } from '../wording/fold-changes.ts';
import { groupRowsOf, inputNames, rowsOf } from '../wording/plan-rows.ts';
import { changeSegmentWords, groupReasonWords, reasonWords, SYMBOLS } from '../wording/plan-words.ts';
import { LEFT_OUT_WORDS } from '../wording/preview-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import { type DiffPart, showAsOneText, showText, showTexts } from '../wording/text-diff.ts';
import { cardStills, draftsHtml, type EmbeddedVideo } from './preview-html.ts';

/** Renders differences as a table with name, before and after. */
function diffTable(rows: readonly DiffRow[], caption: string): string {
  const head = '<thead><tr><th scope="col">What</th><th scope="col">Before</th><th scope="col">After</th></tr></thead>';
  const title = `<caption class="hidden">${escapeHtml(caption)}</caption>`;
  return `<div class="wide"><table>${title}${head}<tbody>${rows.map(rowHtml).join('')}</tbody></table></div>`;
}

function rowHtml({ name, subject, before, after, isDestination, scene, heading }: DiffRow): string {
  if (heading !== undefined) {
    return `<tr class="scene"><th scope="row"><bdi>${escapeHtml(name)}</bdi></th><td colspan="2">${escapeHtml(heading)}</td></tr>`;
  }
  const about = subject === null ? '' : `<br><code>${escapeHtml(subject)}</code>`;
  const [old, now] = sides(before, after);
  const gone =
    isDestination === true && after === null ? '<span class="none">removed; the delivered file remains</span>' : now;
  return `<tr${scene === undefined ? '' : ' class="in-scene"'}><th scope="row"><bdi>${escapeHtml(name)}</bdi>${about}</th><td>${old}</td><td>${gone}</td></tr>`;
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

/** Renders a video of a plan: action, reason, differences and preview. */
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

/** With more folders than this, parent folders are listed instead. */
const MAX_FOLDERS = 40;
/** Smaller groups are easy to find in the list. */
const MIN_ALIKE = 3;
const MAX_GROUPS = 10;

/**
 * Renders the overview of a large plan: groups of identical changes, the largest first, and links to the first video of each
 * folder. Empty if there are neither.
 *
 * @param anchorOf returns the anchor of a video's card
 */
export function overviewHtml(document: PlanDocument, anchorOf: (change: ChangeDocument) => string): string {
  const groups = foldChanges(document, true).filter(({ changes }) => changes.length >= MIN_ALIKE);
  const blocks = groups.slice(0, MAX_GROUPS).map((group) => groupHtml(group, document, anchorOf(group.changes[0])));
  const alike =
    blocks.length === 0
      ? ''
      : `<section class="alike" aria-label="Videos that change alike">${blocks.join('')}</section>`;
  return alike + foldersHtml(document.changes, anchorOf);
}

function groupHtml(group: ChangeGroup, document: PlanDocument, anchor: string): string {
  const { changes, kind } = group;
  const [first] = changes;
  const { action } = first;
  const folder = kind === 'folder' && folderOf(first) !== '' ? ` in <code>${escapeHtml(folderOf(first))}</code>` : '';
  const rows = kind === 'same' ? groupRowsOf(group) : [];
  const definition =
    kind === 'definition'
      ? ` of <code>${escapeHtml(first.matrix!.definition)}</code> (${definitionWords(document, changes)})`
      : '';
  const names = rows.length === 0 ? '' : `: ${[...new Set(rows.map(({ name }) => name))].join(', ')}`;
  const words = kind === 'rest' ? 'each in its own way' : escapeHtml(`${groupReasonWords(first)}${names}`);
  const title = `<span class="badge"><span aria-hidden="true">${escapeHtml(SYMBOLS[action])}</span> ${action}</span> <a href="#${anchor}">${countNoun(changes.length, 'video')}</a>${folder}${definition} <span class="why">${words}</span>`;
  if (rows.length === 0) return `<p class="${action}">${title}</p>`;
  const table = diffTable(rows, `What changes about ${countNoun(changes.length, 'video')}`);
  return `<details class="${action}"><summary>${title}</summary>${table}</details>`;
}

function foldersHtml(changes: readonly ChangeDocument[], anchorOf: (change: ChangeDocument) => string): string {
  let folders = new Map<string, { first: ChangeDocument; count: number }>();
  for (let depth = 8; depth > 0 && (folders.size === 0 || folders.size > MAX_FOLDERS); depth--) {
    folders = new Map();
    for (const change of changes) {
      const name = folderOf(change).split('/').slice(0, depth).join('/');
      const found = folders.get(name);
      if (found === undefined) folders.set(name, { first: change, count: 1 });
      else found.count += 1;
    }
  }
  if (folders.size < 2) return '';
  const links = [...folders].slice(0, MAX_FOLDERS).map(([name, { first, count }]) => {
    const words = name === '' ? 'at the top' : name;
    return `<li><a href="#${anchorOf(first)}"><bdi>${escapeHtml(words)}</bdi></a> ${formatCount(count)}</li>`;
  });
  return `<nav class="folders" aria-label="Folders"><ul>${links.join('')}</ul></nav>`;
}
