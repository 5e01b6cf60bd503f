import { countNoun } from './count-noun.ts';
import { DRIFT_WORDS, type DriftReport } from './drift-text.ts';
import { markdownCode } from './escape-markdown.ts';
import { foldedTable } from './markdown-fold.ts';
import { markdownLink } from './markdown-link.ts';
import { placeOfUrl } from './place-of-url.ts';
import { shortenText } from './shorten-text.ts';
import { thatFit } from './that-fit.ts';

/** Title of the one issue about what does not stand any more. */
export const DRIFT_TITLE = 'Reelform: drift';

/** So many videos an issue names, in so many of the 65,536 characters that GitHub takes. */
const NAMED = 200;
const MOST_CHARACTERS = 50_000;
const LONGEST = 200;

/** What is not as it was recorded, for an issue; null when all is. */
export function driftMarkdown({ checked, findings }: DriftReport, runUrl: string | null): string | null {
  if (findings.length === 0) return null;
  const run = runUrl === null ? null : markdownLink('run', runUrl);
  const named = findings.slice(0, NAMED);
  const rows = thatFit(named, MOST_CHARACTERS, ({ id, what, url }) => {
    return `| ${code(id)} | ${DRIFT_WORDS[what]} | ${code(placeOfUrl(url))} |`;
  });
  const left = findings.length - rows.length;
  return [
    `**Of ${countNoun(checked, 'video')} that were looked at, ${countNoun(findings.length, 'does', 'do')} not stand any more**${run === null ? '' : ` (${run})`}.`,
    '`reelform apply --refresh` renders again what is lost.',
    foldedTable('| Video | What | Where |\n|:--|:--|:--|', rows, (missing) => countNoun(missing, 'more video')),
    ...(left > 0 ? [`And ${countNoun(left, 'video')} more.`] : []),
  ].join('\n\n');
}

function code(text: string): string {
  return markdownCode(shortenText(text, LONGEST));
}
