import { present } from '../../kernel/defined.ts';
import { formatLocation, type JsonDiagnostic } from '../json/diagnostics-json.ts';
import type { FailureGroup, FailureLocation, LocatedFailure } from '../json/failure-groups.ts';
import { shortenText } from '../wording/display-text.ts';
import { countNoun, formatCount, listSome } from '../wording/quantities.ts';
import { escapeMarkdown, foldedTable, linkedWords, markdownCode, shortCode, takeWhileFits } from './markdown-text.ts';

/** Maximum size of a table of problems. */
export interface ProblemLimit {
  readonly count: number;
  readonly characters: number;
}

/** Formats a table of problems: message, hint, location and code. Counts the problems beyond `room`. */
export function markdownProblems(problems: readonly JsonDiagnostic[], room: ProblemLimit): string {
  if (problems.length === 0) return '';
  const rows = takeWhileFits(problems.slice(0, room.count), room.characters, (problem) => {
    const { severity, code, message, hint } = problem;
    const place = formatLocation(problem);
    const where = present([place !== '' && shortCode(place), markdownCode(code)]).join('<br>');
    const todo = hint === null ? '' : `<br><sub>${escapeMarkdown(shortenText(hint, 300))}</sub>`;
    const mark = severity === 'error' ? '❌' : '⚠️';
    return `| ${mark}&nbsp;${severity} | ${escapeMarkdown(shortenText(message, 500))}${todo} | ${where} |`;
  });
  const more = problems.length - rows.length;
  const rest = more > 0 ? `\n\nAnd ${formatCount(more)} more like these.` : '';
  return `${foldedTable('| | Problem | Where |\n|:--|:--|:--|', rows, (folded) => countNoun(folded, 'more problem'))}${rest}`;
}

const MAX_NAMES = 5;
const MAX_FAILURES = 5;
const LONGEST = { name: 200, message: 1_000, hint: 400 };

/** Head of the table whose rows `failureRow` returns. */
export const FAILURE_COLUMNS = '| | Video | Why | Where |\n|:--|:--|:--|:--|';

const MARKS: Readonly<Record<FailureGroup['what'], string>> = {
  'not rendered': '❌&nbsp;not&nbsp;rendered',
  'not delivered': '❌&nbsp;rendered, not&nbsp;delivered',
  unknown: '❔&nbsp;not&nbsp;known',
};

/**
 * Formats a group of failed videos: ids, failures with hints, and source locations.
 *
 * @param filesUrl URL prefix of the repository's files, with a trailing `/`; null if there is none
 */
export function failureRow({ what, ids, title, failures, places }: FailureGroup, filesUrl: string | null): string {
  const shown = failures.slice(0, MAX_FAILURES);
  const more = failures.length - shown.length;
  const why = present([...shown.map(whyOf), more > 0 && `and ${formatCount(more)} more`]).join('<br>');
  const where = places.slice(0, MAX_NAMES).map((place) => placeLink(place, filesUrl));
  return `| ${MARKS[what]} | ${videosOf(ids, title)} | ${why} | ${where.join('<br>')} |`;
}

function videosOf(ids: readonly string[], title: string): string {
  const names = listSome(ids, MAX_NAMES, (id) => shortCode(id));
  if (ids.length === 1) {
    return title === '' ? names : `${names}<br>${escapeMarkdown(shortenText(plain(title), LONGEST.name))}`;
  }
  return `${countNoun(ids.length, 'video')}<br>${names}`;
}

function whyOf({ code, editable, source, message, hint }: LocatedFailure): string {
  const from = source === undefined ? '' : ` (${shortCode(source)})`;
  const about = editable === undefined ? '' : `${shortCode(editable)}${from}: `;
  const todo = hint === undefined ? '' : `<br><sub>${escapeMarkdown(shortenText(plain(hint), LONGEST.hint))}</sub>`;
  return `${about}${escapeMarkdown(shortenText(plain(message), LONGEST.message))} ${markdownCode(code)}${todo}`;
}

function placeLink({ file, line }: FailureLocation, filesUrl: string | null): string {
  if (file === null) return '';
  const words = shortCode(line === null ? file : `${file}:${line}`);
  if (filesUrl === null) return words;
  const path = file.split('/').map(encodeURIComponent).join('/');
  return linkedWords(words, `${filesUrl}${path}${line === null ? '' : `#L${line}`}`);
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
