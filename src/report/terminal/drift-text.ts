import { createColors } from 'picocolors';
import type { SpecDrift } from '../../apply/spec-changes.ts';
import { cellWidth } from '../wording/cell-width.ts';
import { displayUrl, escapeControls, listNames } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';
import { specDriftWords } from '../wording/spec-words.ts';
import { maxWidth } from './apply-lines.ts';

/** Result of comparing recorded videos with the world. */
export interface DriftReport {
  /** Number of checked videos. */
  readonly checked: number;
  /** Sorted by id, at most one for each video. */
  readonly findings: readonly DriftFinding[];
  /** Sessions that the service lost or failed although the video can be fetched, sorted by id. */
  readonly notes: readonly { readonly id: string; readonly what: DriftNote; readonly url: string }[];
  /** Videos that could not be verified. */
  readonly unclear: readonly { readonly id: string; readonly url: string; readonly why: string }[];
  /** Specifications that differ or could not be compared, sorted by template. */
  readonly specs: readonly SpecDrift[];
}

/** Returns whether anything differs from its recorded or committed state. */
export function hasDrift({ findings, specs }: DriftReport): boolean {
  return findings.length > 0 || specs.some(({ kind }) => kind !== 'unclear');
}

type DriftNote = 'session_gone' | 'session_failed';

export interface DriftFinding {
  readonly id: string;
  readonly what: 'output_missing' | 'output_damaged' | 'video_changed' | 'video_gone' | 'asset_changed';
  /** URL of the video or of the changed file. */
  readonly url: string;
}

export const DRIFT_WORDS: Readonly<Record<DriftFinding['what'], string>> = {
  output_missing: 'its local file is missing',
  output_damaged: 'its local file is damaged',
  video_changed: 'its video does not have the recorded size',
  video_gone: 'its video cannot be fetched any more',
  asset_changed: 'a URL that it was made from gives something else',
};

const NOTE_WORDS: Readonly<Record<DriftNote, string>> = {
  session_gone: 'the service does not have the session any more',
  session_failed: 'the service says now that the session failed',
};

/** Lists drift and videos that could not be verified; merges equal reasons. */
export function driftText(report: DriftReport, options: { readonly color: boolean }): string {
  const { checked, findings, notes, unclear, specs } = report;
  const { bold, red, yellow, dim } = createColors(options.color);
  const width = Math.min(40, maxWidth(findings.map(({ id }) => escapeControls(id))));
  const fill = (text: string): string => text + ' '.repeat(Math.max(0, width - cellWidth(text)));
  const found = findings.map(
    ({ id, what, url }) => `  ${red('✗')} ${fill(escapeControls(id))}  ${DRIFT_WORDS[what]}  ${dim(displayUrl(url))}`,
  );
  const changed = specs.flatMap((spec) =>
    spec.kind === 'unclear' ? [] : [`  ${red('✗')} ${escapeControls(spec.template)}: ${specDriftWords(spec)}`],
  );
  const open = [
    ...grouped(unclear.map(({ id, why }) => [id, why])),
    ...grouped(specs.flatMap((spec) => (spec.kind === 'unclear' ? [[`the template ${spec.template}`, spec.why]] : []))),
  ].map((line) => `  ${yellow('?')} ${line}`);
  const noted = grouped(notes.map(({ id, what }) => [id, NOTE_WORDS[what]])).map((line) => `  ${dim('·')} ${line}`);
  const isAll = !hasDrift(report) && open.length === 0;
  const rest = isAll ? 'All is as it was recorded' : headline(findings.length);
  return `${[
    `${bold('Drift:')} ${countNoun(checked, 'video')} looked at. ${rest}.`,
    ...(found.length > 0 ? [found.join('\n')] : []),
    ...(changed.length > 0 ? [`Specifications that are not as committed:\n${changed.join('\n')}`] : []),
    ...(noted.length > 0 ? [`Their videos can still be fetched, so nothing is rendered:\n${noted.join('\n')}`] : []),
    ...(open.length > 0 ? [`Of these it could not be told:\n${open.join('\n')}`] : []),
    ...commandsFor(findings),
    ...(changed.length > 0 ? ['`reelform pull` fetches the specifications; then run `reelform plan`.'] : []),
  ].join('\n\n')}\n`;
}

/** Merges names that share a reason into one line. */
function grouped(pairs: readonly (readonly [name: string, why: string])[]): string[] {
  const reasons = new Map<string, Set<string>>();
  for (const [name, why] of pairs) reasons.set(why, (reasons.get(why) ?? new Set()).add(name));
  return [...reasons].map(([why, names]) => `${listNames([...names])}: ${escapeControls(why)}`);
}

/** A plan detects missing files itself; damaged ones need a refresh. Existing videos are only replaced on request. */
function commandsFor(findings: readonly DriftFinding[]): string[] {
  const [changed, others] = [findings.filter(isChanged), findings.filter((one) => !isChanged(one))];
  const isLocal = others.every(({ what }) => what === 'output_missing');
  const command = isLocal ? 'reelform apply' : 'reelform apply --refresh';
  const them = others.length === 1 ? 'it' : 'them';
  const ids = changed.map(({ id }) => escapeControls(id));
  return [
    ...(others.length > 0 ? [`\`${command}\` renders ${changed.length > 0 ? 'the others' : them} again.`] : []),
    ...(ids.length > 0
      ? [`\`reelform apply --replace ID\` renders a video again that can be fetched: ${listNames(ids)}.`]
      : []),
  ];
}

function isChanged({ what }: DriftFinding): boolean {
  return what === 'video_changed';
}

function headline(count: number): string {
  if (count === 0) return 'Nothing was found that is not as it was recorded';
  return `${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} not as recorded`;
}
