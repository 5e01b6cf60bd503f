import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { applyPlan } from '../apply/apply-plan.ts';
import type { ApplyOutcome } from '../apply/events.ts';
import { EXIT, hasErrors, ReelformError } from '../diagnostic.ts';
import { LockFile } from '../lock/lock-file.ts';
import { isEmptyPlan, renders } from '../plan/plan.ts';
import { planDocument } from '../plan/plan-document.ts';
import { findRoot } from '../project/find-root.ts';
import { acquireRunLock } from '../project/run-lock.ts';
import { writeFileAtomic } from '../project/write-file.ts';
import { diagnosticsJson } from '../report/diagnostics-json.ts';
import { eventJson, type StreamEvent } from '../report/event-json.ts';
import { outcomeText } from '../report/outcome-text.ts';
import { approvalQuestion } from '../report/prompt-text.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import { type GlobalOptions, VERSION } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';
import { LOCK_FILE } from './open-lock.ts';
import { type OpenPlan, openPlan, type PlanFlags } from './open-plan.ts';
import { type OpenService, openService } from './open-service.ts';
import { showPlan } from './show-plan.ts';
import { watchRun } from './watch-run.ts';

export interface ApplyOptions extends GlobalOptions, PlanFlags {
  readonly autoApprove?: boolean;
  readonly concurrency?: number;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `reelform apply`: plans, asks, renders what changed, and records it. */
export async function applyCommand(options: ApplyOptions, io: Io): Promise<number> {
  const root = findRoot(directoryOf(options, io));
  // Before anything is read: what is planned here is what the lockfile says until the end.
  const releaseLock = await acquireRunLock(join(root, '.reelform', 'apply.pid'), io.pid, io.isAlive);
  try {
    return await planAndApply(root, options, io);
  } finally {
    await releaseLock();
  }
}

async function planAndApply(root: string, options: ApplyOptions, io: Io): Promise<number> {
  const { project, diagnostics, opened } = await openPlan(root, options);
  tellDiagnostics(diagnostics, project.source, options, io);
  const tellEvent = (event: StreamEvent): void => {
    if (options.json === true) io.stdout.write(eventJson(event, io.now()));
  };
  const tellJson = (outcome: ApplyOutcome): void => {
    tellEvent({ kind: 'outcome', outcome, diagnostics: diagnosticsJson(diagnostics, project.source) });
  };
  tellEvent({ kind: 'version', toolVersion: VERSION });
  if (opened === null || hasErrors(opened.plan.diagnostics)) {
    tellJson(NOTHING_DONE);
    return opened === null ? EXIT.error : EXIT.refused;
  }
  const { plan } = opened;
  tellEvent({ kind: 'planned', document: planDocument(plan, VERSION, []) });
  showPlan(opened, io.stderr, options, io);
  if (isEmptyPlan(plan)) {
    tellJson(NOTHING_DONE);
    return EXIT.ok;
  }
  // Before anybody is asked: it may be one that cannot be used.
  const service = openService(project, io);
  await approve(plan.changes.filter(renders).length, options, io);
  io.stderr.write('\n');
  const { outcome, interrupted } = await applyOpened(opened, service, options, io, tellEvent);
  tellJson(outcome);
  if (options.json !== true) {
    io.stdout.write(outcomeText(outcome, { color: wantsColor(io.stdout, io.env, options.color) }));
  }
  if (outcome.failed.length > 0) return isRefused(outcome) ? EXIT.authentication : EXIT.renderFailed;
  return interrupted ? EXIT.interrupted : EXIT.ok;
}

/** Whether the token was to blame, which no other attempt will mend. */
function isRefused({ failed }: ApplyOutcome): boolean {
  return failed.some(({ failures }) => failures.some(({ code }) => code === 'service_unauthorized'));
}

const NOTHING_DONE: ApplyOutcome = {
  rendered: 0,
  recorded: 0,
  failed: [],
  unknown: [],
  inProgress: [],
  skipped: [],
  endedBy: null,
  elapsedMs: 0,
};

async function applyOpened(
  { plan, project, lock, videos }: OpenPlan,
  { service, capacity, ensureStyleVersion, close }: OpenService,
  options: ApplyOptions,
  io: Io,
  tellEvent: (event: StreamEvent) => void,
): Promise<{ outcome: ApplyOutcome; interrupted: boolean }> {
  const lockFile = new LockFile(join(project.root, LOCK_FILE), LOCK_FILE, lock, writeFileAtomic);
  const stop = new AbortController();
  const watch = watchRun(options, io);
  const stopListening = io.onInterrupt(() => {
    if (stop.signal.aborted) {
      watch.close();
      io.leave(EXIT.interrupted);
    }
    stop.abort();
    watch.stopping();
  });
  try {
    const outcome = await applyPlan({
      plan,
      videos,
      service,
      digestOf: (path) => project.assets.get(path)?.sha256,
      concurrency: Math.min(options.concurrency ?? project.config.concurrency, capacity),
      signal: stop.signal,
      onEvent: (event) => {
        tellEvent(event);
        watch.take(event);
      },
      ports: {
        updateLock: (change) => lockFile.update(change),
        ensureStyleVersion,
        readFile: (path) => readFile(join(project.root, path)),
        clock: { now: () => io.now(), wait: (milliseconds) => setTimeout(milliseconds) },
        newKey: () => randomUUID(),
      },
    });
    // Asked to stop when all was at work already: nothing was left out.
    return { outcome, interrupted: stop.signal.aborted && outcome.skipped.length > 0 };
  } finally {
    stopListening();
    watch.close();
    await close();
  }
}

/** @throws ReelformError `not_approved` */
async function approve(renderCount: number, options: ApplyOptions, io: Io): Promise<void> {
  if (options.autoApprove === true) return;
  if (!io.interactive) {
    throw new ReelformError('not_approved', 'There is nobody to ask for approval', { hint: 'Pass --auto-approve' });
  }
  const answer = await io.ask(approvalQuestion(renderCount));
  if (answer.trim() !== 'yes') throw new ReelformError('not_approved', 'The plan was not approved; nothing was done');
}
