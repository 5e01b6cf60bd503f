import { createHash } from 'node:crypto';
import { type DeliveredFile, DeliveryFailure } from './destination.ts';
import { unreadable } from './read-range.ts';

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
