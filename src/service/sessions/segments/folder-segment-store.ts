import { readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha256 } from '../../../kernel/digest.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';
import { replaceFile } from '../../../kernel/replace-file.ts';
import { isIntact, type SegmentStore } from './segment-cache.ts';

interface FolderSegmentStoreOptions {
  /** Absolute; created with the first file. */
  readonly folder: string;
  /** Maximum total bytes; the least recently used files are removed beyond it. */
  readonly maxBytes: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** A file of the store. */
export interface StoredSegment {
  readonly key: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
}

/** Share of the limit that is freed when the store is full, so that the folder is not listed for every further file. */
const FREED_SHARE = 0.1;
const NAME = /^[0-9a-f]{64}$/;

/**
 * Stores segments as files of a folder that several processes may share. Files are written atomically and verified when
 * read; damaged ones are removed. The modification time is the last use.
 */
export class FolderSegmentStore implements SegmentStore {
  readonly #options: FolderSegmentStoreOptions;
  /** Estimated total bytes. */
  #bytes = 0;
  /** Resolves when the files that were there at first are counted. */
  #counted: Promise<void> | undefined;
  /** Names of the files in each listed folder. */
  readonly #listed = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(options: FolderSegmentStoreOptions) {
    this.#options = options;
  }

  async get(key: Sha256): Promise<Uint8Array | null> {
    const path = this.#pathOf(key);
    const bytes = await nullIfMissing(readFile(path));
    if (bytes === null) {
      // The file will be written. Many files take long to count, which the rendering of the segment hides.
      this.#count().catch(() => undefined);
      return null;
    }
    if (!isIntact(bytes)) {
      await this.#remove(key);
      return null;
    }
    const now = new Date(this.#options.now());
    // Another process may have removed the file, or the folder may be read-only.
    await utimes(path, now, now).catch(() => undefined);
    return bytes;
  }

  /**
   * Returns whether the file was there when a file of its folder was asked for first, or was written since: a plan asks for thousands of
   * files, and 256 folders are listed faster.
   */
  async has(key: Sha256): Promise<boolean> {
    const folder = folderOf(key);
    const listed = this.#listed.get(folder) ?? this.#namesIn(folder);
    this.#listed.set(folder, listed);
    return (await listed).has(key);
  }

  async #namesIn(folder: string): Promise<ReadonlySet<string>> {
    return new Set(await nullIfMissing(readdir(join(this.#options.folder, folder))));
  }

  async put(key: Sha256, bytes: Uint8Array): Promise<void> {
    const { maxBytes } = this.#options;
    if (bytes.length > maxBytes) return;
    await this.#count();
    await replaceFile(this.#pathOf(key), bytes, { isDurable: false });
    this.#listed.delete(folderOf(key));
    this.#bytes += bytes.length;
    if (this.#bytes > maxBytes) await this.prune(maxBytes * (1 - FREED_SHARE));
  }

  #count(): Promise<void> {
    this.#counted ??= this.list().then((files) => {
      this.#bytes += total(files);
    });
    return this.#counted;
  }

  /** Lists all files, least recently used first. */
  async list(): Promise<StoredSegment[]> {
    const entries =
      (await nullIfMissing(readdir(this.#options.folder, { withFileTypes: true, recursive: true }))) ?? [];
    const found: StoredSegment[] = [];
    for (const entry of entries) {
      if (!entry.isFile() || !NAME.test(entry.name)) continue;
      const { size, mtimeMs } = (await nullIfMissing(stat(join(entry.parentPath, entry.name)))) ?? {};
      if (size !== undefined) found.push({ key: entry.name, bytes: size, usedAt: mtimeMs! });
    }
    return found.sort((a, b) => a.usedAt - b.usedAt);
  }

  /** Removes the least recently used files until at most `maxBytes` remain. @returns the removed files */
  async prune(maxBytes: number): Promise<readonly StoredSegment[]> {
    const files = await this.list();
    let left = total(files);
    const removed: StoredSegment[] = [];
    for (const file of files) {
      if (left <= maxBytes) break;
      await this.#remove(file.key);
      left -= file.bytes;
      removed.push(file);
    }
    this.#bytes = left;
    return removed;
  }

  /** Reads every file and removes damaged ones. @returns the removed files */
  async verify(): Promise<readonly StoredSegment[]> {
    const damaged: StoredSegment[] = [];
    for (const file of await this.list()) {
      const bytes = await nullIfMissing(readFile(this.#pathOf(file.key)));
      if (bytes === null || isIntact(bytes)) continue;
      await this.#remove(file.key);
      damaged.push(file);
    }
    return damaged;
  }

  async #remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
    this.#listed.delete(folderOf(key));
  }

  #pathOf(key: string): string {
    return join(this.#options.folder, folderOf(key), key);
  }
}

function folderOf(key: string): string {
  return key.slice(0, 2);
}

function total(files: readonly StoredSegment[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}
