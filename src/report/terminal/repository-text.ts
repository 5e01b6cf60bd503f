import { createColors } from 'picocolors';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun, formatCount } from '../wording/quantities.ts';

/**
 * What `reelform fmt` did, or would do.
 *
 * @param files.changed paths that were written, or are not in form
 * @param files.kept paths whose form cannot be changed without their meaning
 * @param files.total that were looked at
 */
export function fmtText(
  files: { readonly changed: readonly string[]; readonly kept: readonly string[]; readonly total: number },
  options: { readonly check: boolean; readonly color: boolean },
): string {
  const { green, yellow } = createColors(options.color);
  const lines = [
    ...files.changed.map((path) =>
      options.check
        ? `${yellow('not in form')}  ${escapeControls(path)}`
        : `${green('wrote')}  ${escapeControls(path)}`,
    ),
    ...files.kept.map((path) => `${yellow('left')}  ${escapeControls(path)}: another form would change what it says`),
  ];
  const all = `${green('✓')} ${countNoun(files.total, 'file')} in form.`;
  return `${(lines.length === 0 ? [all] : lines).join('\n')}\n`;
}

/** @param outdated paths that were written, or would be; @param total of files that were looked at */
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

/** What is said when nothing is wrong. */
export function validText(videoCount: number, templateCount: number): string {
  return `${countNoun(videoCount, 'video')} over ${countNoun(templateCount, 'template')} are valid.\n`;
}

/** What is reported after videos were checked and nothing bad was found. */
export function lintText({
  diagnostics,
  checked,
  remote,
}: {
  readonly diagnostics: readonly unknown[];
  readonly checked: number;
  readonly remote: number;
}): string {
  const found = diagnostics.length === 0 ? ', and nothing was found' : '';
  const rest =
    remote === 0 ? '' : ` ${countNoun(remote, 'video')} with a template of the service cannot be looked at here.`;
  return `${countNoun(checked, 'video')} looked at${found}.${rest}\n`;
}

/** Why an apply ends before it renders anything. */
export function lintRefusal(): string {
  return 'Nothing was rendered, because lint found errors. Correct them, leave these videos out with --exclude, or pass --no-lint.\n';
}

/** A line for a check that takes long. */
export function lintProgress(checked: number, count: number): string {
  return `Checked ${formatCount(checked)} of ${countNoun(count, 'video')} for what a viewer would notice.\n`;
}
