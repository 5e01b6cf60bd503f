import { createColors } from 'picocolors';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';

/** What `reelform lock verify` says of a lockfile that has no error. */
export function verifiedText(
  file: string,
  entryCount: number,
  options: { readonly color: boolean; readonly isCompared: boolean },
): string {
  const { green, dim } = createColors(options.color);
  const told = `${green('✓')} ${file} is in order, ${countNoun(entryCount, 'entry', 'entries')}.\n`;
  const why = 'The definitions have mistakes, so they were not compared with it: reelform validate tells them.';
  return options.isCompared ? told : `${told}${dim(why)}\n`;
}

/** What `reelform lock migrate` did. */
export function migratedText(
  file: string,
  lock: {
    readonly entryCount: number;
    readonly differsAt: number | null;
    readonly reordered: boolean;
    readonly rewritten: readonly string[];
  },
  options: { readonly color: boolean },
): string {
  const { green } = createColors(options.color);
  if (lock.differsAt === null) return `${file} is in today's form already.\n`;
  const lines = [
    ...(lock.reordered ? ['  the entries are sorted'] : []),
    ...lock.rewritten.map((id) => `  ${escapeControls(id)}: its fields are in their order`),
  ];
  const what = lines.length > 0 ? `:\n${lines.join('\n')}` : ': its layout alone was another';
  return `${green('✓')} ${file} is in today's form now${what}\n`;
}
