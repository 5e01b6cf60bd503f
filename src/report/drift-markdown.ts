import { countNoun } from './count-noun.ts';
import { DRIFT_WORDS, type DriftReport } from './drift-text.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { placeOfUrl } from './place-of-url.ts';

/** Title of the one issue about what does not stand any more. */
export const DRIFT_TITLE = 'Reelform: drift';

/** So many videos an issue names. */
const NAMED = 200;

/** What is not as it was recorded, for an issue; null when all is. */
export function driftMarkdown({ checked, findings }: DriftReport, runUrl: string | null): string | null {
  if (findings.length === 0) return null;
  const run = runUrl === null ? '' : ` ([run](${runUrl}))`;
  const rows = findings.slice(0, NAMED).map(({ id, what, url }) => {
    return `- ${markdownCode(id)}: ${DRIFT_WORDS[what]} (${escapeMarkdown(placeOfUrl(url))})`;
  });
  const left = findings.length - rows.length;
  return [
    `**Of ${countNoun(checked, 'video')} that were looked at, ${countNoun(findings.length, 'does', 'do')} not stand any more**${run}.`,
    '`reelform apply --refresh` renders again what is lost.',
    '',
    ...rows,
    ...(left > 0 ? [`- and ${countNoun(left, 'video')} more`] : []),
  ].join('\n');
}
