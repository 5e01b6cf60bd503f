import { createColors } from 'picocolors';
import type { LeftOutVideo } from '../../reconciler/definition/video.ts';
import { escapeControls } from '../wording/display-text.ts';
import { leftOutHint } from '../wording/left-out-words.ts';
import { countNoun, countSeverities, formatCount, listSome } from '../wording/quantities.ts';

/**
 * Reports the result of `reelform fmt`.
 *
 * @param files.changed paths that were written or need formatting
 * @param files.kept paths that cannot be formatted without changing their meaning
 */
export function fmtText(
  files: { readonly changed: readonly string[]; readonly kept: readonly string[]; readonly total: number },
  options: { readonly check: boolean; readonly color: boolean },
): string {
  const { green, yellow } = createColors(options.color);
  const lines = [
    ...files.changed.map((path) =>
      options.check
        ? `${yellow('not formatted')}  ${escapeControls(path)}`
        : `${green('wrote')}  ${escapeControls(path)}`,
    ),
    ...files.kept.map((path) => `${yellow('left')}  ${escapeControls(path)}: formatting would change its meaning`),
  ];
  const all = `${green('✓')} ${countNoun(files.total, 'file')} formatted.`;
  return `${(lines.length === 0 ? [all] : lines).join('\n')}\n`;
}

/** @param outdated paths that were written or need an update */
export function pullText(
  outdated: readonly string[],
  total: number,
  options: { readonly check: boolean; readonly color: boolean },
): string {
  const { green, yellow } = createColors(options.color);
  if (outdated.length === 0) return `${green('✓')} ${total} files under schemas/ are up to date.\n`;
  const lines = outdated.map((path) =>
    options.check ? `${yellow('out of date')}  ${path}` : `${green('wrote')}  ${path}`,
  );
  return `${lines.join('\n')}\n`;
}

export function validText(videoCount: number, templateCount: number): string {
  return `${countNoun(videoCount, 'video')} and ${countNoun(templateCount, 'template')} are valid.\n`;
}

/** Number of videos that a text names. */
const MAX_NAMES = 10;

/**
 * Reports a lint run.
 *
 * @param linted.invalid ids of videos that could not be checked because of errors, or their definitions if the ids are unknown
 */
export function lintText(linted: {
  readonly diagnostics: readonly unknown[];
  readonly checked: number;
  readonly remote: readonly string[];
  readonly invalid: readonly string[];
  /** Selected videos that their conditions leave out. */
  readonly conditional: readonly LeftOutVideo[];
}): string {
  const { diagnostics, checked, remote, invalid, conditional } = linted;
  const isWhole = diagnostics.length === 0 && invalid.length === 0 && conditional.length === 0;
  const found = isWhole ? ', no problems found' : '';
  const away = countNoun(remote.length, 'video');
  const rest = remote.length === 0 ? '' : ` ${away} with a template of the service cannot be checked locally.`;
  const names = escapeControls(listSome(invalid, MAX_NAMES, (name) => name));
  const errors = invalid.length === 0 ? '' : ` Not checked because of errors: ${names}.`;
  const reasons = conditional.map((video) => `Not checked: ${escapeControls(leftOutHint(video))}.\n`).join('');
  return `${countNoun(checked, 'video')} checked${found}.${rest}${errors}\n${reasons}`;
}

/** Text after the Git LFS pointers that an apply found. */
export function pointerRefusal(): string {
  return 'Nothing was rendered: files are Git LFS pointers.\n';
}

/** Explains why an apply stopped before rendering. */
export function lintRefusal(): string {
  return 'Nothing was rendered, because lint found errors. Correct them, exclude these videos with --exclude, or pass --no-lint.\n';
}

export function lintProgress(checked: number, count: number): string {
  return `Checked ${formatCount(checked)} of ${countNoun(count, 'video')} for visible problems.\n`;
}

/** Result of a check. */
export interface DoctorCheck {
  /** Subject in a few words: `Node`, `Lockfile`, `Service`. */
  readonly name: string;
  /** `warning` needs attention; `error` keeps commands from working. */
  readonly status: 'ok' | 'warning' | 'error';
  /** Finding in at most a sentence: `20.19.0`, `no reelform.yaml here or above`. */
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
