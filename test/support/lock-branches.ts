import type { Fingerprint, Lock, LockEntry } from '../../src/reconciler/lock/lock.ts';

/** Edits of a lock on one branch. */
export type BranchEdit = (versions: Map<string, number>, random: () => number) => void;

/** Edits of the same lock on two branches, and whether plain git can merge them. */
export interface MergeScenario {
  readonly name: string;
  readonly ours: BranchEdit;
  readonly theirs: BranchEdit;
  /** Whether plain git conflicts, always or never. */
  readonly conflicts: boolean;
}

/** Returns the lock entry of rendering number `version` of a video. */
export function versionOf(id: string, version: number): LockEntry {
  const digits = version.toString(16).padStart(8, '0').repeat(8);
  return {
    fingerprint: `v1:${digits}` as Fingerprint,
    title: `The video ${id}`,
    service: 'embedded',
    template: 'launch',
    style_version: 'tsv_1',
    inputs: { t_01: `${id} ${version}`, c_01: 'EEADA7' },
    session: `rs_${id}_${version}`,
    video_url: `renders/${id}-${digits.slice(0, 8)}.mp4`,
    thumbnails: [],
    rendered_at: new Date(Date.UTC(2026, 0, 1) + version * 1000).toISOString(),
  };
}

export function lockOf(versions: ReadonlyMap<string, number>): Lock {
  return { videos: new Map([...versions].map(([id, version]) => [id, versionOf(id, version)])), extra: {} };
}

const idAt = (index: number): string => `store-${String(index).padStart(5, '0')}`;

/** Returns a lock of many videos, each rendered once. */
export function manyVideos(count: number): Map<string, number> {
  return new Map(Array.from({ length: count }, (_, index) => [idAt(index), 1]));
}

/** Returns the scenarios by which the format of the lock was chosen. @param at position in the lock */
export function mergeScenarios(count: number, at: number): MergeScenario[] {
  const update =
    (index: number, version: number): BranchEdit =>
    (versions) =>
      versions.set(idAt(index), version);
  const onePercent =
    (half: 0 | 1): BranchEdit =>
    (versions, random) => {
      for (let change = 0; change < Math.max(1, count / 100); change++) {
        versions.set(idAt(Math.floor(random() * (count / 2)) * 2 + half), 2 + half);
      }
    };
  return [
    { name: 'neighbours updated', ours: update(at, 2), theirs: update(at + 1, 3), conflicts: false },
    { name: 'one entry apart', ours: update(at, 2), theirs: update(at + 2, 3), conflicts: false },
    { name: 'both update one entry', ours: update(at, 2), theirs: update(at, 3), conflicts: true },
    {
      name: 'both add at one place',
      ours: (versions) => versions.set(`${idAt(at)}-a`, 2),
      theirs: (versions) => versions.set(`${idAt(at)}-b`, 3),
      conflicts: true,
    },
    {
      name: 'one removed beside an update',
      ours: (versions) => versions.delete(idAt(at)),
      theirs: update(at + 1, 3),
      conflicts: false,
    },
    {
      name: 'one removed, updated by the other',
      ours: (versions) => versions.delete(idAt(at)),
      theirs: update(at, 3),
      conflicts: true,
    },
    { name: '1 % of all, at random', ours: onePercent(0), theirs: onePercent(1), conflicts: false },
  ];
}
