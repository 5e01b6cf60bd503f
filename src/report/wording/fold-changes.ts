import { byCodeUnit } from '../../digest.ts';
import { ACTIONS } from '../../plan/plan.ts';
import type { ChangeDocument, PlanDocument } from '../../plan/plan-document.ts';

/** Changes that are shown as one block. */
export interface ChangeGroup {
  /** Of one action, by id. */
  readonly changes: readonly [ChangeDocument, ...ChangeDocument[]];
  /**
   * What they have in common: `one` is a change by itself; `same`, that they differ from before in exactly the same way;
   * `folder`, that they are in one folder and nothing is to be said of their values; `rest`, nothing but the action.
   */
  readonly kind: 'one' | 'same' | 'folder' | 'rest';
}

/** A plan with more changes than this is folded. */
const MOST_CHANGES = 50;

/** So many blocks has each action in a folded plan, and one more for the rest. */
const MOST_BLOCKS = 12;

/**
 * Brings the changes that need something into blocks: one each and by id, while they are few. In a large plan videos that
 * differ in exactly the same way become one block, such as a colour that hundreds have from one file, and so do those of
 * one folder that are created, moved, restored or forgotten. Its blocks are ordered by action, the largest first; of each
 * action's many, what comes after the first few is one block of names.
 */
export function foldChanges({ changes }: PlanDocument, fold: boolean): ChangeGroup[] {
  if (!fold || changes.length <= MOST_CHANGES) return changes.map((change) => ({ changes: [change], kind: 'one' }));
  return ACTIONS.flatMap((action) => foldAlike(changes.filter((change) => change.action === action)));
}

function foldAlike(changes: readonly ChangeDocument[]): ChangeGroup[] {
  const groups = new Map<string, [ChangeDocument, ...ChangeDocument[]]>();
  for (const change of changes) {
    const key = likeness(change);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [change]);
    else group.push(change);
  }
  const largestFirst = [...groups.values()].sort((a, b) => b.length - a.length || byCodeUnit(a[0].id, b[0].id));
  const blocks = largestFirst.slice(0, MOST_BLOCKS).map((group): ChangeGroup => {
    const kind = group.length === 1 ? 'one' : hasDifferences(group[0]) ? 'same' : 'folder';
    return { changes: group, kind };
  });
  const [first, ...others] = largestFirst.slice(MOST_BLOCKS).flat();
  if (first === undefined) return blocks;
  const rest = [first, ...others].sort((a, b) => byCodeUnit(a.id, b.id)) as [ChangeDocument, ...ChangeDocument[]];
  return [...blocks, { changes: rest, kind: 'rest' }];
}

/** Equal for changes that one block can tell. */
function likeness(change: ChangeDocument): string {
  const { reason, inputs, fields, template, source } = change;
  const common = hasDifferences(change) ? [template, inputs, fields] : folderOf(change);
  return JSON.stringify([reason, source?.kind, source?.kind === 'journal' && source.video_url === null, common]);
}

function hasDifferences({ inputs, fields }: ChangeDocument): boolean {
  return inputs.length > 0 || fields.length > 0;
}

/** The folder of the video's id with a slash behind it; empty at the top. */
export function folderOf({ id }: ChangeDocument): string {
  return id.slice(0, id.lastIndexOf('/') + 1);
}
