/** The folder of the embedded service's finished videos, repository-relative; git ignores it. */
export const OUTPUTS_FOLDER = 'renders';

/** Endings of finished files, one for each output format. */
export const OUTPUT_ENDINGS = ['mp4', 'webm', 'gif', 'webp', 'png', 'zip'] as const;

const FORM = new RegExp(`^${OUTPUTS_FOLDER}/([\\w./-]{1,240})\\.(?:${OUTPUT_ENDINGS.join('|')})$`);

/** Whether the embedded service wrote it: a file below `renders/`, and nowhere else. */
export function isOutputPath(url: string): boolean {
  return FORM.test(url) && url.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

/** The name below `renders/`, without ending, that gives this output again. */
export function outputNameOf(url: string): string {
  return FORM.exec(url)?.[1] ?? url;
}
