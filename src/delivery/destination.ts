import type { Readable } from 'node:stream';
import type { Json, Sha256 } from '../digest.ts';

/** A finished file on its way. It can be read as often as it takes, from any byte on. */
export interface DeliveredFile {
  /** Bytes. */
  readonly size: number;
  /** MIME type. */
  readonly contentType: string;
  /** Of the whole file. */
  readonly sha256: Sha256;
  /** @param range bytes, half-open; the whole file when absent */
  stream(range?: { readonly start: number; readonly end: number }): Readable;
}

/** What a delivery came to. */
export interface Delivered {
  /** What the storage calls what was written, an ETag or a version. */
  readonly remoteId: string | null;
  /** Under which everybody finds it, where the credential says how. */
  readonly url: string | null;
}

export interface DeliverOptions {
  readonly signal: AbortSignal;
  /** What `onState` was told last by an attempt before; null for the first. */
  readonly state: Json | null;
  /** Called with what a further attempt needs to go on from here; to be kept before it resolves. */
  onState(state: Json): Promise<void>;
}

/** Writes finished files to one place. */
export interface Destination {
  /**
   * Writes the whole file under its key, whatever was there before, and makes sure that it arrived whole. Nobody sees a
   * part of it.
   *
   * @throws DeliveryFailure
   * @throws the signal's reason when it is aborted
   */
  deliver(file: DeliveredFile, options: DeliverOptions): Promise<Delivered>;
}

/** A file that did not arrive. Its text never holds a secret, a signature or the query of a URL. */
export class DeliveryFailure extends Error {
  /** Whether the same delivery may succeed later. */
  readonly isRetryable: boolean;

  constructor(message: string, options: { readonly isRetryable: boolean; readonly cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'DeliveryFailure';
    this.isRetryable = options.isRetryable;
  }
}

/**
 * Under which everybody finds a key.
 *
 * @param base with a slash at its end; null where nobody does
 */
export function publicUrlOf(base: string | null, key: string): string | null {
  return base === null ? null : base + key.split('/').map(encodeURIComponent).join('/');
}
