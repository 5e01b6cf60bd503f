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
