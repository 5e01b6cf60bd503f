import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import type { SessionDifference } from '../../reconciler/apply/session-differences.ts';
import type { Attempt } from '../../reconciler/lock/journal.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun, formatTime } from '../wording/quantities.ts';

/** Tolerance before the recorded time, because clocks differ and requests wait. */
const BEFORE_MS = 60_000;
const AFTER_MS = 180_000;

/** Lists attempts of unknown state, with the data that identifies them at the service. */
export function unknownAttemptsText(attempts: readonly Attempt[], options: { readonly color: boolean }): string {
  const { bold, yellow, dim } = createColors(options.color);
  if (attempts.length === 0) return 'There are no unresolved renders.\n';
  const blocks = attempts.map(({ intent, state, session }) => {
    const askedMs = Date.parse(intent.at);
    const lines = present([
      `requested  ${escapeControls(intent.service)} at ${timeAt(askedMs)}`,
      session === null
        ? `look for   a session created between ${timeAt(askedMs - BEFORE_MS)} and ${timeAt(askedMs + AFTER_MS)}`
        : `look for   the session ${escapeControls(session)}, of which the service had no usable video`,
      `titled     ${escapeControls(titleOf(intent.body))}`,
      `attempt    ${escapeControls(shortKey(intent.key))}`,
      state === 'retry' && 'decided    retry by the next apply',
    ]);
    return [`  ${yellow('?')} ${bold(escapeControls(intent.id))}`, ...lines.map((line) => `    ${dim(line)}`)].join(
      '\n',
    );
  });
  const example = escapeControls(attempts[0]!.intent.id);
  return `${[
    `${countNoun(attempts.length, 'render')} ${attempts.length === 1 ? 'is' : 'are'} unresolved.`,
    ...blocks,
    [
      'Check the service, then run for each:',
      `  reelform resolve ${example} --session ID   ${dim('the service has the session')}`,
      `  reelform resolve ${example} --retry        ${dim('request again, even if it may be paid for twice')}`,
      `  reelform resolve ${example} --abandon      ${dim('forget the attempt')}`,
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Confirms a decision about an attempt, and its effect. */
export function resolvedText(id: string, decision: 'session' | 'retry' | 'abandon', session: string | null): string {
  const name = escapeControls(id);
  switch (decision) {
    case 'session':
      return `${name} is assigned to the session ${escapeControls(session ?? '')}. The next apply waits for it without a new request.\n`;
    case 'retry':
      return `The next apply requests ${name} again, with the same key and request.\n`;
    case 'abandon':
      return `The attempt for ${name} was discarded. Run reelform plan to see the next steps.\n`;
  }
}

/** Lists the differences between a session and its request, in a line. */
export function differencesText(differences: readonly SessionDifference[]): string {
  const shown = differences.slice(0, 3).map(({ field, asked, found }) => {
    return `${field} is ${brief(found)}, but ${brief(asked)} was requested`;
  });
  const more = differences.length - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${countNoun(more, 'more difference')}` : shown.join('; ');
}

/** Lists several attempts of a video to choose from, in a line. */
export function attemptsText(attempts: readonly Attempt[]): string {
  return attempts
    .map(
      ({ intent }) => `${shortKey(intent.key)} (${intent.fingerprint.slice(0, 11)}, ${timeAt(Date.parse(intent.at))})`,
    )
    .join(', ');
}

/** Prefix that a user types. */
function shortKey(key: string): string {
  return key.slice(0, 8);
}

function titleOf(body: string): string {
  return (JSON.parse(body) as { title: string }).title;
}

function brief(json: string | null): string {
  if (json === null) return 'missing';
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

function timeAt(milliseconds: number): string {
  return formatTime(new Date(milliseconds).toISOString());
}
