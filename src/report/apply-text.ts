import { createColors } from 'picocolors';
import type { ApplyEvent, ApplyOutcome, Failure } from '../apply/events.ts';
import { formatDuration } from './duration.ts';
import { escapeControls } from './escape-controls.ts';

type Colors = ReturnType<typeof createColors>;

/** One line per change of state, each with its video's id: for logs, where lines of several videos mix. */
export class ApplyLines {
  readonly #colors: Colors;
  #finished = 0;
  #renders = 0;
  #idWidth = 0;

  constructor(options: { readonly color: boolean }) {
    this.#colors = createColors(options.color);
  }

  /** The lines that an event makes, without line breaks. */
  linesOf(event: ApplyEvent): string[] {
    const { dim } = this.#colors;
    switch (event.kind) {
      case 'run-started':
        this.#renders = event.ids.length;
        this.#idWidth = longest(event.ids);
        return [];
      case 'video-started':
        return [`${dim('…')} ${event.id.padEnd(this.#idWidth)}  ${dim('rendering')}`];
      case 'video-rendered':
      case 'video-failed': {
        this.#finished += 1;
        const [first = '', ...rest] = finishedLines(event, this.#colors, this.#idWidth);
        return [`${first}  ${dim(`(${this.#finished} of ${this.#renders})`)}`, ...rest];
      }
      case 'video-recorded':
        return finishedLines(event, this.#colors, this.#idWidth);
      case 'video-progressed':
      case 'video-skipped':
      case 'run-finished':
        return [];
    }
  }
}

/** What is said of a video once it is done; ids are filled up to `idWidth`, so that what follows lines up. */
export function finishedLines(event: ApplyEvent, colors: Colors, idWidth: number): string[] {
  const { green, red, dim } = colors;
  switch (event.kind) {
    case 'video-rendered':
      return [
        `${green('✓')} ${escapeControls(event.id).padEnd(idWidth)}  ${dim(formatDuration(event.elapsedMs).padStart(8))}  ${escapeControls(event.videoUrl)}`,
      ];
    case 'video-failed':
      return [
        `${red('✗')} ${escapeControls(event.id).padEnd(idWidth)}  ${dim(`failed after ${formatDuration(event.elapsedMs)}`)}`,
        ...event.failures.flatMap((failure) => failureLines(failure, colors)),
      ];
    case 'video-recorded': {
      const words = {
        move: `moved from ${escapeControls(event.previousId ?? '')}`,
        relabel: 'relabelled',
        forget: 'forgotten',
      } as const;
      return [
        `${green('✓')} ${escapeControls(event.id).padEnd(idWidth)}  ${dim(words[event.action as keyof typeof words] ?? event.action)}`,
      ];
    }
    default:
      return [];
  }
}

/** Characters of the longest id. */
export function longest(ids: readonly string[]): number {
  return ids.reduce((width, id) => Math.max(width, id.length), 0);
}

/** The last words of a run: what was done, and what a person has to do now. */
export function outcomeText(
  outcome: ApplyOutcome,
  options: { readonly color: boolean; readonly interrupted: boolean },
): string {
  const { bold, green, red, yellow } = createColors(options.color);
  const { rendered, recorded, failed, skipped, elapsedMs } = outcome;
  const parts = [
    `${rendered} rendered`,
    ...(recorded > 0 ? [`${recorded} recorded`] : []),
    ...(failed.length > 0 ? [red(`${failed.length} failed`)] : []),
    ...(skipped.length > 0 ? [yellow(`${skipped.length} not begun`)] : []),
  ];
  const done = failed.length === 0 && skipped.length === 0;
  const title = options.interrupted ? yellow('Interrupted') : done ? green('Done') : red('Incomplete');
  const lines = [`${bold(title)}: ${parts.join(', ')} in ${formatDuration(elapsedMs)}.`];
  if (failed.length > 0 || skipped.length > 0) {
    lines.push('What was rendered is in the lockfile; `reelform apply` goes on with the rest.');
  }
  return `${lines.join('\n')}\n`;
}

function failureLines(failure: Failure, { red, dim, cyan }: Colors): string[] {
  const { editable, source } = failure;
  const from = source === undefined ? '' : ` (${escapeControls(source)})`;
  const where = editable === undefined ? '' : ` ${escapeControls(editable)}${from}:`;
  const lines = [`    ${red(failure.code)}:${where} ${escapeControls(failure.message)}`];
  if (failure.hint !== undefined) lines.push(`    ${cyan('hint:')} ${dim(escapeControls(failure.hint))}`);
  return lines;
}
