import { createColors } from 'picocolors';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';

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
  const count = (status: DoctorCheck['status']): number => checks.filter((check) => check.status === status).length;
  const [errors, warnings] = [count('error'), count('warning')];
  const counts = [
    ...(errors > 0 ? [countNoun(errors, 'error')] : []),
    ...(warnings > 0 ? [countNoun(warnings, 'warning')] : []),
  ];
  const all = counts.length === 0 ? 'All is well' : counts.join(' and ');
  return `${[...lines, '', bold(`${all}.`)].join('\n')}\n`;
}
