import { createColors } from 'picocolors';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';

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
