import { type Sha256, sha256 } from '../../../kernel/digest.ts';
import type { InputFile } from '../../../template/render-input.ts';
import { type CacheKeys, cacheKeys, fileKey, type KeyRequest } from '../segment-keys.ts';

/** Stores finished pieces of videos by key, in a folder or a bucket. */
export interface SegmentStore {
  /** Returns null if the piece is missing or damaged. */
  get(key: Sha256): Promise<Uint8Array | null>;
  /** Returns whether the piece exists. Does not verify it. */
  has(key: Sha256): Promise<boolean>;
  /** Writes atomically. */
  put(key: Sha256, bytes: Uint8Array): Promise<void>;
}

interface SegmentCacheOptions {
  readonly store: SegmentStore;
  /** Identifies the engine, the encoder and everything else that affects the bytes. */
  readonly build: string;
  /** Computes keys. By default in this process, which must then trust the inputs. */
  keysOf?(request: KeyRequest, owner: string): Promise<CacheKeys>;
  /** Returns the scope of an owner. Owners with the same scope share segments; by default, all owners do. */
  scopeOf?(owner: string): string;
  /** Whether to store files without segments too. The service does not, because it stores them as outputs. */
  readonly storesFiles?: boolean;
  /** Called once when the store fails. Later renders do not use the store. */
  onFailure(error: unknown): void;
  onSegment?(outcome: keyof CacheFigures): void;
}

/** Numbers of reused and rendered segments or whole files. */
interface CacheFigures {
  readonly reused: number;
  readonly rendered: number;
}

/** Kind of values that are counted. */
export type CachedKind = 'segment' | 'file';

/** Caches segments, sounds, stills and whole files of earlier renders, and shares those of concurrent renders in this process. */
export class SegmentCache {
  readonly build: string;
  readonly #options: SegmentCacheOptions;
  readonly #store: SegmentStore;
  readonly #running = new Map<Sha256, Promise<void>>();
  readonly #counts = { segment: { reused: 0, rendered: 0 }, file: { reused: 0, rendered: 0 } };
  #hasFailed = false;

  constructor(options: SegmentCacheOptions) {
    this.#options = options;
    this.build = options.build;
    this.#store = options.store;
  }

  /** Computes the keys of an owner's input. They differ from the keys of all other scopes. */
  async keysOf(request: Omit<KeyRequest, 'build'>, owner: string): Promise<CacheKeys> {
    const { keysOf = async (full: KeyRequest) => cacheKeys(full), scopeOf = () => '' } = this.#options;
    const scope = scopeOf(owner);
    return keysOf({ ...request, build: scope === '' ? this.build : JSON.stringify([this.build, scope]) }, owner);
  }

  /** Returns the key of a file without segments; null if such files are not stored. */
  fileKey(file: InputFile): Sha256 | null {
    return this.#options.storesFiles === true ? fileKey(file, this.build) : null;
  }

  /** Numbers of segments reused and rendered so far. */
  get figures(): CacheFigures {
    return { ...this.#counts.segment };
  }

  /** Numbers of files without segments reused and rendered so far. */
  get fileFigures(): CacheFigures {
    return { ...this.#counts.file };
  }

  /** Whether the store has failed, so that it is no longer used. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Resolves when a concurrent render has stored a value or failed; undefined without such a render. */
  running(key: Sha256): Promise<void> | undefined {
    return this.#running.get(key);
  }

  /** Lets concurrent renders wait until a value is stored. @returns a function that ends the wait; may be called again */
  claim(key: Sha256): () => void {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#running.set(key, ended);
    return () => {
      if (this.#running.get(key) === ended) this.#running.delete(key);
      end();
    };
  }

  count(kind: CachedKind, of: keyof CacheFigures): void {
    this.#counts[kind][of] += 1;
    if (kind === 'segment') this.#options.onSegment?.(of);
  }

  /** Returns whether the store has a value; false if the store fails. */
  async has(key: Sha256): Promise<boolean> {
    return await this.#store.has(key).catch(() => false);
  }

  async find<T>(key: Sha256): Promise<T | null> {
    if (this.#hasFailed) return null;
    try {
      const bytes = await this.#store.get(key);
      return bytes === null ? null : unpackRecord<T>(bytes);
    } catch (error) {
      this.#fail(error);
      return null;
    }
  }

  async keep(key: Sha256, value: unknown): Promise<void> {
    if (this.#hasFailed) return;
    await this.#store.put(key, packRecord(value)).catch((error: unknown) => this.#fail(error));
  }

  #fail(error: unknown): void {
    if (!this.#hasFailed) this.#options.onFailure(error);
    this.#hasFailed = true;
  }
}

const MAGIC = 'RFS1';
const DIGEST_CHARACTERS = 64;
const HEADER_BYTES = MAGIC.length + DIGEST_CHARACTERS + 4;
/** Key of an object that represents bytes by their length. The bytes follow the text in the same order. */
const BYTES = '$bytes';

/**
 * Serialises plain values and byte arrays with a digest. Unlike V8's format, it is safe to read from storage that other
 * programs can write to.
 *
 * Format: `RFS1`, SHA-256 of the rest in hexadecimal, length of the JSON text (4 bytes, big endian), the text, the
 * bytes.
 */
export function packRecord(value: unknown): Uint8Array {
  const parts: Uint8Array[] = [];
  const plain = (part: unknown): unknown => {
    if (part instanceof Uint8Array) {
      parts.push(part);
      return { [BYTES]: part.length };
    }
    if (Array.isArray(part)) return part.map(plain);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [key, plain(child)]));
  };
  const text = Buffer.from(JSON.stringify(plain(value)));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  const body = Buffer.concat([length, text, ...parts]);
  return Buffer.concat([Buffer.from(MAGIC + sha256(body)), body]);
}

/** Restores a value. @returns null for bytes that `packRecord` did not write, or that were changed or truncated */
export function unpackRecord<T>(bytes: Uint8Array): T | null {
  if (!isIntact(bytes)) return null;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = HEADER_BYTES + buffer.readUInt32BE(HEADER_BYTES - 4);
  return JSON.parse(buffer.toString('utf8', HEADER_BYTES, at), (_key, value) => {
    const length = typeof value === 'object' && value !== null ? value[BYTES] : undefined;
    if (typeof length !== 'number') return value;
    at += length;
    return new Uint8Array(buffer.buffer, buffer.byteOffset + at - length, length);
  }) as T;
}

/** Verifies the digest of a record. */
export function isIntact(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, MAGIC.length + DIGEST_CHARACTERS)).toString('latin1');
  return bytes.length >= HEADER_BYTES && head === MAGIC + sha256(bytes.subarray(head.length));
}
