import { countNoun, formatCount } from '../wording/count-noun.ts';
import type { Place, PlacedFailure, Trouble } from '../wording/run-troubles.ts';
import { shortenText } from '../wording/shorten-text.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { markdownLink } from './markdown-link.ts';

const MOST_NAMES = 5;
const MOST_FAILURES = 5;
const LONGEST = { name: 200, message: 1_000, hint: 400 };

/** The head of the table whose rows `troubleRow` writes. */
export const TROUBLE_COLUMNS = '| | Video | Why | Where |\n|:--|:--|:--|:--|';

const MARKS: Readonly<Record<Trouble['what'], string>> = {
  'not rendered': '❌&nbsp;not&nbsp;rendered',
  'not delivered': '❌&nbsp;rendered, not&nbsp;delivered',
  unknown: '❔&nbsp;not&nbsp;known',
};

/**
 * What some videos had that did not go well: which, why and what to do, and where the definition says it.
 *
 * @param filesUrl where the files of the repository can be looked at, ended by `/`; null: nowhere
 */
export function troubleRow({ what, ids, title, failures, places }: Trouble, filesUrl: string | null): string {
  const shown = failures.slice(0, MOST_FAILURES);
  const more = failures.length - shown.length;
  const why = [...shown.map(whyOf), ...(more > 0 ? [`and ${formatCount(more)} more`] : [])].join('<br>');
  const where = places.slice(0, MOST_NAMES).map((place) => placeLink(place, filesUrl));
  return `| ${MARKS[what]} | ${videosOf(ids, title)} | ${why} | ${where.join('<br>')} |`;
}

function videosOf(ids: readonly string[], title: string): string {
  const names = ids.slice(0, MOST_NAMES).map((id) => markdownCode(shortenText(id, LONGEST.name)));
  if (ids.length === 1) return title === '' ? names[0]! : `${names[0]}<br>${nameOf(title)}`;
  const more = ids.length - names.length;
  const rest = more > 0 ? ` and ${formatCount(more)} more` : '';
  return `${countNoun(ids.length, 'video')}<br>${names.join(', ')}${rest}`;
}

function whyOf({ code, editable, source, message, hint }: PlacedFailure): string {
  const from = source === undefined ? '' : ` (${markdownCode(shortenText(source, LONGEST.name))})`;
  const about = editable === undefined ? '' : `${markdownCode(shortenText(editable, LONGEST.name))}${from}: `;
  const todo = hint === undefined ? '' : `<br><sub>${escapeMarkdown(shortenText(plain(hint), LONGEST.hint))}</sub>`;
  return `${about}${escapeMarkdown(shortenText(plain(message), LONGEST.message))} ${markdownCode(code)}${todo}`;
}

function placeLink({ file, line }: Place, filesUrl: string | null): string {
  if (file === null) return '';
  const words = markdownCode(shortenText(line === null ? file : `${file}:${line}`, LONGEST.name));
  if (filesUrl === null) return words;
  const path = file.split('/').map(encodeURIComponent).join('/');
  return markdownLink(words, `${filesUrl}${path}${line === null ? '' : `#L${line}`}`) ?? words;
}

function nameOf(text: string): string {
  return escapeMarkdown(shortenText(plain(text), LONGEST.name));
}

/** On one line. */
function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
