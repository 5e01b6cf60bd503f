import { countNoun, formatCount } from '../wording/count-noun.ts';

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
