import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { maxWidth, padCells } from '../wording/cell-width.ts';
import { displayUrl, escapeControls, listNames } from '../wording/display-text.ts';
import {
  DRIFT_WORDS,
  type DriftFinding,
  type DriftReport,
  hasDrift,
  NOTE_WORDS,
  specDriftWords,
  unverifiedIds,
} from '../wording/drift-words.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';

/** Lists drift and videos that could not be verified; merges equal reasons. */
export function driftText(report: DriftReport, options: { readonly color: boolean }): string {
  const { checked, findings, notes, unclear, specs } = report;
  const { bold, red, yellow, dim } = createColors(options.color);
  const width = Math.min(40, maxWidth(findings.map(({ id }) => escapeControls(id))));
  const found = findings.map(
    ({ id, what, url }) =>
      `  ${red('✗')} ${padCells(escapeControls(id), width)}  ${DRIFT_WORDS[what]}  ${dim(displayUrl(url))}`,
  );
  const changed = specs.flatMap((spec) =>
    spec.kind === 'unclear' ? [] : [`  ${red('✗')} ${escapeControls(spec.template)}: ${specDriftWords(spec)}`],
  );
  const open = [
    ...grouped(unclear.map(({ id, why }) => [id, why])),
    ...grouped(specs.flatMap((spec) => (spec.kind === 'unclear' ? [[`the template ${spec.template}`, spec.why]] : []))),
  ].map((line) => `  ${yellow('?')} ${line}`);
  const noted = grouped(notes.map(({ id, what, url }) => [id, NOTE_WORDS[what](displayUrl(url))])).map(
    (line) => `  ${dim('·')} ${line}`,
  );
  const isAll = !hasDrift(report) && open.length === 0 && notes.every(({ what }) => what !== 'source_unversioned');
  const { size: unverified } = unverifiedIds(report);
  const isNone = checked === 0 && unverified > 0;
  const rest = isAll
    ? 'Everything matches the lockfile'
    : isNone
      ? 'No video could be verified'
      : headline(findings.length);
  const counts = `${countNoun(checked, 'video')} checked${unverified === 0 ? '' : `, ${formatCount(unverified)} not verified`}`;
  const blocks = present([
    `${bold('Drift:')} ${counts}. ${rest}.`,
    found.length > 0 && found.join('\n'),
    changed.length > 0 && `Specifications that differ from the committed ones:\n${changed.join('\n')}`,
    noted.length > 0 && `Their videos are still available, so nothing is rendered:\n${noted.join('\n')}`,
    open.length > 0 && `Could not be verified:\n${open.join('\n')}`,
    ...commandsFor(findings),
    changed.length > 0 && '`reelform pull` fetches the specifications; then run `reelform plan`.',
  ]);
  return `${blocks.join('\n\n')}\n`;
}

/** Merges names that share a reason into a line. */
function grouped(pairs: readonly (readonly [name: string, why: string])[]): string[] {
  return [...groupBy(pairs, ([, why]) => why)].map(([why, named]) => {
    const names = new Set(named.map(([name]) => name));
    return `${listNames([...names])}: ${escapeControls(why)}`;
  });
}

/** A plan detects missing files itself; damaged ones need a refresh. Existing videos are only replaced on request. */
function commandsFor(findings: readonly DriftFinding[]): string[] {
  const changed = findings.filter(({ what }) => what === 'video_changed');
  const expired = findings.filter(({ what }) => what === 'link_expired');
  const captions = findings.filter(({ what }) => what === 'captions_changed');
  const others = ['video_changed', 'link_expired', 'captions_changed'];
  const lost = findings.filter(({ what }) => !others.includes(what));
  const isLocal = lost.every(({ what }) => what === 'output_missing');
  const command = isLocal ? 'reelform apply' : 'reelform apply --refresh';
  const them = lost.length === 1 ? 'it' : 'them';
  const ids = changed.map(({ id }) => escapeControls(id));
  return present([
    expired.length > 0 && '`reelform apply --refresh-only` records the new URLs without rendering.',
    captions.length > 0 && '`reelform apply` writes and delivers captions again that are on this machine.',
    lost.length > 0 && `\`${command}\` renders ${changed.length + expired.length > 0 ? 'the others' : them} again.`,
    ids.length > 0 &&
      `\`reelform apply --replace ID\` renders a video again although it is available: ${listNames(ids)}.`,
  ]);
}

function headline(count: number): string {
  if (count === 0) return 'No differences were found';
  return `${countNoun(count, 'video')} ${count === 1 ? 'differs' : 'differ'} from the lockfile`;
}
