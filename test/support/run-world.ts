import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { sha256 } from '../../src/kernel/digest.ts';
import { type ApplyInput, applyPlan } from '../../src/reconciler/apply/apply-plan.ts';
import type { ApplyEvent } from '../../src/reconciler/apply/events.ts';
import type { RunClock } from '../../src/reconciler/apply/session-watcher.ts';
import type { Video } from '../../src/reconciler/definition/video.ts';
import type { Journal } from '../../src/reconciler/lock/journal.ts';
import { type JournalFile, openJournalFile } from '../../src/reconciler/lock/journal-file.ts';
import { emptyLock, type Lock } from '../../src/reconciler/lock/lock.ts';
import { desiredVideo } from '../../src/reconciler/plan/desired-video.ts';
import { planVideos } from '../../src/reconciler/plan/plan-videos.ts';
import { createHttpService } from '../../src/reconciler/service-client/http-service.ts';
import { type InterfaceServiceOptions, startInterfaceService } from './interface-service.ts';
import { simulatedClock } from './simulated-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'reelform-resume-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The state that outlives a run: one repository and one service. */
export async function world(options: InterfaceServiceOptions = {}) {
  const clock = simulatedClock();
  /** Clock of the service, which keeps time with the simulated one. */
  const serviceClock = { now: () => clock.now() };
  const service = await startInterfaceService({ now: () => serviceClock.now(), ...options });
  onTestFinished(() => service.close());
  const path = join(folder, `${randomUUID()}.ndjson`);
  return { service, serviceClock, path, clock, lock: { value: emptyLock as Lock } };
}

export type World = Awaited<ReturnType<typeof world>>;

export interface Run extends Partial<Pick<ApplyInput, 'detach' | 'signal' | 'deadlineMs'>> {
  readonly requested?: (id: string) => boolean;
  readonly onEvent?: (event: ApplyEvent) => void;
  readonly journal?: (file: JournalFile) => Partial<Journal>;
  readonly clock?: RunClock;
  /** Access token; the one of the service by default. */
  readonly token?: string;
}

/** Plans and applies as the command does. */
export async function run({ service, path, lock, ...kept }: World, videos: readonly Video[], more: Run = {}) {
  const { clock = kept.clock } = more;
  const file = await openJournalFile(path, { file: 'journal.ndjson' });
  const http = createHttpService({
    url: service.url,
    token: more.token ?? service.token,
    keyLifetimeMs: file.state.services.get(new URL(service.url).origin)?.keyLifetimeMs ?? null,
    now: () => clock.now(),
    monotonicNow: () => clock.monotonicNow(),
    wait: (milliseconds) => clock.wait(milliseconds),
    random: () => 0.5,
    timeoutMs: 2_000,
  });
  const context = {
    service: http.name,
    styleVersions: { small: 'tsv_1' },
    renderEpoch: null,
    measures: null,
    assetDigest: () => sha256(''),
  };
  const plan = planVideos({
    desired: videos.map((one) => desiredVideo(one, context)),
    lock: lock.value,
    observations: { missingOutputs: new Set(), journal: file.state },
    requested: more.requested ?? (() => false),
  });
  const events: ApplyEvent[] = [];
  const outcome = await applyPlan({
    plan,
    digestOf: () => undefined,
    service: http,
    concurrency: 4,
    signal: more.signal ?? new AbortController().signal,
    detach: more.detach ?? new AbortController().signal,
    deadlineMs: more.deadlineMs ?? null,
    failFast: false,
    run: randomUUID(),
    onEvent(event) {
      events.push(event);
      more.onEvent?.(event);
    },
    ports: {
      updateLock: async (change) => {
        lock.value = change(lock.value);
      },
      journal: {
        state: file.state,
        isShared: false,
        begin: (intent, insteadOf) => file.begin(intent, insteadOf),
        append: (record) => file.append(record),
        refresh: () => file.refresh(),
        ...more.journal?.(file),
      },
      writeCaptions: async () => undefined,
      deliverCaptions: async (_, { to }) => ({ to }),
      timelineOf: () => null,
      ensureStyleVersion: async () => undefined,
      probeUrl: async () => ({ kind: 'there', validator: null }),
      readSource: async () => Buffer.alloc(0),
      clock,
      newKey: randomUUID,
    },
  }).finally(() => file.close());
  return { outcome, events, actions: plan.changes.map(({ action }) => action), state: file.state };
}
