import { createHash } from 'node:crypto';
import { type DeliveredFile, DeliveryFailure } from './destination.ts';

/**
 * The bytes of a file from `start` up to `end`, half-open, in memory.
 *
 * @throws DeliveryFailure when it has fewer or cannot be read
 * @throws the signal's reason
 */
export async function readRange(
  file: Pick<DeliveredFile, 'stream'>,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted();
  if (end === start) return Buffer.alloc(0);
  const stream = file.stream({ start, end });
  const stop = (): unknown => stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      length += piece.copy(bytes, length);
      if (length === bytes.length) break;
    }
  } catch {
    length = -1;
  } finally {
    signal.removeEventListener('abort', stop);
  }
  signal.throwIfAborted();
  if (length === bytes.length) return bytes;
  throw unreadable();
}

/** A file that breaks off, or cannot be read at all. */
export function unreadable(): DeliveryFailure {
  return new DeliveryFailure('The finished file could not be read', { isRetryable: true });
}

/** The whole file, piece by piece; fails at its end where that was another file. @throws DeliveryFailure */
export async function* verified(file: DeliveredFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const piece of file.stream() as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted();
    digest.update(piece);
    size += piece.length;
    yield piece;
  }
  if (size !== file.size) throw unreadable();
  if (digest.digest('hex') !== file.sha256) throw notTheFile();
}

/**
 * Holds a file against its digest while its parts are read for another purpose, in any order; what comes too early is held in
 * memory until its turn.
 */
export class PartsDigest {
  readonly #digest = createHash('sha256');
  readonly #early = new Map<number, Uint8Array>();
  #next = 0;

  /** @param index of the part, from 0 on */
  add(index: number, bytes: Uint8Array): void {
    this.#early.set(index, bytes);
    for (;;) {
      const next = this.#early.get(this.#next);
      if (next === undefined) return;
      this.#digest.update(next);
      this.#early.delete(this.#next++);
    }
  }

  /**
   * Where not all of its parts were added, the file is read once more.
   *
   * @throws DeliveryFailure when it is another file than it was
   */
  async check(file: DeliveredFile, partCount: number, signal: AbortSignal): Promise<void> {
    if (this.#next === partCount) {
      if (this.#digest.digest('hex') !== file.sha256) throw notTheFile();
    } else {
      for await (const _ of verified(file, signal));
    }
  }
}

function notTheFile(): DeliveryFailure {
  return new DeliveryFailure('The finished file is not what it was when it was rendered', { isRetryable: false });
}
