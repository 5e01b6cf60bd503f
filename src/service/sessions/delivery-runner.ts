import { setMaxListeners } from 'node:events';
import type { Json } from '../../kernel/digest.ts';
import {
  attemptDelivery,
  type DeliveryEnd,
  type DeliveryOutcome,
  type DeliveryPorts,
  failedDelivery,
  type PendingDelivery,
} from './attempt-delivery.ts';
import type { StoredSession } from './ports.ts';

interface DeliveryRunnerPorts extends DeliveryPorts {
  readonly store: DeliveryStore;
  /** @see SessionEnvironment.monotonicNow */
  monotonicNow(): number;
  /** For logs and metrics. */
  onEvent?(event: DeliveryEvent): void;
}

/** Events of running deliveries. They contain no secrets. */
export type DeliveryEvent = {
  readonly session: string;
  readonly position: number;
  readonly tenant: string;
  readonly scheme: string;
  readonly attempt: number;
} & (
  | { readonly kind: 'upload-begun' }
  | { readonly kind: 'upload-retried'; readonly delayMs: number; readonly reason: string }
  | {
      readonly kind: 'upload-ended';
      readonly status: 'complete' | 'failed';
      /** Why it failed. */
      readonly reason: string | null;
      /** Size of the file; null if it was not opened. */
      readonly bytes: number | null;
      readonly elapsedMs: number;
    }
);

/** Abort reason of a delivery that is no longer this worker's. */
const OBSOLETE = new Error('The session was removed, or another worker has claimed the delivery');

/**
 * Delivers finished videos. A started delivery completes, fails or is planned again, unless this process stops: then
 * another worker resumes it. A failure affects one delivery only; its session stays rendered.
 */
export class DeliveryRunner {
  readonly #ports: DeliveryRunnerPorts;
  readonly #running = new Map<AbortController, string>();

  constructor(ports: DeliveryRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * Makes one attempt. Resolves when it has a result or no longer belongs to this worker.
   *
   * @throws the signal's reason when this process stops; errors of the store
   */
  async run(job: DeliveryJob, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { store, onEvent } = this.#ports;
    const begun = await store.beginUpload(job);
    if (begun === null) return;
    const delivery = describe(begun);
    onEvent?.({ ...delivery, kind: 'upload-begun' });
    const beganAt = this.#ports.monotonicNow();
    const obsolete = new AbortController();
    this.#running.set(obsolete, job.session);
    const stop = AbortSignal.any([signal, obsolete.signal]);
    // Each request adds a listener; this is not a leak.
    setMaxListeners(0, stop);
    const onState = async (state: Json): Promise<void> => {
      if (await store.keepUploadState(begun, state)) return;
      obsolete.abort(OBSOLETE);
      throw OBSOLETE;
    };
    let outcome: DeliveryOutcome;
    try {
      outcome = await attemptDelivery(begun, this.#ports, { signal: stop, onState });
    } catch (error) {
      signal.throwIfAborted();
      if (obsolete.signal.aborted) return;
      throw error;
    } finally {
      this.#running.delete(obsolete);
    }
    if (outcome.kind === 'retry') {
      const { delayMs, reason } = outcome;
      if (await store.retryUpload(begun, delayMs)) onEvent?.({ ...delivery, kind: 'upload-retried', delayMs, reason });
      return;
    }
    const { end, bytes } = outcome;
    if (!(await store.endUpload(begun, end))) return;
    const elapsedMs = this.#ports.monotonicNow() - beganAt;
    const reason = end.error?.detail ?? null;
    onEvent?.({ ...delivery, kind: 'upload-ended', status: end.status, reason, bytes, elapsedMs });
  }

  /** Stops the deliveries of a removed session. */
  stop(session: string): void {
    for (const [obsolete, id] of this.#running) if (id === session) obsolete.abort(OBSOLETE);
  }

  /** Fails a delivery that no worker could finish. */
  async fail(job: DeliveryJob, reason: string): Promise<void> {
    const begun = await this.#ports.store.beginUpload(job);
    if (begun === null || !(await this.#ports.store.endUpload(begun, failedDelivery(reason)))) return;
    const ended = { kind: 'upload-ended', status: 'failed', reason, bytes: null, elapsedMs: 0 } as const;
    this.#ports.onEvent?.({ ...describe(begun), ...ended });
  }
}

function describe({ stored, position, upload, attempt }: StartedDelivery) {
  const scheme = /^\w+/.exec(upload.to)?.[0] ?? '';
  return { session: stored.session.id, position, tenant: stored.tenant, scheme, attempt };
}

/** A planned attempt at one delivery of a session. */
export interface DeliveryJob {
  readonly session: string;
  /** Index in `external_uploads`. */
  readonly position: number;
  /** Incremented by each plan; jobs of earlier rounds are obsolete. */
  readonly round: number;
}

/** A delivery that a worker has started. */
export interface StartedDelivery extends PendingDelivery {
  readonly stored: StoredSession;
  readonly position: number;
  /** Number of the attempt, which fences its writes. */
  readonly attempt: number;
}

/**
 * Stores the state of deliveries in their sessions. Writes are fenced by the attempt number: they return false, without
 * writing, if the attempt is not the latest or the session is gone.
 */
export interface DeliveryStore {
  /** Starts an attempt and sets `uploading`. Null if the delivery has ended, is gone or was planned again. */
  beginUpload(job: DeliveryJob): Promise<StartedDelivery | null>;
  /** Stores the state that the next attempt resumes from. */
  keepUploadState(begun: StartedDelivery, state: Json): Promise<boolean>;
  /** Plans another attempt with the stored state; `pending` until then. */
  retryUpload(begun: StartedDelivery, delayMs: number): Promise<boolean>;
  endUpload(begun: StartedDelivery, end: DeliveryEnd): Promise<boolean>;
}
