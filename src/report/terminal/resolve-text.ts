import { createColors } from 'picocolors';
import type { SessionDifference } from '../../apply/session-differences.ts';
import type { Attempt } from '../../lock/journal.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun, formatTime } from '../wording/quantities.ts';

/** Tolerance before the recorded time, because clocks differ and requests wait. */
const BEFORE_MS = 60_000;
const AFTER_MS = 180_000;

/** Lists attempts of unknown state, with the data that identifies them at the service. */
export function unknownAttemptsText(attempts: readonly Attempt[], options: { readonly color: boolean }): string {
  const { bold, yellow, dim } = createColors(options.color);
  if (attempts.length === 0)
    return 'Nothing is unknown: of every render that was asked for it is known what became of it.\n';
  const blocks = attempts.map(({ intent, state, session }) => {
    const askedMs = Date.parse(intent.at);
    const lines = [
      `asked of   ${escapeControls(intent.service)} at ${timeAt(askedMs)}`,
      session === null
        ? `look for   a session made between ${timeAt(askedMs - BEFORE_MS)} and ${timeAt(askedMs + AFTER_MS)}`
        : `look for   the session ${escapeControls(session)}, which the service made and did not have any more`,
      `titled     ${escapeControls(titleOf(intent.body))}`,
      `attempt    ${escapeControls(shortKey(intent.key))}`,
      ...(state === 'retry' ? ['decided    to be asked for again by the next apply'] : []),
    ];
    return [`  ${yellow('?')} ${bold(escapeControls(intent.id))}`, ...lines.map((line) => `    ${dim(line)}`)].join(
      '\n',
    );
  });
  const example = escapeControls(attempts[0]!.intent.id);
  return `${[
    `Of ${countNoun(attempts.length, 'render')} that ${attempts.length === 1 ? 'was' : 'were'} asked for it is not known what became.`,
    ...blocks,
    [
      'Look at the service, then say for each:',
      `  reelform resolve ${example} --session ID   ${dim('it is there, under this id')}`,
      `  reelform resolve ${example} --retry        ${dim('ask again, even if that may be paid for twice')}`,
      `  reelform resolve ${example} --abandon      ${dim('forget the attempt')}`,
    ].join('\n'),
  ].join('\n\n')}\n`;
}

/** Confirms a decision about an attempt, and its effect. */
export function resolvedText(id: string, decision: 'session' | 'retry' | 'abandon', session: string | null): string {
  const name = escapeControls(id);
  switch (decision) {
    case 'session':
      return `${name} is rendered by the session ${escapeControls(session ?? '')}. The next apply waits for it, and asks for nothing.\n`;
    case 'retry':
      return `${name} is asked for again by the next apply, with the same key and the same request.\n`;
    case 'abandon':
      return `What was asked for ${name} counts for nothing any more. The next plan shows what is to be done.\n`;
  }
}

/** Lists the differences between a session and its request, in one line. */
export function differencesText(differences: readonly SessionDifference[]): string {
  const shown = differences.slice(0, 3).map(({ field, asked, found }) => {
    return `${field} is ${brief(found)}, and ${brief(asked)} was asked for`;
  });
  const more = differences.length - shown.length;
  return more > 0 ? `${shown.join('; ')}; and ${countNoun(more, 'more difference')}` : shown.join('; ');
}

/** Lists several attempts of one video to choose from, in one line. */
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
  if (json === null) return 'not there';
  return json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

function timeAt(milliseconds: number): string {
  return formatTime(new Date(milliseconds).toISOString());
}
