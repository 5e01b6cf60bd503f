import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSha256, type Sha256 } from '../../../kernel/digest.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';
import { hashSourceFile, SourceDigest } from '../../../kernel/read-source.ts';
import { finishFile, openUnfinished, replaceFile, UNFINISHED } from '../../../kernel/replace-file.ts';
import { HEAD_BYTES, headOf, type SourceBytes, SourceFile } from '../../../kernel/source-file.ts';
import { isImage } from '../../../template/bind/bind-media.ts';

export type SourceStore = ReturnType<typeof createSourceStore>;

/** Source uploads, which are never removed. */
export interface SourceUploadStore extends Pick<SourceStore, 'has' | 'receive'> {
  /** @param known digest of the bytes, if known @returns the digest of what was stored, which another one may be if the file changed */
  put(bytes: SourceBytes, known?: Sha256): Promise<Sha256>;
  /** @param scope isolates tenants: timing does not reveal reads of other scopes */
  get(digest: Sha256, scope?: string): Promise<SourceBytes | null>;
}

/** A file that is being received. Ends with `finish` or `discard`. */
export interface SourceReceiver {
  /** Bytes so far. */
  readonly length: number;
  add(chunk: Uint8Array): Promise<void>;
  /** Returns what was received, before it is stored. Nothing can be added afterwards. */
  received(): SourceFile;
  /**
   * Stores the file under its SHA-256.
   *
   * @param isRewritten replaces a stored file, so that timing does not reveal what other tenants stored; true by default
   */
  finish(isRewritten?: boolean): Promise<SourceFile>;
  /** Removes what was received and is not stored. Best effort: errors are ignored. */
  discard(): Promise<void>;
}

