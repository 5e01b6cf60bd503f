import pLimit from 'p-limit';
import type { Video, VideoId } from '../definition/video.ts';
import type { Sha256 } from '../digest.ts';
import { liveAttempts, recordedIn } from '../lock/fold-journal.ts';
import { type Change, delivers, type Plan } from '../plan/plan.ts';
import type { RenderService } from '../service/render-service.ts';
import type { ApplyEvent, ApplyOutcome } from './events.ts';
import { carryOut, carryOutTwin, isTwin, needsWork, type Pending, type Run } from './execute-change.ts';
import type { ApplyPorts } from './ports.ts';
import { type RunContext, RunEnd } from './run-context.ts';
import { LockSaver, RunRecord } from './run-record.ts';
import { SessionWatcher } from './session-watcher.ts';

export interface ApplyInput {
  readonly plan: Plan;
  /** Every video that the plan renders or waits for. */
  readonly videos: ReadonlyMap<VideoId, Video>;
  /** The digests that the plan was made with. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  /** Renders at once, ≥ 1. */
  readonly concurrency: number;
  /** Aborted: nothing new is begun, what is at work is waited for and recorded. */
  readonly signal: AbortSignal;
  /** Aborted: what is at work is left to the service too, and recorded as that. */
  readonly detach: AbortSignal;
  /** Milliseconds from now after which what is at work is left to the service; null: never. */
  readonly deadlineMs: number | null;
  /** Whether the first failure keeps what has not begun from beginning. */
  readonly failFast: boolean;
  /** Names this run in the journal. */
  readonly run: string;
  onEvent(event: ApplyEvent): void;
}

/**
 * Does what a plan says. What needs no rendering goes into the lockfile first; then videos are rendered, at most
 * `concurrency` at once. Each is in the journal before it is reported, and in the lockfile at the next checkpoint, at the
 * latest when this returns. What fails stays with its video.
 *
 * @throws ReelformError `write_failed` when journal or lockfile cannot be written: nothing new was posted since
 */
export async function applyPlan(input: ApplyInput): Promise<ApplyOutcome> {
  const { plan, onEvent, service } = input;
  const ports = { ...input.ports, ensureStyleVersion: oncePerId((id) => input.ports.ensureStyleVersion(id)) };
  const { clock, journal } = ports;
  const startedAt = clock.monotonicNow();
  const saver = new LockSaver((change) => ports.updateLock(change), clock);
  const end = new RunEnd(input, clock);
  const facts = journal.state.services.get(service.name);
  const watcher = new SessionWatcher({
    service,
    clock,
    durationsMs: (styleVersion) => facts?.durationsMs.get(styleVersion) ?? [],
  });
  const context: RunContext = {
    service,
    ports,
    watcher,
    run: input.run,
    known: liveAttempts(journal.state, recordedIn(plan.changes.flatMap(({ before }) => before ?? []))),
    isEnding: () => end.reason !== null,
    leave: end.leave,
    posting: limitPosts(service, input.concurrency),
    waiting: pLimit(1),
    ...rememberLack(service),
  };
  const record = new RunRecord(saver, onEvent, clock);

  const isPending = (change: Change): change is Pending => needsWork(change, service) || delivers(change);
  const pending = plan.changes.filter((change): change is Pending => isPending(change) && !isTwin(change));
  const twins = plan.changes.filter(isTwin);
  const ids = [...pending, ...twins.filter(delivers)].map(({ id }) => id);
  onEvent({ kind: 'run-started', ids, concurrency: input.concurrency });
  const limits = { rendering: pLimit(input.concurrency), delivering: pLimit(Math.max(DELIVERIES, input.concurrency)) };
  const run: Run = { input, context, record, end, limits };
  // Whoever asks a run to stop may not wait for its end.
  const persist = (): void => void saver.flush().catch(() => undefined);
  input.signal.addEventListener('abort', persist);
  try {
    await record.settled(plan.changes.filter((change) => !isPending(change) && !isTwin(change)));
    await toTheirEnds(pending.map((change) => carryOut(change, run)));
    await toTheirEnds(twins.map((twin) => carryOutTwin(twin, run)));
    await rememberDurations(watcher, context);
    await saver.flush();
  } catch (error) {
    // The first error names what is in danger.
    await saver.flush().catch(() => undefined);
    throw error;
  } finally {
    end.close();
    input.signal.removeEventListener('abort', persist);
  }
  const outcome = record.outcome(end.reason, clock.monotonicNow() - startedAt);
  onEvent({ kind: 'run-finished', outcome });
  return outcome;
}

/** So many finished files are on their way at once, at least: that takes no place of a rendering. */
const DELIVERIES = 4;

/** Each to its end, also beside one that threw: what is paid for is written down. */
async function toTheirEnds(works: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(works);
  const thrown = ends.find((one) => one.status === 'rejected');
  if (thrown !== undefined) throw thrown.reason;
}

/** A service that was seen not to deliver is asked to render nothing more that is to be delivered. */
function rememberLack(service: RenderService): Pick<RunContext, 'lacksDeliveries' | 'noteLack'> {
  let isLacking = service.deliverVideo === undefined;
  return {
    lacksDeliveries: () => isLacking,
    noteLack() {
      isLacking = true;
    },
  };
}

/** The next run knows when to look. */
async function rememberDurations(watcher: SessionWatcher, { service, ports }: RunContext): Promise<void> {
  if (!service.outlivesProcess) return;
  await Promise.all(
    [...watcher.learnt()].map(([style_version, durations_ms]) => {
      return ports.journal.append({ type: 'durations', service: service.name, style_version, durations_ms });
    }),
  );
}

/** The same promise for the same id: what is at work is waited for, what failed stays failed. */
function oncePerId(ensure: (id: string) => Promise<void>): (id: string) => Promise<void> {
  const asked = new Map<string, Promise<void>>();
  return (id) => {
    const promise = asked.get(id) ?? ensure(id);
    asked.set(id, promise);
    return promise;
  };
}

/** Requests that may be without an answer at once at a service that keeps no keys: a person has to sort them out. */
const UNKEYED_POSTS = 4;
/** Whoever renders a thousand at once does not want to ask for four at a time. */
const UNKEYED_SHARE = 0.1;

/** Lets few requests be without an answer at once, until the service has shown that it keeps keys. */
function limitPosts(service: RenderService, concurrency: number): RunContext['posting'] {
  const limit = pLimit(Math.max(UNKEYED_POSTS, Math.ceil(UNKEYED_SHARE * concurrency)));
  return async (post) => {
    if (service.keyLifetimeMs() !== null) return post();
    const posted = await limit(post);
    // The first answer shows it: those who wait need not.
    if (service.keyLifetimeMs() !== null) limit.concurrency = Number.POSITIVE_INFINITY;
    return posted;
  };
}
