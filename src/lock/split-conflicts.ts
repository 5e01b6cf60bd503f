import type { LockVersions } from './merge-lock-texts.ts';

/**
 * A text with git's conflict markers → the texts of both sides, and of what they come from where the markers tell it
 * (`merge.conflictStyle` diff3 or zdiff3). Null when there are no markers, or they do not follow each other as git's do.
 *
 * @see https://git-scm.com/docs/git-merge#_how_conflicts_are_presented
 */
export function splitConflicts(text: string): LockVersions | null {
  const lines = { ours: [] as string[], base: [] as string[], theirs: [] as string[] };
  let part: 'all' | 'ours' | 'base' | 'theirs' = 'all';
  let conflicts = 0;
  let withBase = 0;
  for (const line of text.split('\n')) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/.exec(line)?.[1]?.[0];
    if (marker === undefined) {
      if (part === 'all') for (const one of Object.values(lines)) one.push(line);
      else lines[part].push(line);
    } else if (marker === '<' && part === 'all') {
      conflicts++;
      part = 'ours';
    } else if (marker === '|' && part === 'ours') {
      withBase++;
      part = 'base';
    } else if (marker === '=' && (part === 'ours' || part === 'base')) {
      part = 'theirs';
    } else if (marker === '>' && part === 'theirs') {
      part = 'all';
    } else {
      return null;
    }
  }
  if (conflicts === 0 || part !== 'all') return null;
  return {
    base: withBase === conflicts ? lines.base.join('\n') : null,
    ours: lines.ours.join('\n'),
    theirs: lines.theirs.join('\n'),
  };
}