interface SourceStoreOptions {
  /** Whether stored bytes must survive a power failure. */
  readonly isDurable: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Milliseconds after its last use during which a file is not removed. */
const UNTOUCHABLE_MS = 3_600_000;

/** Stores bytes under their SHA-256 in a folder that several processes may share. */
export function createSourceStore(directory: string, { isDurable, now }: SourceStoreOptions) {
  const pathOf = (digest: Sha256): string => join(directory, digest);
  /** @returns whether the file exists */
  const touch = async (digest: Sha256): Promise<boolean> => {
    const time = new Date(now());
    return (await nullIfMissing(utimes(pathOf(digest), time, time).then(() => true))) ?? false;
  };
  const fileOf = (bytes: Uint8Array, sha256: Sha256): SourceFile =>
    new SourceFile({ path: pathOf(sha256), length: bytes.length, sha256, head: bytes.slice(0, HEAD_BYTES) });
  return {
    /** Begins to receive a file. */
    async receive(): Promise<SourceReceiver> {
      const { path, file } = await openUnfinished(directory);
      const digest = new SourceDigest();
      let received: SourceFile | undefined;
      const close = async (): Promise<void> => {
        await file.close().catch(() => undefined);
        await rm(path, { force: true }).catch(() => undefined);
      };
      const receiver: SourceReceiver = {
        get length() {
          return digest.length;
        },
        async add(chunk) {
          digest.add(chunk);
          await file.writeFile(chunk);
        },
        received() {
          received ??= new SourceFile({ path, ...digest.finish() });
          return received;
        },
        async finish(isRewritten = true) {
          const source = receiver.received();
          const stored = new SourceFile({ ...source, path: pathOf(source.sha256) });
          const isStored = !isRewritten && (await nullIfMissing(stat(stored.path)))?.size === source.length;
          if (isStored && (await touch(source.sha256))) await close();
          else {
            if (isDurable) await file.sync();
            await file.close();
            await finishFile(path, stored.path, isDurable);
            await touch(source.sha256);
          }
          return stored;
        },
        discard: close,
      };
      return receiver;
    },
    /** Stores bytes, as `put`, and returns the file. */
    async keep(bytes: Uint8Array, digest: Sha256, isRewritten = false): Promise<SourceFile> {
      await this.put(bytes, digest, isRewritten);
      return fileOf(bytes, digest);
    },
    /**
     * @param known digest of the bytes, if known
     * @param isRewritten writes the bytes even if they are stored, so that timing does not reveal what other tenants
     * stored
     */
    async put(bytes: Uint8Array, known?: Sha256, isRewritten = false): Promise<Sha256> {
      const digest = known ?? (await fileSha256(bytes));
      // Videos often share files. A different size is left by a power failure.
      const there = isRewritten ? null : await nullIfMissing(stat(pathOf(digest)));
      if (there?.size !== bytes.length || !(await touch(digest))) {
        await replaceFile(pathOf(digest), bytes, { isDurable });
        await touch(digest);
      }
      return digest;
    },
    /** Returns null for a missing file; removes a damaged one. Counts as a use. */
    async get(digest: Sha256): Promise<SourceFile | null> {
      const file = await nullIfMissing(hashSourceFile(pathOf(digest)));
      if (file === null) return null;
      if (file.sha256 !== digest) {
        await rm(pathOf(digest), { force: true });
        return null;
      }
      await touch(digest);
      return file;
    },
    async has(digest: Sha256): Promise<boolean> {
      return (await nullIfMissing(stat(pathOf(digest)))) !== null;
    },
    /**
     * Removes the least recently used files until at most `maxBytes` are left. Files used within the last hour stay,
     * because a render may need them.
     *
     * @returns the remaining bytes
     */
    async prune(maxBytes: number): Promise<number> {
      const files = await filesOf(directory);
      let sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      for (const file of files.sort((a, b) => a.usedAt - b.usedAt)) {
        const isNeeded = !file.name.startsWith(UNFINISHED) && sizeBytes <= maxBytes;
        if (isNeeded || file.usedAt > now() - UNTOUCHABLE_MS) continue;
        await rm(join(directory, file.name), { force: true });
        sizeBytes -= file.sizeBytes;
      }
      return sizeBytes;
    },
  };
}

/** Maximum bytes of uploads in memory; the rest goes to the folder. */
const MAX_MEMORY_BYTES = 256 << 20;
/** Larger clips and sounds go to the folder, from which they are read by ranges. */
const MAX_CLIP_BYTES = 1 << 20;

/**
 * Keeps the uploads of one run in memory while there is room, so that files just read and hashed are neither written
 * nor hashed again. Clips and sounds are copied to the folder, because their files may change.
 *
 * @param overflow store for further uploads
 */
export function createMemoryUploads(overflow: SourceStore, maxBytes = MAX_MEMORY_BYTES): SourceUploadStore {
  const kept = new Map<Sha256, SourceBytes>();
  let keptBytes = 0;
  return {
    async put(source, known) {
      const isMedium = source.length > MAX_CLIP_BYTES && !isImage(headOf(source));
      if (!(source instanceof Uint8Array) && isMedium) {
        if (kept.has(source.sha256)) return source.sha256;
        const copy = await receiveCopy(source, await overflow.receive());
        kept.set(copy.sha256, copy);
        return copy.sha256;
      }
      const bytes = source instanceof Uint8Array ? source : await readFile(source.path);
      const digest = (source instanceof Uint8Array ? known : undefined) ?? (await fileSha256(bytes));
      if (kept.has(digest)) return digest;
      if (isMedium) {
        kept.set(digest, await overflow.keep(bytes, digest));
        return digest;
      }
      if (keptBytes + bytes.length > maxBytes) return overflow.put(bytes, digest);
      keptBytes += bytes.length;
      kept.set(digest, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      return digest;
    },
    get: async (digest) => kept.get(digest) ?? overflow.get(digest),
    has: async (digest) => kept.has(digest) || overflow.has(digest),
    receive: () => overflow.receive(),
  };
}

/** Copies a file whose content may have changed since it was hashed. */
async function receiveCopy({ path }: SourceFile, receiver: SourceReceiver): Promise<SourceFile> {
  try {
    for await (const chunk of createReadStream(path)) await receiver.add(chunk as Buffer);
    return await receiver.finish(false);
  } catch (error) {
    await receiver.discard();
    throw error;
  }
}

interface StoredFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
}

async function filesOf(directory: string): Promise<StoredFile[]> {
  const files: StoredFile[] = [];
  for (const name of (await nullIfMissing(readdir(directory))) ?? []) {
    const found = await nullIfMissing(stat(join(directory, name)));
    if (found?.isFile()) files.push({ name, sizeBytes: found.size, usedAt: found.mtimeMs });
  }
  return files;
}
