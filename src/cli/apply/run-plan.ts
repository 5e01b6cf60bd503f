import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import { readSource } from '../../kernel/read-source.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { applyPlan } from '../../reconciler/apply/apply-plan.ts';
import type { ApplyEvent, ApplyOutcome } from '../../reconciler/apply/events.ts';
import { SourceVersions } from '../../reconciler/apply/source-versions.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import type { LockFile } from '../../reconciler/lock/lock-file.ts';
import type { CaptionFile } from '../../reconciler/plan/caption-files.ts';
import type { Plan } from '../../reconciler/plan/plan.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { ApplyLines } from '../../report/terminal/apply-lines.ts';
import { exitText, stoppingText, unversionedText } from '../../report/terminal/apply-text.ts';
import { LiveView } from '../../report/terminal/live-view.ts';
import type { CommitRun } from '../commit/open-commit.ts';
import { printWarning } from '../forge/forge-job.ts';
import { type Io, isAttended, isScreen, wantsColor } from '../io.ts';
import { openUrlProbe } from '../service/open-remote-service.ts';
import type { OpenService } from '../service/open-service.ts';
import type { OpenJournal } from '../state/open-journal.ts';
import { openLockFile } from '../state/open-lock.ts';
import { projectTemplates } from '../state/video-templates.ts';
import { PartialOutcome } from './apply-outcome.ts';
import { openCaptionDelivery } from './deliver-captions.ts';
import { FooterScreen } from './footer-screen.ts';

/**
 * Time in milliseconds that an interrupted run without a terminal waits for pending renders. Supervisors kill soon
 * after the first signal.
 */
const DETACH_MS = 5_000;

/** Time in milliseconds that servers of remote files have to answer after the last render. */
const NOTES_MS = 2_000;

interface RunPlanInput {
  readonly plan: Plan;
  readonly project: Project;
  /** The lockfile that the plan was made from. */
  readonly lock: Lock;
  readonly service: OpenService;
  readonly journal: OpenJournal;
  readonly concurrency: number;
  readonly timeoutMs: number | null;
  readonly failFast: boolean;
  readonly color: boolean;
  /** True if `onEvent` writes to stdout. A terminal that shows stdout then gets no live view. */
  readonly streams: boolean;
  /** Commits the lockfile; null if no commit was requested. */
  readonly commit: CommitRun | null;
  onEvent(event: ApplyEvent): void;
  /** Called when the process ends in the middle of the run. */
  onLeave(outcome: ApplyOutcome): void;
}

/**
 * Executes a plan, shows progress, and handles interruptions. The first signal stops new renders. Pending renders
 * are awaited on a terminal, and elsewhere left to the service after five seconds. The second signal ends the process.
 * Closes the service, but not the journal.
 */
export async function runPlan(input: RunPlanInput, io: Io): Promise<ApplyOutcome> {
  const { plan, project, lock, service, journal } = input;
  const lockFile = openLockFile(project.root, lock);
  const probeUrl = openUrlProbe(project.config, io);
  const templatesOf = projectTemplates(project);
  const notes = new SourceVersions(plan, probeUrl);
  const watch = watchRun(
    { color: input.color, streams: input.streams, outlivesProcess: service.service.outlivesProcess },
    io,
  );
  const soFar = new PartialOutcome();
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
        async writeCaptions(files) {
          const write = ({ path, text }: CaptionFile) =>
            replaceFile(join(project.root, path), text, { isDurable: false });
          await Promise.all(files.map(write));
        },
        deliverCaptions: openCaptionDelivery(project, io),
        timelineOf: (video) => templatesOf(video)?.scenes ?? null,
        readSource: (path) => readSource(join(project.root, path)),
        probeUrl,
        clock: io,
        newKey: () => randomUUID(),
      },
    });
    if (outcome.endedBy !== 'interrupted') await settledInTime(notes, io);
    const unversioned = unversionedText(notes.failed);
    if (unversioned !== null) printWarning({ ...unversioned, code: 'refresh_unclear' }, io);
    const recorded = await lockFile.update((present) => notes.addTo(present));
    // Entries that could not be committed stay in the journal. The committed entries are harmless there until the next run.
    if ((await input.commit?.finish(recorded)) !== false) await journal.compact(recorded).catch(() => undefined);
    return outcome;
  } catch (error) {
    // Results recorded before the error are committed too.
    await finishAfter(input.commit, lockFile);
    throw error;
  } finally {
    notes.close();
    interruption.close();
    watch.close();
    await service.close();
  }
}

