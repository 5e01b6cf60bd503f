import { createHash } from 'node:crypto';
import type { ChangeDocument, PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { formatLocation, type JsonDiagnostic, problemsOf } from '../json/diagnostics-json.ts';
import type { PlanPreview } from '../preview/plan-preview.ts';
import { escapeHtml, sentence } from '../wording/display-text.ts';
import { leftOutGroups, leftOutWords, waitingGroups, waitingWords } from '../wording/left-out-words.ts';
import {
  countWords,
  emptyWords,
  estimateWords,
  hasChanges,
  incompleteWords,
  restoreGroups,
  restoreWords,
  type VideoGroup,
  withoutRestores,
} from '../wording/plan-words.ts';
import { hiddenWords, matrixAlt } from '../wording/preview-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import { textGroups, textWords } from '../wording/text-words.ts';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE, PLAIN_STYLE } from './page-style.ts';
import { overviewHtml, videoCard } from './plan-cards.ts';
import { embeddedPreview, imageHtml } from './preview-html.ts';

/** With more videos than this, details are collapsed. */
const MAX_OPEN = 40;

/**
 * Renders a plan as a self-contained page: summary, a card per video with its differences and, with a preview, stills and
 * drafts. The page makes no network requests, and its content security policy allows only its own script, by digest.
 */
export function planHtml(plan: PlanDocument, options: { readonly preview?: PlanPreview | null } = {}): string {
  const { preview = null } = options;
  const problems = problemsOf(plan);
  const document = withoutRestores(plan);
  const reasons = new Map(preview?.leftOut.map(({ id, reason }) => [id, reason]));
  const { changes } = document;
  const isOpen = changes.length <= MAX_OPEN;
  const embedded = preview === null ? null : embeddedPreview(preview);
  const anchors = new Map(changes.map(({ id }, index) => [id, `video-${index + 1}`]));
  const anchorOf = ({ id }: ChangeDocument): string => anchors.get(id)!;
  const cards = changes.map((change) => {
    const { id } = change;
    return videoCard({
      change,
      anchor: anchorOf(change),
      preview: embedded?.get(id),
      leftOut: reasons.get(id),
      isOpen,
    });
  });
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${escapeHtml(leadOf(plan, problems))} · Reelform plan</title>`,
    `<style>${PAGE_STYLE}</style>`,
    `<noscript><style>${PLAIN_STYLE}</style></noscript>`,
    '</head>',
    '<body data-view="side">',
    `<header><h1>Reelform plan</h1>${headHtml(plan, problems)}</header>`,
    '<main>',
    isOpen ? '' : overviewHtml(document, anchorOf),
    sheetHtml(preview),
    ...matricesHtml(preview),
    barHtml(plan, preview),
    '<p id="count" role="status"></p>',
    `<div id="videos">${cards.join('\n')}</div>`,
    groupsHtml(restoreWords(plan), restoreGroups(plan)),
    groupsHtml(waitingWords(plan), waitingGroups(plan)),
    groupsHtml(leftOutWords(plan), leftOutGroups(plan)),
    groupsHtml(textWords(plan), textGroups(plan)),
    '</main>',
    `<footer>Plan <code>${escapeHtml(document.plan_id.slice(0, 19))}</code> · reelform ${escapeHtml(document.tool_version)}</footer>`,
    `<script>${PAGE_SCRIPT}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

const digest = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const POLICY = [
  "default-src 'none'",
  'img-src data:',
  'media-src data:',
  `style-src ${digest(PAGE_STYLE)} ${digest(PLAIN_STYLE)}`,
  `script-src ${digest(PAGE_SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

function leadOf(document: PlanDocument, problems: readonly JsonDiagnostic[]): string {
  if (hasChanges(document))
    return countWords(document)
      .map(({ words }) => words)
      .join(', ');
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  return errors > 0 ? countNoun(errors, 'error') : 'No changes';
}

function headHtml(document: PlanDocument, problems: readonly JsonDiagnostic[]): string {
  const about = !hasChanges(document) ? emptyWords(document) : sentence(estimateWords(document));
  const words = [leadOf(document, problems), about, incompleteWords(document)].filter((text) => text !== '');
  const lines = words.map((line, at) => `<p class="${at === 0 ? 'lead' : 'about'}">${escapeHtml(line)}</p>`);
  return `${lines.join('')}${problemsHtml(problems)}`;
}

/** Number of problems shown before the rest is collapsed. */
const MAX_PROBLEMS = 8;

function problemsHtml(problems: readonly JsonDiagnostic[]): string {
  const rows = problems.map((problem) => {
    const { severity, message, hint, code } = problem;
    const place = formatLocation(problem);
    const where = place === '' ? '' : ` · <code>${escapeHtml(place)}</code>`;
    const todo = hint === null ? '' : `${escapeHtml(hint)} · `;
    return `<li class="${severity}"><b>${severity}</b> ${escapeHtml(message)}${where}<p>${todo}<code>${escapeHtml(code)}</code></p></li>`;
  });
  const listOf = (some: readonly string[], label: string): string =>
    some.length === 0 ? '' : `<ul class="problems" aria-label="${label}">${some.join('')}</ul>`;
  const hidden = rows.slice(MAX_PROBLEMS);
  const more = `<details><summary>${countNoun(hidden.length, 'more problem')}</summary>${listOf(hidden, 'More problems')}</details>`;
  return `${listOf(rows.slice(0, MAX_PROBLEMS), 'Problems')}${hidden.length === 0 ? '' : more}`;
}

/** Renders search and filters for several videos, and the comparison modes if there are stills. */
function barHtml(document: PlanDocument, preview: PlanPreview | null): string {
  const isMany = withoutRestores(document).changes.length > 1;
  const tools = `${isMany ? chipsHtml(document) : ''}${viewsHtml(preview)}${isMany ? `<div class="look">${FIND}${sortHtml(preview)}</div>` : ''}`;
  return tools === '' ? '' : `<div class="bar" role="group" aria-label="What is shown">${tools}</div>`;
}

const FIND =
  '<label class="hidden" for="find">Find videos by id, title or file</label><input type="search" id="find" placeholder="Find by id, title or file">';

function chipsHtml(document: PlanDocument): string {
  const counts = countWords(document).filter(({ action }) => action !== 'noop');
  if (counts.length < 2) return '';
  const chips = counts.map(
    ({ action, count }) =>
      `<button type="button" data-action="${action}" aria-pressed="false">${action} ${formatCount(count)}</button>`,
  );
  const all = `<button type="button" data-action="" aria-pressed="true">All ${formatCount(withoutRestores(document).changes.length)}</button>`;
  return `<div class="chips">${all}${chips.join('')}</div>`;
}

function sortHtml(preview: PlanPreview | null): string {
  if (preview === null || preview.videos.size === 0) return '';
  return '<label class="hidden" for="sort">Order</label><select id="sort"><option value="id">By id</option><option value="share">Most different first</option></select>';
}

function viewsHtml(preview: PlanPreview | null): string {
  const videos = [...(preview?.videos.values() ?? [])];
  if (!videos.some(({ stills }) => stills.some(({ before }) => before !== null))) return '';
  const view = (value: string, words: string, checked = ''): string =>
    `<label><input type="radio" name="view" value="${value}"${checked}>${words}</label>`;
  return `<fieldset class="views"><legend>How stills are compared</legend>${view('side', 'Side by side', ' checked')}${view('slider', 'Slider')}${view('difference', 'Difference')}</fieldset>`;
}

/** Renders mere restores, and videos that conditions leave out, collapsed, because they need no review. */
function groupsHtml(words: string, groups: readonly VideoGroup[]): string {
  if (words === '') return '';
  const rows = groups.map(({ words: reason, ids }) => {
    const names = ids.map((id) => `<code><bdi>${escapeHtml(id)}</bdi></code>`);
    return `<p>${escapeHtml(reason)}: ${names.join(', ')}</p>`;
  });
  return `<details class="restores card"><summary>${escapeHtml(words)}</summary>${rows.join('')}</details>`;
}

function sheetHtml(preview: PlanPreview | null): string {
  const sheet = preview?.contactSheet ?? null;
  if (sheet === null) return '';
  const isOpen = sheet.height <= 1.2 * sheet.width;
  return `<details class="sheet card"${isOpen ? ' open' : ''}><summary>All videos whose template changed, on one sheet</summary>${imageHtml(sheet, 'Before and after of each, the most different first')}</details>`;
}

/** Renders the tables of definitions with a picture for each locale and variant. */
function matricesHtml(preview: PlanPreview | null): string[] {
  const matrices = preview?.matrices ?? [];
  const missing = matrices.filter(({ image }) => image === null);
  const named = missing.map(({ definition }) => `<code><bdi>${escapeHtml(definition)}</bdi></code>`);
  const sheets = matrices.flatMap((sheet) => {
    if (sheet.image === null) return [];
    const words = [`Contact sheet of ${sheet.definition}`, hiddenWords(sheet)]
      .filter((text) => text !== '')
      .join(' · ');
    return [
      `<details class="sheet card" open><summary>${escapeHtml(words)}</summary>${imageHtml(sheet.image, matrixAlt(sheet))}</details>`,
    ];
  });
  return [...sheets, missing.length === 0 ? '' : `<p class="about">No contact sheet: ${named.join(', ')}</p>`];
}
