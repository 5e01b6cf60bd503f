import { setMaxListeners } from 'node:events';
import type { Attempt, Intent } from '../lock/journal.ts';
import type { Fingerprint, Rendering } from '../lock/lock.ts';
import type { RenderService } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import type { Begin, Failure, SkipReason } from './events.ts';
import type { ApplyPorts, Clock } from './ports.ts';
import type { RenderTask } from './session-request.ts';
import type { SessionWatcher } from './session-watcher.ts';

/** How the work at one video ended. */
export type Ending =
  /** `session` as it was seen last; null where this run did not see it. */
  | { readonly kind: 'rendered'; readonly rendering: Rendering; readonly session: RenderSession | null }
  | { readonly kind: 'failed'; readonly failures: readonly Failure[] }
  /** A render was requested, and only a person can find out what became of it. `session`: the one that is missing, if any. */
  | {
      readonly kind: 'unknown';
      readonly failure: Failure;
      readonly askedAt: string;
      readonly session: string | null;
    }
  /** Still at work at the service, and in the journal. */
  | { readonly kind: 'left'; readonly session: string }
  /** Given up before anything was asked for. */
  | { readonly kind: 'given-up' };

/** What the videos of one run share. */
export interface RunContext {
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  readonly watcher: SessionWatcher;
  /** Names this run in the journal. */
  readonly run: string;
  /** Attempts in the journal when the run began, except those that the lockfile has. */
  readonly known: ReadonlyMap<Fingerprint, Attempt>;
  /** Whether the run is ending: nothing may be asked for any more. */
  isEnding(): boolean;
  /** Aborted: what is at work is left to the service. */
  readonly leave: AbortSignal;
  /** Lets only so many requests be unanswered at once as could be sorted out by hand. */
  readonly posting: <T>(post: () => Promise<T>) => Promise<T>;
  /** Lets one video at a time ask for room in a queue that is full: others that wait need not be refused as well. */
  readonly waiting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Whether the service is known to deliver nothing. */
  lacksDeliveries(): boolean;
  /** The service was seen to deliver nothing. */
  noteLack(): void;
}

/** What is told of one video on the way. */
export interface TaskEvents {
  begun(begin: Begin): void;
  submitted(session: string): void;
  progressed(percent: number): void;
  /** Worth knowing, and no failure. */
  warned(warning: Failure): void;
}

/** What is written down before a video is asked for. */
export function newIntent(task: RenderTask, body: string, context: RunContext): Intent {
  return {
    key: context.ports.newKey(),
    id: task.video.id,
    fingerprint: task.fingerprint,
    service: context.service.name,
    style_version: task.styleVersion,
    output_name: task.outputName,
    body,
    run: context.run,
    at: timestamp(context),
  };
}

/** Now, as the journal writes it. */
export function timestamp({ ports }: RunContext): string {
  return new Date(ports.clock.now()).toISOString();
}

interface Signals {
  readonly signal: AbortSignal;
  readonly detach: AbortSignal;
  readonly deadlineMs: number | null;
}

/** What ends a run before it is through, and how soon: the first reason counts. */
export class RunEnd {
  readonly #leave = new AbortController();
  readonly #timer = new AbortController();
  readonly #signals: Signals;
  #reason: SkipReason | null = null;

  constructor(signals: Signals, clock: Clock) {
    this.#signals = signals;
    // Every session at work listens.
    setMaxListeners(0, this.#leave.signal);
    const { detach, deadlineMs } = signals;
    const leave = (): void => this.#leaveBecause('interrupted');
    if (detach.aborted) leave();
    detach.addEventListener('abort', leave, { once: true, signal: this.#timer.signal });
    if (deadlineMs === null) return;
    clock.wait(deadlineMs, this.#timer.signal).then(
      () => this.#leaveBecause('deadline'),
      () => undefined,
    );
  }

  /** Why nothing new may begin; null: it may. */
  get reason(): SkipReason | null {
    return this.#reason ?? (this.#signals.signal.aborted ? 'interrupted' : null);
  }

  /** Aborted when what is at work is left to the service. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  because(reason: SkipReason): void {
    this.#reason ??= reason;
  }

  /** Nothing is timed any more. */
  close(): void {
    this.#timer.abort();
  }

  #leaveBecause(reason: SkipReason): void {
    this.because(reason);
    this.#leave.abort();
  }
}