/** Waits for the versions of remote files, for `NOTES_MS` at most. */
function settledInTime(notes: SourceVersions, io: Io): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = io.after(NOTES_MS, resolve);
    notes.settled().then(resolve, reject).finally(cancel);
  });
}

/** Commits the results after an error. A second error is ignored, so that the first is reported. */
async function finishAfter(commit: CommitRun | null, lockFile: LockFile): Promise<void> {
  try {
    await commit?.finish(await lockFile.update((present) => present));
  } catch {
    // The results are still in the journal.
  }
}

/** @param leave ends the process */
function listenToInterrupts(watch: RunWatch, leave: () => void, io: Io) {
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
    /** Aborted when no new render may start. */
    stop: stop.signal,
    /** Aborted when pending renders are left to the service. */
    detach: detach.signal,
    close() {
      stopListening();
      cancel();
    },
  };
}

type WatchIo = Pick<Io, 'stdout' | 'stderr' | 'env' | 'monotonicNow' | 'onResize'>;

interface WatchOptions {
  readonly color: boolean;
  /** True if stdout prints events too: on the same screen, the two would interfere. */
  readonly streams: boolean;
  /** Whether the service continues renders after this process. */
  readonly outlivesProcess: boolean;
}

/** Shows the progress of a run on stderr. */
export interface RunWatch {
  take(event: ApplyEvent): void;
  /** Called when the run was interrupted and stops. */
  stopping(): void;
  /** Ends the display; the last state stays on the screen. */
  close(): void;
  /** Closes, and prints how pending renders continue, because the process ends now. */
  leave(): void;
}

const FRAME_MS = 100;
/**
 * Time in milliseconds without a resize after which the screen is drawn again. tmux reports a new size after 250 ms.
 */
const SETTLED_MS = 300;
/** Interval in milliseconds at which a silent log is checked for a heartbeat. */
const SILENCE_CHECK_MS = 5_000;

/**
 * Opens a live view on a screen, and a log with one line per change of state elsewhere.
 */
export function watchRun(options: WatchOptions, io: WatchIo): RunWatch {
  const color = wantsColor(io.stderr, io.env, options.color);
  const isShared = options.streams && io.stdout.isTTY;
  const watch = isScreen(io.stderr, io.env) && !isShared ? watchLive : watchLines;
  return watch({ ...options, color }, io);
}

function watchLines({ color, outlivesProcess }: WatchOptions, io: WatchIo): RunWatch {
  const lines = new ApplyLines({ color });
  const write = (written: readonly string[]): void => {
    if (written.length > 0) io.stderr.write(written.map((line) => `${line}\n`).join(''));
  };
  let isOpen = true;
  const timer = setInterval(() => write(lines.heartbeat(io.monotonicNow())), SILENCE_CHECK_MS);
  return {
    take(event) {
      if (isOpen) write(lines.linesOf(event, io.monotonicNow()));
    },
    stopping() {
      io.stderr.write(stoppingText(lines.runningCount, isAttended(io), outlivesProcess));
    },
    close() {
      isOpen = false;
      clearInterval(timer);
    },
    leave() {
      this.close();
      io.stderr.write(exitText(lines.runningCount, outlivesProcess));
    },
  };
}

function watchLive({ color, outlivesProcess }: WatchOptions, io: WatchIo): RunWatch {
  const view = new LiveView({ color });
  const screen = new FooterScreen(io.stderr, io.env);
  let waiting: string[] = [];
  let settling: ReturnType<typeof setTimeout> | null = null;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isOpen = true;

  const draw = (): void => {
    if (settling !== null) return;
    drawnAt = io.monotonicNow();
    const { columns, rows } = io.stderr;
    screen.draw(waiting, view.footer(io.monotonicNow(), columns, rows));
    waiting = [];
  };
  const stopListening = io.onResize(() => {
    if (settling !== null) clearTimeout(settling);
    settling = setTimeout(() => {
      settling = null;
      draw();
    }, SETTLED_MS);
  });
  const timer = setInterval(draw, FRAME_MS);
  return {
    take(event) {
      if (!isOpen) return;
      waiting.push(...view.take(event, io.monotonicNow()));
      // Events that follow within half a frame are drawn together.
      if (waiting.length > 0 && io.monotonicNow() - drawnAt >= FRAME_MS / 2) draw();
    },
    stopping() {
      view.stopping();
      draw();
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      clearInterval(timer);
      if (settling !== null) clearTimeout(settling);
      stopListening();
      if (waiting.length > 0) screen.draw(waiting, []);
      screen.close();
    },
    leave() {
      this.close();
      io.stderr.write(exitText(view.runningCount, outlivesProcess));
    },
  };
}
