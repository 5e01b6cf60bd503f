import { setMaxListeners } from 'node:events';
import type { EmbeddedRenderService, RemoteRenderService } from '../../contract/render-service.ts';
import type { ProbeUrl } from '../../contract/urls.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import type { ReelformError } from '../../kernel/diagnostic.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import type { SourceBytes } from '../../kernel/source-file.ts';
import type { SceneTimeline } from '../definition/video-templates.ts';
import type { Attempt, Intent, Journal } from '../lock/journal.ts';
import type { Delivery, Fingerprint, Lock, LockRendering } from '../lock/lock.ts';
import type { CaptionFile } from '../plan/caption-files.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Change, DestinationChange } from '../plan/plan.ts';
import type { Begin, SegmentProgress, SkipReason, VideoFailure } from './events.ts';
import type { RunClock, SessionWatcher } from './session-watcher.ts';

/** Dependencies of apply besides the rendering service. */
export interface ApplyPorts {
  /** Changes the current content of the lockfile. Replaces the whole file, or throws and leaves it unchanged. */
  updateLock(change: (lock: Lock) => Lock): Promise<unknown>;
  readonly journal: Journal;
  /** Resolves when sessions can use a style version. Called once per style version in a run, before its first render. */
  ensureStyleVersion(id: string): Promise<void>;
  /** Writes the files with captions beside a video. */
  writeCaptions(files: readonly CaptionFile[]): Promise<void>;
  /** Delivers a file with captions, with retries. @throws the signal's reason */
  deliverCaptions(file: CaptionFile, to: DestinationChange, signal: AbortSignal): Promise<Delivery | VideoFailure>;
  /** Returns when the scenes of a video are shown; null for a template with values, and if a length is not known. */
  timelineOf(video: DesiredVideo): SceneTimeline | null;
  /** @param path repository-relative */
  readSource(path: string): Promise<SourceBytes>;
  readonly probeUrl: ProbeUrl;
  readonly clock: RunClock;
  /** Returns a new UUID. */
  newKey(): string;
}

/** Optional features of a service. */
export type ServiceFeature = 'deliveries' | 'outputs';

/** Shared by all videos of one run. */
interface CommonContext {
  readonly ports: ApplyPorts;
  /** Returns the digest that a local file had when the plan was made. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  /** Name of this run in the journal. */
  readonly run: string;
  /** Why videos must not be requested, by id; those that an earlier run requested are awaited. */
  readonly unrenderable: ReadonlyMap<string, ReelformError>;
  /** Attempts in the journal when the run began, except those that the lockfile records. */
  readonly known: ReadonlyMap<Fingerprint, Attempt>;
  /** Failed attempts in the journal when the run began, whose sessions are read again before new sessions are requested. */
  readonly failed: ReadonlyMap<Fingerprint, Attempt>;
  /** Assigns a session to a request. Returns an error if it belongs to a request for other content. */
  claimSession(intent: Intent, session: string): ReelformError | null;
  /** Returns true once the run is ending and must send no new requests. */
  isEnding(): boolean;
  /** Aborted when running sessions are to be left to the service. */
  readonly leave: AbortSignal;
  /** Limits requests without an answer to as many as a person could resolve. */
  readonly posting: <T>(post: () => Promise<T>) => Promise<T>;
  /** While the queue of the service is full, lets only one video at a time retry. */
  readonly waiting: <T>(ask: () => Promise<T>) => Promise<T>;
  /** Returns true once the service has shown that it does not support a feature. */
  lacks(feature: ServiceFeature): boolean;
  /** Records that the service does not support a feature. */
  noteLack(feature: ServiceFeature): void;
}

/** The context of a run with a service outside of this process. */
export interface RemoteContext extends CommonContext {
  readonly service: RemoteRenderService;
  readonly watcher: SessionWatcher;
}

/** The context of a run with the service of this process, whose sessions need no polling. */
export interface EmbeddedContext extends CommonContext {
  readonly service: EmbeddedRenderService;
  readonly watcher: null;
}

export type RunContext = RemoteContext | EmbeddedContext;

/** A change of a video that definitions have: every change except `forget`. */
export type PendingChange = Change & { readonly desired: DesiredVideo };

/** How the work on one video ended. */
export type Ending =
  | {
      readonly kind: 'rendered';
      readonly rendering: LockRendering;
      /** In its last known state; null when this run did not read it. */
      readonly session: RenderSession | null;
      /** Whether another run requested it that may still be running, and reports it as well. */
      readonly isOtherRuns: boolean;
    }
  | { readonly kind: 'failed'; readonly failures: readonly VideoFailure[] }
  /** A render was requested, and only a person can find out its result. `session`: the missing session, if known. */
  | {
      readonly kind: 'unknown';
      readonly failure: VideoFailure;
      readonly askedAt: string;
      readonly session: string | null;
    }
  /** Still running on the service, and recorded in the journal. */
  | { readonly kind: 'left'; readonly session: string }
  /** Stopped before anything was requested. */
  | { readonly kind: 'given-up' };

/** Progress reports of one video. */
export interface TaskEvents {
  begun(begin: Begin): void;
  submitted(session: string): void;
  progressed(percent: number, segments?: SegmentProgress): void;
  /** Reports a problem that is not a failure. */
  warned(warning: VideoFailure): void;
}

/**
 * Returns whether another run requested an attempt and may report its video too. Runs with an unshared journal exclude
 * each other, so earlier runs have ended.
 */
export function isOtherRuns({ run }: Intent, context: RunContext): boolean {
  return context.ports.journal.isShared && run !== context.run;
}

/** Returns the current time in the journal's format. */
export function timestamp({ ports }: RunContext): string {
  return new Date(ports.clock.now()).toISOString();
}

interface Signals {
  readonly signal: AbortSignal;
  readonly detach: AbortSignal;
  readonly deadlineMs: number | null;
}

/** Why and how soon a run stops before it is finished. The first reason counts. */
export class RunStop {
  readonly #leave = new AbortController();
  readonly #timer = new AbortController();
  readonly #signals: Signals;
  #reason: SkipReason | null = null;

  constructor(signals: Signals, clock: RunClock) {
    this.#signals = signals;
    // Every running session adds a listener, so the warning about many listeners is disabled.
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

  /** Reason why no more videos may start; null while they may. */
  get reason(): SkipReason | null {
    return this.#reason ?? (this.#signals.signal.aborted ? 'interrupted' : null);
  }

  /** Aborted when running sessions are to be left to the service. */
  get leave(): AbortSignal {
    return this.#leave.signal;
  }

  because(reason: SkipReason): void {
    this.#reason ??= reason;
  }

  /** Cancels the deadline. */
  close(): void {
    this.#timer.abort();
  }

  #leaveBecause(reason: SkipReason): void {
    this.because(reason);
    this.#leave.abort();
  }
}
