import type { Readable } from 'node:stream';
import type { Json, Sha256 } from '../../kernel/digest.ts';

/** A finished file to deliver. It can be read any number of times, starting at any byte. */
export interface DeliveredFile {
  /** Bytes. */
  readonly size: number;
  /** MIME type. */
  readonly contentType: string;
  /** Digest of the whole file. */
  readonly sha256: Sha256;
  /** @param range bytes, half-open; the whole file when absent */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
}

/** Result of a completed delivery. */
export interface Delivered {
  /** ETag or version id that the storage assigned. */
  readonly remoteId: string | null;
  /** Public URL, if the credential has a public base URL. */
  readonly url: string | null;
}

export interface DeliverOptions {
  readonly signal: AbortSignal;
  /** The last value that an earlier attempt passed to `onState`; null for the first attempt. */
  readonly state: Json | null;
  /** Called with the data that a later attempt needs to resume. Must be stored when the promise resolves. */
  onState(state: Json): Promise<void>;
}

/** Writes finished files to a destination. */
export interface Destination {
  /**
   * Writes the file under its key, replacing any existing object atomically, and verifies the stored object.
   *
   * @throws DeliveryFailure
   * @throws the signal's reason when it is aborted
   */
  deliver(file: DeliveredFile, options: DeliverOptions): Promise<Delivered>;
}

/** A failed delivery. Its message never contains a secret, a signature or the query of a URL. */
export class DeliveryFailure extends Error {
  /** Whether a later attempt may succeed. */
  readonly isRetryable: boolean;
  readonly code: 'delivery_failed' | 'lfs_pointer';

  /** @param options.code `delivery_failed` by default */
  constructor(
    message: string,
    options: {
      readonly isRetryable: boolean;
      readonly code?: DeliveryFailure['code'];
      readonly cause?: unknown;
    },
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DeliveryFailure';
    this.isRetryable = options.isRetryable;
    this.code = options.code ?? 'delivery_failed';
  }
}

/** A reason of a storage to refuse a request. */
export interface FailureKind {
  /** Predicate; follows the name of the bucket or container. */
  readonly says: string;
  readonly isRetryable: boolean;
}

export const OTHER_BYTES: FailureKind = { says: 'received different bytes than were sent', isRetryable: true };

/**
 * Returns the public URL of a key.
 *
 * @param base public base URL with a trailing slash; null if there is none
 */
export function publicUrlOf(base: string | null, key: string): string | null {
  return base === null ? null : base + key.split('/').map(encodeURIComponent).join('/');
}
