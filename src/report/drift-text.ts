import { createColors } from 'picocolors';
import { cellWidth } from './cell-width.ts';
import { countNoun } from './count-noun.ts';
import { escapeControls } from './escape-controls.ts';
import { someOf } from './failure-lines.ts';
import { placeOfUrl } from './place-of-url.ts';
import { longest } from './video-lines.ts';

/** What a look at the world found about recorded videos. */
export interface DriftReport {
  /** Videos that were looked at. */
  readonly checked: number;
  /** By id; at most one for each video. */
  readonly findings: readonly DriftFinding[];
  /** What could not be told. */
  readonly unclear: readonly { readonly id: string; readonly url: string; readonly why: string }[];
}

export interface DriftFinding {
  readonly id: string;
  readonly what: 'output_missing' | 'session_gone' | 'session_failed' | 'video_gone' | 'asset_changed';
  /** The video's, or that of the file which changed. */
  readonly url: string;
}

/** In words. */
export const DRIFT_WORDS: Readonly<Record<DriftFinding['what'], string>> = {
  output_missing: 'its local file is missing',
  session_gone: 'the service does not have its session any more',
  session_failed: 'the service says now that its session failed',
  video_gone: 'its video cannot be fetched any more',
  asset_changed: 'a URL that it was made from gives something else',
};

/**
 * What is not as it was recorded, and what could not be looked at; the same trouble of many videos is told once.
 *
 * @returns lines, the last one ended as well
 */
export function driftText({ checked, findings, unclear }: DriftReport, options: { readonly color: boolean }): string {
  const { bold, red, yellow, dim } = createColors(options.color);
  const width = Math.min(40, longest(findings.map(({ id }) => escapeControls(id))));
  const fill = (text: string): string => text + ' '.repeat(Math.max(0, width - cellWidth(text)));
  const found = findings.map(
    ({ id, what, url }) => `  ${red('✗')} ${fill(escapeControls(id))}  ${DRIFT_WORDS[what]}  ${dim(placeOfUrl(url))}`,
  );
  const reasons = new Map<string, Set<string>>();
  for (const { id, why } of unclear) reasons.set(why, (reasons.get(why) ?? new Set()).add(id));
  const open = [...reasons].map(([why, ids]) => `  ${yellow('?')} ${someOf([...ids])}: ${escapeControls(why)}`);
  const rest = findings.length === 0 && unclear.length === 0 ? 'All is as it was recorded' : headline(findings.length);
  return `${[
    `${bold('Drift:')} ${countNoun(checked, 'video')} looked at. ${rest}.`,
    ...(found.length > 0 ? [found.join('\n')] : []),
    ...(open.length > 0 ? [`Of these it could not be told:\n${open.join('\n')}`] : []),
    ...(found.length > 0 ? [`\`${commandFor(findings)}\` renders ${found.length === 1 ? 'it' : 'them'} again.`] : []),
  ].join('\n\n')}\n`;
}

/** What is missing here is seen without asking anybody. */
function commandFor(findings: readonly DriftFinding[]): string {
  const isLocal = findings.every(({ what }) => what === 'output_missing');
  return isLocal ? 'reelform apply' : 'reelform apply --refresh';
}

function headline(count: number): string {
  if (count === 0) return 'Nothing was found that is not as it was recorded';
  return `${countNoun(count, 'video')} ${count === 1 ? 'is' : 'are'} not as recorded`;
}
