import { createColors } from 'picocolors';

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
