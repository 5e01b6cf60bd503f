import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { applyPlan } from '../../apply/apply-plan.ts';
import type { ApplyEvent, ApplyOutcome } from '../../apply/events.ts';
import type { Clock } from '../../apply/ports.ts';
import { SourceVersions } from '../../apply/source-versions.ts';
import { EXIT } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import type { LockFile } from '../../lock/lock-file.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Project } from '../../project/load-project.ts';
import type { CommitRun } from '../commit/commit-run.ts';
import { openUrlLook } from '../drift/run-refresh.ts';
import { type Io, isAttended } from '../io.ts';
import type { OpenJournal } from '../journal/open-journal.ts';
import { openLockFile } from '../lock/open-lock.ts';
import type { OpenService } from '../service/open-service.ts';
import { OutcomeSoFar } from './outcome-so-far.ts';
import { type RunWatch, watchRun } from './watch-run.ts';

/** Milliseconds that a run without a terminal waits for what is at work, once it was asked to end: those who ask kill soon. */
const DETACH_MS = 5_000;

/** Milliseconds that servers of remote files have to answer, once everything is rendered. */
const NOTES_MS = 2_000;

export interface RunPlanInput {
  readonly plan: Plan;
  readonly project: Project;
  /** As it was when the plan was made. */
  readonly lock: Lock;
  readonly service: OpenService;
  readonly journal: OpenJournal;
  readonly concurrency: number;
  readonly timeoutMs: number | null;
  readonly failFast: boolean;
  readonly color: boolean;
  /** Whether `onEvent` writes to stdout: a terminal that shows that is nothing to draw on. */
  readonly streams: boolean;
  /** Brings the lockfile onto its branch; null: nobody asked for that. */
  readonly commit: CommitRun | null;
  onEvent(event: ApplyEvent): void;
  /** The process ends at once, in the middle of the run. */
  onLeave(outcome: ApplyOutcome): void;
}

/**
 * Carries a plan out in this repository, shows the run while it goes on, and lets it be interrupted: the first time nothing
 * new is begun; what is at work is waited for on a terminal, and elsewhere left to the service after five seconds. The
 * second time the process ends at once. Closes the service, not the journal.
 */
export async function runPlan(input: RunPlanInput, io: Io): Promise<ApplyOutcome> {
  const { plan, project, lock, service, journal } = input;
  const lockFile = openLockFile(project.root, lock);
  const lookAtUrl = openUrlLook(project.config, io);
  const notes = new SourceVersions(plan, lookAtUrl);
  const watch = watchRun({ color: input.color, streams: input.streams }, io);
  const soFar = new OutcomeSoFar();
  const startedAt = io.monotonicNow();
  const leave = (): void => {
    input.onLeave(soFar.interrupted(io.monotonicNow() - startedAt));
    watch.leave();
    io.leave(EXIT.interrupted);
  };
  const interruption = listenToInterrupts(watch, leave, io);
  try {
    const outcome = await applyPlan({
      plan,
      videos: new Map(project.videos.map((video) => [video.id, video])),
      service: service.service,
      digestOf: (path) => project.assets.get(path)?.sha256,
      concurrency: Math.min(input.concurrency, service.capacity),
      signal: interruption.stop,
      detach: interruption.detach,
      deadlineMs: input.timeoutMs,
      failFast: input.failFast,
      run: randomUUID(),
      onEvent(event) {
        notes.take(event);
        soFar.take(event);
        input.onEvent(event);
        watch.take(event);
      },
      ports: {
        async updateLock(change) {
          const saved = await lockFile.update((present) => notes.addTo(change(present)));
          input.commit?.saved(saved);
          return saved;
        },
        journal,
        ensureStyleVersion: service.ensureStyleVersion,
        readFile: (path) => readFile(join(project.root, path)),
        lookAtUrl,
        clock: openClock(io),
        newKey: () => randomUUID(),
      },
    });
    if (outcome.endedBy !== 'interrupted')
      await Promise.race([notes.settled(), setTimeout(NOTES_MS, null, { ref: false })]);
    const recorded = await lockFile.update((present) => notes.addTo(present));
    // What is not on its branch yet is in the journal still.
    if ((await input.commit?.finish(recorded)) !== false) await tidyJournal(journal, recorded);
    return outcome;
  } catch (error) {
    // What was recorded before it is worth as much.
    await finishAfter(input.commit, lockFile);
    throw error;
  } finally {
    notes.close();
    interruption.close();
    watch.close();
    await service.close();
  }
}

/** Brings onto the branch what there is; what ended the run is told, and not what this meets. */
async function finishAfter(commit: CommitRun | null, lockFile: LockFile): Promise<void> {
  try {
    await commit?.finish(await lockFile.update((present) => present));
  } catch {
    // The journal has it.
  }
}

/** The lockfile has what was rendered: the journal need not. One that stays long is no harm, and the next run tidies it. */
async function tidyJournal(journal: OpenJournal, lock: Lock): Promise<void> {
  await journal.compact(lock).catch(() => undefined);
}

interface Interruption {
  /** Nothing new is to be begun. */
  readonly stop: AbortSignal;
  /** What is at work is to be left. */
  readonly detach: AbortSignal;
  close(): void;
}

/** @param leave ends the process */
function listenToInterrupts(watch: RunWatch, leave: () => void, io: Io): Interruption {
  const stop = new AbortController();
  const detach = new AbortController();
  let cancel = (): void => {};
  const stopListening = io.onInterrupt(() => {
    if (stop.signal.aborted) return leave();
    stop.abort();
    watch.stopping();
    if (!isAttended(io)) cancel = io.after(DETACH_MS, () => detach.abort());
  });
  return {
    stop: stop.signal,
    detach: detach.signal,
    close() {
      stopListening();
      cancel();
    },
  };
}

function openClock(io: Io): Clock {
  return {
    now: () => io.now(),
    monotonicNow: () => io.monotonicNow(),
    async wait(milliseconds, signal) {
      try {
        await setTimeout(milliseconds, undefined, signal === undefined ? {} : { signal });
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
