import { type ChangeDocument, type PlanDocument, splitRestores } from '../../plan/plan-document.ts';
import { countNoun } from './count-noun.ts';
import { formatDuration } from './duration.ts';
import { reasonWords } from './plan-words.ts';

/** Videos that are restored for one reason, by id. */
export interface RestoreGroup {
  /** Such as `its video is missing`. */
  readonly words: string;
  readonly ids: readonly string[];
}

/** `3 videos to restore, 36 s of video: …`, in a sentence or two; empty where a plan restores nothing. */
export function restoreWords(document: PlanDocument): string {
  const { restores } = splitRestores(document);
  if (restores.length === 0) return '';
  const { videos, seconds_of_video: seconds } = document.estimate.restores ?? { videos: 0, seconds_of_video: null };
  // The estimate has those, too, that are restored along with another change.
  const length = seconds === null || videos !== restores.length ? '' : `, ${formatDuration(seconds * 1000)} of video`;
  return `${countNoun(restores.length, 'video')} to restore${length}: rendered again to the same files; nothing else changes.`;
}

/** Those that a plan only restores, by reason. */
export function restoreGroups(document: PlanDocument): RestoreGroup[] {
  const groups = new Map<string, string[]>();
  for (const change of splitRestores(document).restores) {
    const words = reasonWords(change);
    const group = groups.get(words);
    if (group === undefined) groups.set(words, [change.id]);
    else group.push(change.id);
  }
  return [...groups].map(([words, ids]) => ({ words, ids }));
}

/** Whether a plan does more than restore local files. */
export function hasChanges(document: Pick<PlanDocument, 'changes'>): boolean {
  return splitRestores(document).changes.length > 0;
}

/** The plan without what it only restores: what there is to review. */
export function withoutRestores(
  document: PlanDocument,
): PlanDocument & { readonly changes: readonly ChangeDocument[] } {
  return { ...document, changes: splitRestores(document).changes };
}
