import { setMaxListeners } from 'node:events';
import { spreadMs } from '../backoff.ts';
import { type Delivered, type DeliveredFile, DeliveryFailure } from '../delivery/destination.ts';
import type { Json, Sha256 } from '../digest.ts';
import type { ExternalUpload } from '../wire/render-session.ts';
import type { StoredSession } from './ports.ts';
import type { Destinations } from './session-deliveries.ts';

/** After a try that failed, milliseconds until the next; after the last, none. */
export const DELIVERY_RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
/** Of a delay, up or down: what failed together does not come back together. */
const JITTER = 0.2;

export interface DeliveryRunnerPorts {
  readonly store: DeliveryStore;
  readonly files: FinishedFiles;
  readonly destinations: Destinations;
  /** 0..1 */
  random(): number;
  /** @see SessionEnvironment.monotonicNow */
  monotonicNow(): number;
  /** As `RETRY_DELAYS_MS` when absent. */
  readonly retryDelaysMs?: readonly number[];
  /** For logs and metrics. */
  onEvent?(event: DeliveryEvent): void;
}

/** What happens to an upload at work. Nothing of it is secret. */
export type DeliveryEvent = {
  readonly session: string;
  readonly position: number;
  readonly tenant: string;
  /** The scheme of its place. */
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
      /** Of the file; null when it was not opened. */
      readonly bytes: number | null;
      readonly elapsedMs: number;
    }
);

/** Why the work on an upload stops that nobody wants any more. */
const UNWANTED = new Error('The session was removed, or the upload taken over');

/**
 * Delivers finished videos. An upload that is taken up ends complete or failed, or is planned again, unless this process
 * is stopped: then whoever takes it up next goes on from where it was. What fails in one stays in it, and its session
 * stays rendered.
 */
export class DeliveryRunner {
  readonly #ports: DeliveryRunnerPorts;
  readonly #atWork = new Map<AbortController, string>();

  constructor(ports: DeliveryRunnerPorts) {
    this.#ports = ports;
  }

