import { createColors } from 'picocolors';
import { escapeControls } from '../wording/display-text.ts';
import { countSeverities } from '../wording/quantities.ts';

/** Result of one check. */
export interface DoctorCheck {
  /** Subject in a few words: `Node`, `Lockfile`, `Service`. */
  readonly name: string;
  /** `warning` needs attention; `error` keeps commands from working. */
  readonly status: 'ok' | 'warning' | 'error';
  /** Finding in at most one sentence: `20.19.0`, `no reelform.yaml here or above`. */
  readonly message: string;
  /** Command to type or setting to change. */
  readonly hint?: string | undefined;
}

/** Formats checks in the given order, with hints below them, and a summary. */
export function doctorText(checks: readonly DoctorCheck[], options: { readonly color: boolean }): string {
  const { green, yellow, red, dim, bold, cyan } = createColors(options.color);
  const marks = { ok: green('✓'), warning: yellow('!'), error: red('✗') };
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, message, hint }) => {
    const line = `${marks[status]} ${name.padEnd(width)}  ${escapeControls(message)}`;
    return hint === undefined
      ? [line]
      : [line, `  ${' '.repeat(width)}  ${cyan('hint:')} ${dim(escapeControls(hint))}`];
  });
  const problems = countSeverities(checks.map(({ status }) => status)) || 'Everything is OK';
  return `${[...lines, '', bold(`${problems}.`)].join('\n')}\n`;
}
