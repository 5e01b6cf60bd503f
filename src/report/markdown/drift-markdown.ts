import { displayUrl } from '../wording/display-text.ts';
import { DRIFT_WORDS, type DriftReport, hasDrift, specDriftWords } from '../wording/drift-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';
import { escapeMarkdown, markdownLink, shortCode } from './escape-markdown.ts';
import { foldedTable, takeWhileFits } from './markdown-blocks.ts';
/** Title of the issue about drift. */
export const DRIFT_TITLE = 'Reelform: drift';

/** Limits that keep the issue below GitHub's 65,536 characters. */
const NAMED = 200;
const MOST_CHARACTERS = 45_000;
const MOST_SPEC_CHARACTERS = 12_000;

/** Formats drift for an issue; null if there is none. */
export function driftMarkdown(report: DriftReport, runUrl: string | null): string | null {
  if (!hasDrift(report)) return null;
  const { checked, findings, specs } = report;
  const run = runUrl === null ? null : markdownLink('run', runUrl);
  const where = run === null ? '' : ` (${run})`;
  const rows = takeWhileFits(findings.slice(0, NAMED), MOST_CHARACTERS, ({ id, what, url }) => {
    return `| ${shortCode(id)} | ${DRIFT_WORDS[what]} | ${shortCode(displayUrl(url))} |`;
  });
  const changed = specs.filter(({ kind }) => kind !== 'unclear');
  const specRows = takeWhileFits(changed.slice(0, NAMED), MOST_SPEC_CHARACTERS, (spec) => {
    return `| ${shortCode(spec.template)} | ${escapeMarkdown(specDriftWords(spec))} |`;
  });
  const [left, leftSpecs] = [findings.length - rows.length, changed.length - specRows.length];
  const videos = [
    `**${formatCount(findings.length)} of ${countNoun(checked, 'checked video')} ${findings.length === 1 ? 'is' : 'are'} missing or changed**${where}.`,
    '`reelform apply --refresh` renders lost videos again.',
    foldedTable('| Video | What | Where |\n|:--|:--|:--|', rows, (missing) => countNoun(missing, 'more video')),
    ...(left > 0 ? [`And ${countNoun(left, 'video')} more.`] : []),
  ];
  const templates = [
    `**The service has changed ${countNoun(changed.length, 'specification')}**${findings.length > 0 ? '' : where}.`,
    '`reelform pull` fetches the changed specifications.',
    foldedTable('| Template | What changed |\n|:--|:--|', specRows, (missing) => countNoun(missing, 'more template')),
    ...(leftSpecs > 0 ? [`And ${countNoun(leftSpecs, 'template')} more.`] : []),
  ];
  return [...(findings.length > 0 ? videos : []), ...(changed.length > 0 ? templates : [])].join('\n\n');
}