  /**
   * One try. Resolves when it came to something, or was none of ours to make.
   *
   * @throws the signal's reason when this process is to stop; whatever the store threw
   */
  async run(job: DeliveryJob, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const begun = await this.#ports.store.beginUpload(job);
    if (begun === null) return;
    const about = aboutOf(begun);
    this.#ports.onEvent?.({ ...about, kind: 'upload-begun' });
    const beganAt = this.#ports.monotonicNow();
    const unwanted = new AbortController();
    this.#atWork.set(unwanted, job.session);
    const delivery = new Delivery(begun, this.#ports, unwanted);
    let end: DeliveryEnd;
    try {
      const delivered = await delivery.deliver(AbortSignal.any([signal, unwanted.signal]));
      end = { status: 'complete', remote_id: delivered.remoteId, url: delivered.url, error: null };
    } catch (error) {
      signal.throwIfAborted();
      if (unwanted.signal.aborted) return;
      delivery.throwIfStoreFailed();
      const failure = failureOf(error);
      const delayMs = failure.isRetryable ? this.#delayMs(begun.tries) : null;
      if (delayMs !== null) {
        const isOurs = await this.#ports.store.retryUpload(begun, delayMs);
        if (isOurs) this.#ports.onEvent?.({ ...about, kind: 'upload-retried', delayMs, reason: failure.message });
        return;
      }
      end = failedEnd(failure.message);
    } finally {
      this.#atWork.delete(unwanted);
    }
    const isOurs = await this.#ports.store.endUpload(begun, end);
    if (!isOurs) return;
    const { status, error } = end;
    const elapsedMs = this.#ports.monotonicNow() - beganAt;
    const reason = error?.detail ?? null;
    this.#ports.onEvent?.({ ...about, kind: 'upload-ended', status, reason, bytes: delivery.bytes, elapsedMs });
  }

  /** Ends the work on the uploads of a session that was removed. */
  stop(session: string): void {
    for (const [unwanted, of] of this.#atWork) if (of === session) unwanted.abort(UNWANTED);
  }

  /** Ends an upload that no worker could bring to an end. */
  async fail(job: DeliveryJob, reason: string): Promise<void> {
    const begun = await this.#ports.store.beginUpload(job);
    if (begun === null || !(await this.#ports.store.endUpload(begun, failedEnd(reason)))) return;
    const ended = { kind: 'upload-ended', status: 'failed', reason, bytes: null, elapsedMs: 0 } as const;
    this.#ports.onEvent?.({ ...aboutOf(begun), ...ended });
  }

  #delayMs(tries: number): number | null {
    const { retryDelaysMs = DELIVERY_RETRY_DELAYS_MS, random } = this.#ports;
    const delayMs = retryDelaysMs[tries];
    return delayMs === undefined ? null : Math.round(spreadMs(delayMs, JITTER, random()));
  }
}

/** One try at one upload. */
class Delivery {
  readonly #begun: StartedDelivery;
  readonly #ports: DeliveryRunnerPorts;
  readonly #unwanted: AbortController;
  #storeFailure: { readonly error: unknown } | null = null;
  /** Of the file, once it is open. */
  bytes: number | null = null;

  constructor(begun: StartedDelivery, ports: DeliveryRunnerPorts, unwanted: AbortController) {
    this.#begun = begun;
    this.#ports = ports;
    this.#unwanted = unwanted;
  }

  async deliver(signal: AbortSignal): Promise<Delivered> {
    const { stored, upload, state } = this.#begun;
    // Each request of a delivery listens; that is no leak.
    setMaxListeners(0, signal);
    const { video_url } = stored.session;
    const file = video_url === null ? null : await this.#ports.files.openVideo({ scene: stored.scene, video_url });
    if (file === null) throw new DeliveryFailure('The finished video is not there any more', { isRetryable: false });
    this.bytes = file.size;
    const destination = await this.#ports.destinations.open(stored.tenant, upload);
    return destination.deliver(file, { signal, state, onState: (next) => this.#keep(next) });
  }

  /** What the store threw is not the destination's failure: the job is tried again, and no try of the upload lost. */
  throwIfStoreFailed(): void {
    if (this.#storeFailure !== null) throw this.#storeFailure.error;
  }

  async #keep(state: Parameters<DeliveryStore['keepUploadState']>[1]): Promise<void> {
    let isOurs: boolean;
    try {
      isOurs = await this.#ports.store.keepUploadState(this.#begun, state);
    } catch (error) {
      this.#storeFailure = { error };
      throw error;
    }
    if (isOurs) return;
    this.#unwanted.abort(UNWANTED);
    throw UNWANTED;
  }
}

/** What is no destination's word may hold paths of this machine, or worse: it is not repeated. */
function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  return new DeliveryFailure(`The finished video could not be read or written (${name})`, {
    isRetryable: true,
    cause: error,
  });
}

function failedEnd(detail: string): DeliveryEnd & { readonly status: 'failed' } {
  const error = { code: 'delivery_failed', title: 'The video could not be delivered', detail };
  return { status: 'failed', remote_id: null, url: null, error };
}

function aboutOf({ stored, position, upload, attempt }: StartedDelivery) {
  const scheme = /^\w+/.exec(upload.to)?.[0] ?? '';
  return { session: stored.session.id, position, tenant: stored.tenant, scheme, attempt };
}

/** One planned try at one upload of a session. */
export interface DeliveryJob {
  readonly session: string;
  /** In `external_uploads`. */
  readonly position: number;
  /** Raised by every plan: of a job that another has followed there is nothing to do. */
  readonly round: number;
}

/** An upload that a worker has taken up. */
export interface StartedDelivery {
  readonly stored: StoredSession;
  readonly position: number;
  readonly upload: ExternalUpload;
  /** Each who takes it up writes under a number of their own. */
  readonly attempt: number;
  /** How many tries failed since it was asked for. */
  readonly tries: number;
  /** From where it goes on; null: from the beginning. */
  readonly state: Json | null;
}

/**
 * Keeps what becomes of uploads, in the sessions that they belong to. Whoever writes does it under the number of their
 * attempt: where that is not the latest any more, or the session is gone, nothing is written and the answer is false.
 */
export interface DeliveryStore {
  /** A worker takes an upload up: it is `uploading`. Null when it has ended, is gone, or is planned anew. */
  beginUpload(job: DeliveryJob): Promise<StartedDelivery | null>;
  /** What the next attempt goes on from. */
  keepUploadState(begun: StartedDelivery, state: Json): Promise<boolean>;
  /** Plans a further try, the state as it is: `pending` until then. */
  retryUpload(begun: StartedDelivery, delayMs: number): Promise<boolean>;
  endUpload(begun: StartedDelivery, end: DeliveryEnd): Promise<boolean>;
}

/** What an upload came to. */
type DeliveryEnd = Pick<ExternalUpload, 'remote_id' | 'url' | 'error'> & {
  readonly status: 'complete' | 'failed';
};

/** Finished videos, to be read from anywhere in them. */
export interface FinishedFiles {
  /** Null when it is not there (any more). */
  openVideo(video: FinishedFile): Promise<DeliveredFile | null>;
}

interface FinishedFile {
  /** That it was rendered from; null where that is not known. */
  readonly scene: Sha256 | null;
  /** As its session has it. */
  readonly video_url: string;
}
