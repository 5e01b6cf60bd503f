import { join } from 'node:path';
import type { Result } from '../diagnostic.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Plan } from '../plan/plan.ts';
import { type LocalOutputs, observeOutputs } from '../project/observe-outputs.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../project/repository-names.ts';
import { haveSizes } from './find-suspects.ts';
import type { Memory, Outcome, SeenOutputs } from './memory.ts';
import { type PlanMemory, RecordLost } from './plan-memory.ts';
import { planPart } from './plan-part.ts';
import { rememberOutcome, withoutOutcome } from './remember-outcome.ts';
import { isTrusted, type Stamp } from './stamp.ts';
import { isAsItWas, readRanges, readWhole, stateOf } from './watched-files.ts';

/** Both sides of a plan. */
export interface Comparison {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** Local files of the lock's entries. */
  readonly outputs: Pick<LocalOutputs, 'missing' | 'damaged'>;
  /**
   * The plan of everything, given that of the two sides: theirs, with what was left out of them for having nothing to do.
   * It is remembered.
   *
   * @param plan of all videos, with nothing asked for but what the definitions say
   */
  complete(plan: Plan): Plan;
}

export interface CompareOptions {
  /** Whether videos that have nothing to do may be left out of both sides. */
  readonly mayBePart: boolean;
  /** Whether local outputs that are missing or damaged are restored; otherwise they are no reason for a change. */
  readonly restores: boolean;
}

/**
 * Reads what a plan compares: what is wanted, what the lockfile says, and which of its outputs are there. EDGE.
 *
 * @param memory of the repository as it is now; null where nothing is remembered
 * @param desired all videos
 */
export async function compareRepository(
  root: string,
  memory: PlanMemory | null,
  desired: () => readonly DesiredVideo[],
  { mayBePart, restores }: CompareOptions,
): Promise<Result<Comparison>> {
  const lockPath = join(root, LOCK_FILE);
  if (memory?.memory != null) memory.memory = forgetOutcome(memory.memory, lockPath, memory.stamp);
  const part = mayBePart && memory !== null ? openPart(root, lockPath, memory, restores) : null;
  if (part !== null) return { ok: true, value: part };

  const compared = memory === null ? null : seeCompared(root, lockPath, memory.stamp);
  const lock = await readLock(lockPath, LOCK_FILE);
  if (!lock.ok) return lock;
  const outputs = observeOutputs(root, lock.value);
  return {
    ok: true,
    value: {
      desired: desired(),
      lock: lock.value,
      outputs,
      complete(plan) {
        if (memory?.memory == null) return plan;
        const stands = compared !== null && isAsSeen(lockPath, compared.outcome.lock);
        if (stands && memory.memory.config.journal === 'file') {
          const seen = { ...compared.outcome, outputs: seenOutputs(outputs) };
          memory.memory = rememberOutcome(memory.memory, plan, lock.value, compared.bytes, seen);
        }
        memory.store();
        return plan;
      },
    },
  };
}

function seenOutputs({ sizes }: LocalOutputs): SeenOutputs {
  return { paths: [...sizes.keys()], sizes: Float64Array.from(sizes.values()) };
}

/** What the last plan found is worth nothing with another lockfile. */
function forgetOutcome(memory: Memory, lockPath: string, stamp: Stamp): Memory {
  const { outcome } = memory;
  if (outcome === null || isAsItWas(lockPath, outcome.lock)) return memory;
  const now = outcome.lock === null ? null : readWhole(lockPath, stamp);
  if (now !== null && now.seen.sha256 === outcome.lock?.sha256) {
    return { ...memory, outcome: { ...outcome, lock: now.seen } };
  }
  return withoutOutcome(memory);
}

function openPart(root: string, lockPath: string, memory: PlanMemory, restores: boolean): Comparison | null {
  const { memory: remembered, stamp } = memory;
  if (remembered === null || remembered.outcome === null) return null;
  const { outcome } = remembered;
  if (restores && !haveSizes(root, outcome.outputs)) return null;
  const journal = seeJournal(root, stamp);
  const texts = {
    videos: memory.videos.bind(memory),
    entries: (ranges: Parameters<typeof readRanges>[1]) =>
      outcome.lock === null ? null : readRanges(lockPath, ranges, outcome.lock.tuple),
  };
  const isSeen = isAsItWas(join(root, JOURNAL_FILE), outcome.journal);
  const part = partOrNull({ ...remembered, outcome: isSeen ? outcome : { ...outcome, journal } }, texts);
  return (
    part && {
      desired: part.desired,
      lock: part.lock,
      // A delivery takes its file from here, whether or not it is restored for its own sake.
      outputs: observeOutputs(root, part.lock),
      complete(plan) {
        memory.memory = part.remember(plan);
        memory.store();
        return part.complete(plan);
      },
    }
  );
}

function partOrNull(...inputs: Parameters<typeof planPart>): ReturnType<typeof planPart> {
  try {
    return planPart(...inputs);
  } catch (error) {
    if (error instanceof RecordLost) return null;
    throw error;
  }
}

/** The lockfile and the journal before they are read; null for a lockfile that changes under our eyes. */
function seeCompared(
  root: string,
  lockPath: string,
  stamp: Stamp,
): { outcome: Pick<Outcome, 'lock' | 'journal'>; bytes: Buffer | null } | null {
  const lock = stateOf(lockPath) === null ? null : readWhole(lockPath, stamp);
  if (lock === null && stateOf(lockPath) !== null) return null;
  return { outcome: { lock: lock?.seen ?? null, journal: seeJournal(root, stamp) }, bytes: lock?.bytes ?? null };
}

function seeJournal(root: string, stamp: Stamp): Outcome['journal'] {
  const tuple = stateOf(join(root, JOURNAL_FILE));
  return tuple && { tuple, isTrusted: isTrusted(tuple, stamp) };
}

/** Whether the file is in the state in which it was seen a moment ago. */
function isAsSeen(path: string, seen: Outcome['lock']): boolean {
  return isAsItWas(path, seen && { ...seen, isTrusted: true });
}
