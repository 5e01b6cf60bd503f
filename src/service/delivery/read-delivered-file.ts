import { createHash } from 'node:crypto';
import { addAbortSignal } from 'node:stream';
import pLimit from 'p-limit';
import { type DeliveredFile, DeliveryFailure } from '../../contract/destinations/destination.ts';

/**
 * Reads the bytes from `start` up to `end`, half-open, into memory.
 *
 * @throws DeliveryFailure if the file is shorter or cannot be read
 * @throws the signal's reason
 */
export async function readRange(
  file: Pick<DeliveredFile, 'stream'>,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): Promise<Buffer> {
  signal.throwIfAborted();
  if (end === start) return Buffer.alloc(0);
  const stream = addAbortSignal(signal, file.stream({ start, end }));
  const bytes = Buffer.allocUnsafe(end - start);
  let length = 0;
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      length += piece.copy(bytes, length);
      if (length === bytes.length) break;
    }
  } catch {
    length = -1;
  }
  signal.throwIfAborted();
  if (length === bytes.length) return bytes;
  throw unreadableDelivery();
}

function unreadableDelivery(): DeliveryFailure {
  return new DeliveryFailure('The finished file could not be read', { isRetryable: true });
}

/**
 * Streams the file and verifies its size and digest at the end.
 *
 * @throws DeliveryFailure if the file changed
 */
export async function* verifiedChunks(file: DeliveredFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const digest = createHash('sha256');
  let size = 0;
  for await (const piece of file.stream() as AsyncIterable<Uint8Array>) {
    signal.throwIfAborted();
    digest.update(piece);
    size += piece.length;
    yield piece;
  }
  if (size !== file.size) throw unreadableDelivery();
  if (digest.digest('hex') !== file.sha256) throw notTheFile();
}

/**
 * Verifies the digest of a file whose parts are read in any order for another purpose. Parts that arrive early are held
 * in memory until the preceding ones are added.
 */
export class OrderedDigest {
  readonly #digest = createHash('sha256');
  readonly #early = new Map<number, Uint8Array>();
  #next = 0;

  /** @param index of the part, counted from 0 */
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
   * Compares the digest. Reads the whole file again if some parts were not added.
   *
   * @throws DeliveryFailure if the file is not the rendered file
   */
  async check(file: DeliveredFile, partCount: number, signal: AbortSignal): Promise<void> {
    if (this.#next === partCount) {
      if (this.#digest.digest('hex') !== file.sha256) throw notTheFile();
    } else {
      for await (const _ of verifiedChunks(file, signal));
    }
  }
}

/** Concurrent pieces; each is held in memory. */
const PARALLEL = 4;

interface Piece {
  /** Counted from 0. */
  readonly index: number;
  readonly sizeBytes: number;
  /** Not called for a piece that is stored already. */
  read(): Promise<Buffer>;
}

/**
 * Sends a file in pieces, several at once, and verifies the digest of the whole file. After a failure it waits for the
 * pieces in progress: they may still succeed, and then need not be repeated.
 *
 * @returns the results in the order of the pieces
 * @throws DeliveryFailure if the file changed or cannot be read; what `send` throws
 */
export async function sendPieces<T>(
  file: DeliveredFile,
  pieceBytes: number,
  signal: AbortSignal,
  send: (piece: Piece) => Promise<T>,
): Promise<T[]> {
  const limit = pLimit({ concurrency: PARALLEL, rejectOnClear: true });
  const digest = new OrderedDigest();
  const count = Math.ceil(file.size / pieceBytes);
  const sending = Array.from({ length: count }, (_, index) =>
    limit(() => {
      const range = { start: index * pieceBytes, end: Math.min(file.size, (index + 1) * pieceBytes) };
      const read = async (): Promise<Buffer> => {
        const bytes = await readRange(file, range, signal);
        digest.add(index, bytes);
        return bytes;
      };
      return send({ index, sizeBytes: range.end - range.start, read });
    }),
  );
  try {
    const sent = await Promise.all(sending);
    await digest.check(file, count, signal);
    return sent;
  } catch (error) {
    limit.clearQueue();
    await Promise.allSettled(sending);
    throw error;
  }
}

function notTheFile(): DeliveryFailure {
  return new DeliveryFailure('The finished file has changed since it was rendered', { isRetryable: false });
}
