import pLimit from 'p-limit';
import type { Sha256 } from '../../../kernel/digest.ts';
import type { ObjectFolder } from '../../delivery/object-folder.ts';
import { isIntact, type SegmentStore } from './segment-cache.ts';

interface BucketSegmentStoreOptions {
  /** Store on this machine, which is read first. */
  readonly local: SegmentStore;
  readonly bucket: ObjectFolder;
  /** Called once, at the first failure of the bucket. */
  onFailure(error: unknown, failed: 'read' | 'write'): void;
}

const MAX_CONCURRENT_READS = 16;
/** Further writes wait, because each holds a segment in memory. */
const MAX_CONCURRENT_WRITES = 8;
/** Larger objects are not segments. */
const MAX_BYTES = 512 * 2 ** 20;

/**
 * Stores segments in a bucket shared by several machines, behind a local store. Segments are verified when read. If the
 * bucket is inaccessible, only the local store is used.
 */
export class BucketSegmentStore implements SegmentStore {
  readonly #options: BucketSegmentStoreOptions;
  readonly #reads = pLimit(MAX_CONCURRENT_READS);
  readonly #writes = new Set<Promise<void>>();
  #isReadable = true;
  #isWritable = true;
  #hasFailed = false;

  constructor(options: BucketSegmentStoreOptions) {
    this.#options = options;
  }

  async get(key: Sha256): Promise<Uint8Array | null> {
    const localBytes = await this.#options.local.get(key);
    if (localBytes !== null) return localBytes;
    const bytes = await this.#read((bucket) => bucket.get(key, MAX_BYTES));
    if (bytes === null || !isIntact(bytes)) return null;
    await this.#options.local.put(key, bytes);
    return bytes;
  }

  async has(key: Sha256): Promise<boolean> {
    return (await this.#options.local.has(key)) || (await this.#read((bucket) => bucket.has(key))) === true;
  }

  /** Resolves when the local store has the segment. The upload continues until `close`. */
  async put(key: Sha256, bytes: Uint8Array): Promise<void> {
    while (this.#isWritable && this.#writes.size >= MAX_CONCURRENT_WRITES) await Promise.race(this.#writes);
    if (this.#isWritable) {
      const write = this.#write(key, bytes).finally(() => this.#writes.delete(write));
      this.#writes.add(write);
    }
    await this.#options.local.put(key, bytes);
  }

  /** Waits for uploads and closes the bucket. */
  async close(): Promise<void> {
    await Promise.all(this.#writes);
    await this.#options.bucket.close();
  }

  /** @returns null if the bucket cannot be read */
  #read<T>(read: (bucket: ObjectFolder) => Promise<T>): Promise<T | null> {
    return this.#reads(async () => {
      if (!this.#isReadable) return null;
      try {
        return await read(this.#options.bucket);
      } catch (error) {
        // An unreadable bucket is not written either, because each call could wait for its time limit.
        this.#isReadable = false;
        this.#isWritable = false;
        this.#fail(error, 'read');
        return null;
      }
    });
  }

  async #write(key: Sha256, bytes: Uint8Array): Promise<void> {
    try {
      await this.#options.bucket.put(key, bytes);
    } catch (error) {
      this.#isWritable = false;
      this.#fail(error, 'write');
    }
  }

  #fail(error: unknown, failed: 'read' | 'write'): void {
    if (!this.#hasFailed) this.#options.onFailure(error, failed);
    this.#hasFailed = true;
  }
}
