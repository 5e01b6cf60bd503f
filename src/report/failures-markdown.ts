import type { ApplyOutcome, Failure } from '../apply/events.ts';
import { countNoun } from './count-noun.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';

/** Of 65,536 that a comment may have. */
const MOST_CHARACTERS = 50_000;
/** Of one message: services repeat what they were sent. */
const MOST_OF_MESSAGE = 1_000;

/** Title of the one issue about what the last apply could not do. */
export const FAILURES_TITLE = 'Reelform: failed renders';

/**
 * What an apply could not do, video by video, for a comment or an issue.
 *
 * @param from the commit that was applied, and the page of its run where there is one
 * @returns null when all went well
 */
export function failuresMarkdown(
  { failed, undelivered, unknown }: ApplyOutcome,
  from: { readonly commit: string; readonly runUrl: string | null },
): string | null {
  const count = failed.length + undelivered.length + unknown.length;
  if (count === 0) return null;
  const run = from.runUrl === null ? '' : ` ([run](${from.runUrl}))`;
  const head = [
    `**Reelform could not finish ${countNoun(count, 'video')}** of ${from.commit.slice(0, 12)}${run}.`,
    'The next `reelform apply` takes up these alone: what was rendered is recorded.',
  ];
  const blocks = [
    ...failed.map(({ id, failures }) => blockOf(id, 'not rendered', failures)),
    ...undelivered.map(({ id, failures }) => blockOf(id, 'rendered, not delivered', failures)),
    ...unknown.map(({ id }) => `- ${markdownCode(id)}: not known whether it was taken on; see \`reelform resolve\``),
  ];
  const shown: string[] = [];
  let size = 0;
  for (const block of blocks) {
    size += block.length + 1;
    if (size > MOST_CHARACTERS) break;
    shown.push(block);
  }
  const left = blocks.length - shown.length;
  return [...head, '', ...shown, ...(left > 0 ? [`- and ${countNoun(left, 'video')} more: see the run`] : [])].join(
    '\n',
  );
}

/** What the issue says once all is well. */
export function mendedMarkdown(commit: string): string {
  return `All videos are as their definitions want them, as of ${commit.slice(0, 12)}.`;
}

function blockOf(id: string, what: string, failures: readonly Failure[]): string {
  const lines = failures.map(({ code, message, hint, editable }) => {
    const where = editable === undefined ? '' : ` ${markdownCode(editable)}:`;
    const tip = hint === undefined ? '' : ` Hint: ${inert(hint)}`;
    return `  - ${markdownCode(code)}:${where} ${inert(message)}.${tip}`;
  });
  return [`- ${markdownCode(id)}, ${what}:`, ...lines].join('\n');
}

function inert(text: string): string {
  const short = text.length > MOST_OF_MESSAGE ? `${text.slice(0, MOST_OF_MESSAGE).toWellFormed()}…` : text;
  return escapeMarkdown(short.replaceAll(/\s+/g, ' '));
}
