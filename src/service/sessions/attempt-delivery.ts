import { type DeliveredFile, DeliveryFailure } from '../../contract/destinations/destination.ts';
import type { ExternalUpload } from '../../contract/wire/render-session.ts';
import { spreadMs } from '../../kernel/backoff.ts';
import type { Json } from '../../kernel/digest.ts';
import type { OutputStore, StoredSession } from './ports.ts';
import type { Destinations } from './session-deliveries.ts';

/** Milliseconds to wait after each failed attempt; none after the last. */
const DELIVERY_RETRY_DELAYS_MS: readonly number[] = [5_000, 30_000, 120_000, 600_000];
/** Random variation of a delay, so that deliveries that failed together are not repeated together. */
const JITTER = 0.2;

export interface DeliveryPorts {
  readonly outputs: Pick<OutputStore, 'openVideo'>;
  readonly destinations: Destinations;
  /** 0..1 */
  random(): number;
  /** `DELIVERY_RETRY_DELAYS_MS` by default. */
  readonly retryDelaysMs?: readonly number[];
}

/** A delivery of a session, and the result of its earlier attempts. */
export interface PendingDelivery {
  readonly stored: Pick<StoredSession, 'tenant' | 'session' | 'inputDigest'>;
  readonly upload: ExternalUpload;
  /** Failed attempts since the request. */
  readonly tries: number;
  /** State to resume from; null to start over. */
  readonly state: Json | null;
}

interface AttemptOptions {
  readonly signal: AbortSignal;
  /** Stores the state that the next attempt resumes from. */
  onState(state: Json): Promise<void>;
}

/** Fields of a delivery that has ended. */
export type DeliveryEnd = Pick<ExternalUpload, 'remote_id' | 'url' | 'error'> & {
  readonly status: 'complete' | 'failed';
};

/** The result of an attempt. */
export type DeliveryOutcome =
  /** `bytes` is the size of the file; null if it was not opened. */
  | { readonly kind: 'ended'; readonly end: DeliveryEnd; readonly bytes: number | null }
  | { readonly kind: 'retry'; readonly delayMs: number; readonly reason: string };

/**
 * Makes one attempt to deliver a video.
 *
 * @throws the signal's reason; errors of `onState`, which do not count as a failed attempt of the destination
 */
export async function attemptDelivery(
  delivery: PendingDelivery,
  ports: DeliveryPorts,
  { signal, onState }: AttemptOptions,
): Promise<DeliveryOutcome> {
  const { stored, upload, tries, state } = delivery;
  const stateErrors: unknown[] = [];
  const keepState = (changed: Json): Promise<void> =>
    onState(changed).catch((error: unknown) => {
      stateErrors.push(error);
      throw error;
    });
  let bytes: number | null = null;
  try {
    const file = await openFile(delivery, ports.outputs);
    bytes = file.size;
    const destination = await ports.destinations.open(stored.tenant, upload);
    const delivered = await destination.deliver(file, { signal, state, onState: keepState });
    const end = { status: 'complete', remote_id: delivered.remoteId, url: delivered.url, error: null } as const;
    return { kind: 'ended', end, bytes };
  } catch (error) {
    signal.throwIfAborted();
    if (stateErrors.length > 0) throw stateErrors[0];
    const { message, code, isRetryable } = failureOf(error);
    const delayMs = isRetryable ? nextDelayMs(tries, ports) : null;
    if (delayMs !== null) return { kind: 'retry', delayMs, reason: message };
    return { kind: 'ended', end: failedDelivery(message, code), bytes };
  }
}

async function openFile(
  { stored, upload }: PendingDelivery,
  outputs: DeliveryPorts['outputs'],
): Promise<DeliveredFile> {
  const { outputs: files = [], video_url: main } = stored.session;
  const named = files.find(({ name }) => name === upload.output);
  const video_url = upload.output === undefined ? main : (named?.video_url ?? null);
  const file = video_url === null ? null : await outputs.openVideo({ inputDigest: stored.inputDigest, video_url });
  if (file !== null) return file;
  throw new DeliveryFailure('The finished video no longer exists', { isRetryable: false });
}

/** Returns the milliseconds until the next attempt; null after the last. */
function nextDelayMs(
  tries: number,
  { retryDelaysMs = DELIVERY_RETRY_DELAYS_MS, random }: Pick<DeliveryPorts, 'retryDelaysMs' | 'random'>,
): number | null {
  const delayMs = retryDelaysMs[tries];
  return delayMs === undefined ? null : Math.round(spreadMs(delayMs, JITTER, random()));
}

/** Hides the text of unexpected errors, which may contain local paths. */
function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  return new DeliveryFailure(`The finished video could not be read or written (${name})`, {
    isRetryable: true,
    cause: error,
  });
}

/** Returns the end of a delivery that has failed for good. */
export function failedDelivery(
  detail: string,
  code: DeliveryFailure['code'] = 'delivery_failed',
): DeliveryEnd & { readonly status: 'failed' } {
  const error = { code, title: 'The video could not be delivered', detail };
  return { status: 'failed', remote_id: null, url: null, error };
}
