import { byCodeUnit } from '../../kernel/digest.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { ACTIONS } from '../../reconciler/plan/plan.ts';
import type { ChangeDocument, PlanDocument, SourceDocument } from '../../reconciler/plan/plan-document.ts';

/** Changes shown as a block. */
export interface ChangeGroup {
  /** Changes with the same action, sorted by id. */
  readonly changes: readonly [ChangeDocument, ...ChangeDocument[]];
  /**
   * Common ground of the changes: `single` means a single change; `same` means identical differences; `folder` means the same
   * folder and no changed values; `definition` means variants, locales and rows of one definition, with the same reason; `rest`
   * means only the action.
   */
  readonly kind: 'single' | 'same' | 'folder' | 'definition' | 'rest';
}

/** Plans with more blocks are folded further. */
const MAX_CHANGES = 50;

/** Maximum number of blocks per action in a folded plan, besides a block for the rest. */
const MAX_BLOCKS = 12;

/**
 * Groups changes into blocks: a block per change, by id, in a small plan. Variants, locales and rows of one definition form a block if
 * they change for the same reason. In a large plan, videos with identical differences form a block, and so do videos without
 * differences of the same definition or folder. Blocks are ordered by action and size; the smallest groups of an action share a
 * block of names.
 */
export function foldChanges({ changes }: PlanDocument, fold: boolean): ChangeGroup[] {
  if (!fold) return changes.map((change) => ({ changes: [change], kind: 'single' }));
  const blocks = [...groupBy(changes, definitionKey).values()];
  if (blocks.length <= MAX_CHANGES) {
    return blocks.map((group) => ({ changes: group, kind: group.length === 1 ? 'single' : 'definition' }));
  }
  return ACTIONS.flatMap((action) => foldAlike(changes.filter((change) => change.action === action)));
}

function foldAlike(changes: readonly ChangeDocument[]): ChangeGroup[] {
  const largestFirst = [...groupBy(changes, likeness).values()].sort(
    (a, b) => b.length - a.length || byCodeUnit(a[0].id, b[0].id),
  );
  const blocks = largestFirst.slice(0, MAX_BLOCKS).map((group): ChangeGroup => {
    const [{ matrix }] = group;
    const alike = matrix === undefined ? 'folder' : 'definition';
    return { changes: group, kind: group.length === 1 ? 'single' : hasDifferences(group[0]) ? 'same' : alike };
  });
  const [first, ...further] = largestFirst.slice(MAX_BLOCKS).flat();
  if (first === undefined) return blocks;
  const rest = [first, ...further].sort((a, b) => byCodeUnit(a.id, b.id)) as [ChangeDocument, ...ChangeDocument[]];
  return [...blocks, { changes: rest, kind: 'rest' }];
}

/** Returns a key that is equal for changes in the block of a definition. A video that takes over another id is always on its own. */
function definitionKey({ id, action, reason, matrix, source, previous_id }: ChangeDocument): string {
  if (matrix === undefined || previous_id !== null) return id;
  return JSON.stringify([matrix.definition, action, reason, ...sourceKey(source)]);
}

function sourceKey(source: SourceDocument | null): unknown[] {
  return [source?.kind, source?.kind === 'journal' && source.video_url === null];
}

/** Returns a key that is equal for changes in the same block of a large plan. */
function likeness(change: ChangeDocument): string {
  const { reason, inputs, fields, template, source, matrix } = change;
  const scenes = change.scenes?.filter(({ difference }) => difference !== null);
  const place = matrix === undefined ? folderOf(change) : { definition: matrix.definition };
  const common = hasDifferences(change) ? [template, inputs, fields, scenes, change.left_out] : place;
  return JSON.stringify([reason, ...sourceKey(source), common]);
}

function hasDifferences({ inputs, fields, scenes = [], left_out = [] }: ChangeDocument): boolean {
  const differ = scenes.some(({ difference }) => difference !== null);
  return inputs.length > 0 || fields.length > 0 || differ || left_out.length > 0;
}

/** Returns the folder part of a video's id with a trailing slash; empty at the top level. */
export function folderOf({ id }: ChangeDocument): string {
  return id.slice(0, id.lastIndexOf('/') + 1);
}
