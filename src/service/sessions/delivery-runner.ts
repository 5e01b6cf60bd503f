import { setMaxListeners } from 'node:events';
import { type DeliveredFile, DeliveryFailure } from '../../contract/destinations/destination.ts';
import type { ExternalUpload } from '../../contract/wire/render-session.ts';
import { spreadMs } from '../../kernel/backoff.ts';
import type { Json, Sha256 } from '../../kernel/digest.ts';
import type { StoredSession } from './ports.ts';
import type { Destinations } from './session-deliveries.ts';

/** Milliseconds to wait after each failed attempt; none after the last. */
const DELIVERY_RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
/** Random variation of a delay, so that deliveries that failed together are not repeated together. */
const JITTER = 0.2;

interface DeliveryRunnerPorts {
  readonly store: DeliveryStore;
  readonly files: FinishedFiles;
  readonly destinations: Destinations;
  /** 0..1 */
  random(): number;
  /** @see SessionEnvironment.monotonicNow */
  monotonicNow(): number;
  /** `DELIVERY_RETRY_DELAYS_MS` by default. */
  readonly retryDelaysMs?: readonly number[];
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
const UNWANTED = new Error('The session was removed, or another worker has claimed the delivery');

/**
 * Delivers finished videos. A started delivery completes, fails or is planned again, unless this process stops: then
 * another worker resumes it. A failure affects one delivery only; its session stays rendered.
 */
export class DeliveryRunner {
  readonly #ports: DeliveryRunnerPorts;
  readonly #atWork = new Map<AbortController, string>();

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
    const { store, destinations, onEvent } = this.#ports;
    const begun = await store.beginUpload(job);
    if (begun === null) return;
    const about = aboutOf(begun);
    onEvent?.({ ...about, kind: 'upload-begun' });
    const beganAt = this.#ports.monotonicNow();
    const unwanted = new AbortController();
    this.#atWork.set(unwanted, job.session);
    const either = AbortSignal.any([signal, unwanted.signal]);
    // Each request adds a listener; this is not a leak.
    setMaxListeners(0, either);
    const storeErrors: unknown[] = [];
    const onState = async (state: Json): Promise<void> => {
      const isOurs = await store.keepUploadState(begun, state).catch((error: unknown) => {
        storeErrors.push(error);
        throw error;
      });
      if (isOurs) return;
      unwanted.abort(UNWANTED);
      throw UNWANTED;
    };
    let bytes: number | null = null;
    let end: DeliveryEnd;
    try {
      const file = await this.#openFile(begun);
      bytes = file.size;
      const destination = await destinations.open(begun.stored.tenant, begun.upload);
      const delivered = await destination.deliver(file, { signal: either, state: begun.state, onState });
      end = { status: 'complete', remote_id: delivered.remoteId, url: delivered.url, error: null };
    } catch (error) {
      signal.throwIfAborted();
      if (unwanted.signal.aborted) return;
      // Errors of the store must not count as a failed attempt of the destination.
      if (storeErrors.length > 0) throw storeErrors[0];
      const failure = failureOf(error);
      const delayMs = failure.isRetryable ? this.#delayMs(begun.tries) : null;
      if (delayMs !== null) {
        const isOurs = await store.retryUpload(begun, delayMs);
        if (isOurs) onEvent?.({ ...about, kind: 'upload-retried', delayMs, reason: failure.message });
        return;
      }
      end = failedEnd(failure.message, failure.code);
    } finally {
      this.#atWork.delete(unwanted);
    }
    if (!(await store.endUpload(begun, end))) return;
    const elapsedMs = this.#ports.monotonicNow() - beganAt;
    const reason = end.error?.detail ?? null;
    onEvent?.({ ...about, kind: 'upload-ended', status: end.status, reason, bytes, elapsedMs });
  }

  /** Stops the deliveries of a removed session. */
  stop(session: string): void {
    for (const [unwanted, of] of this.#atWork) if (of === session) unwanted.abort(UNWANTED);
  }

  /** Fails a delivery that no worker could finish. */
  async fail(job: DeliveryJob, reason: string): Promise<void> {
    const begun = await this.#ports.store.beginUpload(job);
    if (begun === null || !(await this.#ports.store.endUpload(begun, failedEnd(reason)))) return;
    const ended = { kind: 'upload-ended', status: 'failed', reason, bytes: null, elapsedMs: 0 } as const;
    this.#ports.onEvent?.({ ...aboutOf(begun), ...ended });
  }

  async #openFile({ stored, upload }: StartedDelivery): Promise<DeliveredFile> {
    const { outputs = [], video_url: main } = stored.session;
    const named = outputs.find(({ name }) => name === upload.output);
    const video_url = upload.output === undefined ? main : (named?.video_url ?? null);
    const file =
      video_url === null ? null : await this.#ports.files.openVideo({ inputDigest: stored.inputDigest, video_url });
    if (file !== null) return file;
    throw new DeliveryFailure('The finished video no longer exists', { isRetryable: false });
  }

  #delayMs(tries: number): number | null {
    const { retryDelaysMs = DELIVERY_RETRY_DELAYS_MS, random } = this.#ports;
    const delayMs = retryDelaysMs[tries];
    return delayMs === undefined ? null : Math.round(spreadMs(delayMs, JITTER, random()));
  }
}

/** Hides the text of other errors, which may contain local paths. */
function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  return new DeliveryFailure(`The finished video could not be read or written (${name})`, {
    isRetryable: true,
    cause: error,
  });
}

function failedEnd(
  detail: string,
  code: DeliveryFailure['code'] = 'delivery_failed',
): DeliveryEnd & { readonly status: 'failed' } {
  const error = { code, title: 'The video could not be delivered', detail };
  return { status: 'failed', remote_id: null, url: null, error };
}

function aboutOf({ stored, position, upload, attempt }: StartedDelivery) {
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
export interface StartedDelivery {
  readonly stored: StoredSession;
  readonly position: number;
  readonly upload: ExternalUpload;
  /** Number of the attempt, which fences its writes. */
  readonly attempt: number;
  /** Failed attempts since the request. */
  readonly tries: number;
  /** State to resume from; null to start over. */
  readonly state: Json | null;
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

type DeliveryEnd = Pick<ExternalUpload, 'remote_id' | 'url' | 'error'> & {
  readonly status: 'complete' | 'failed';
};

/** Random access to finished videos. */
export interface FinishedFiles {
  /** @throws DeliveryFailure `lfs_pointer` for a Git LFS pointer in place of the video */
  openVideo(video: FinishedFile): Promise<DeliveredFile | null>;
}

interface FinishedFile {
  /** Digest of its input; null if unknown. */
  readonly inputDigest: Sha256 | null;
  /** URL or path that its session records. */
  readonly video_url: string;
}
