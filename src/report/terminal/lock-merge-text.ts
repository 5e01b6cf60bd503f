import { createColors } from 'picocolors';
import type { MergeDecision, MergeSide } from '../../lock/merge-locks.ts';

import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';
import { longest } from './video-lines.ts';

/** Why a side was taken. */
const WHY: Readonly<Record<MergeDecision['why'], string>> = {
  present: 'it is what the definition says now',
  content: 'it was rendered from new content, the other from the same as before',
  later: 'it was rendered later',
  update: 'it was changed, the other side removed it',
  order: 'nothing tells the two apart',
};

/** What a merge had to decide, a line each; empty when nothing. */
export function mergeDecisionsText(
  file: string,
  decisions: readonly MergeDecision[],
  options: { readonly color: boolean },
): string {
  const { bold, yellow } = createColors(options.color);
  if (decisions.length === 0) return '';
  const width = longest(decisions.map(({ name }) => escapeControls(name)));
  const lines = decisions.map(({ kind, name, side, why }) => {
    const what = kind === 'field' ? ' (a field beside the videos)' : '';
    return `  ${bold(escapeControls(name).padEnd(width))}  ${sideText(side)}: ${WHY[why]}${what}`;
  });
  return `${yellow(`${file}: both sides changed ${countNoun(decisions.length, 'entry', 'entries')}`)}\n${lines.join('\n')}\n`;
}

/** What `reelform lock merge` says when it has mended the lockfile. */
export function mergedText(file: string, entryCount: number, options: { readonly color: boolean }): string {
  const { green } = createColors(options.color);
  const hint = `See with reelform plan what is left to do, then: git add ${file}`;
  return `${green('✓')} ${file} is merged, ${countNoun(entryCount, 'entry', 'entries')}. ${hint}\n`;
}

/** What it says of one that needs nothing. */
export function nothingToMergeText(file: string, isUnmerged: boolean): string {
  const hint = isUnmerged ? ` Git waits for: git add ${file}` : '';
  return `${file} holds no conflict.${hint}\n`;
}

/** What became of the settings of the merge driver. */
export function installedText(
  installed: Readonly<Record<'attributes' | 'driver', 'done' | 'already' | { readonly other: string }>>,
  options: { readonly color: boolean },
): string {
  const { green, yellow } = createColors(options.color);
  const line = (name: string, what: (typeof installed)['driver'], done: string): string => {
    if (what === 'done') return `${green('set')}  ${name}: ${done}\n`;
    if (what === 'already') return `${green('was set')}  ${name}\n`;
    return `${yellow('left')}  ${name} says something else: ${escapeControls(what.other)}\n`;
  };
  return [
    line('.gitattributes', installed.attributes, 'commit it'),
    line('merge.reelform.driver', installed.driver, 'for this clone; every other one needs it once'),
  ].join('');
}

function sideText(side: MergeSide): string {
  return side === 'ours' ? 'ours  ' : 'theirs';
}
