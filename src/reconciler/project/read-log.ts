import { hash } from 'node:crypto';
import {
  closeSync,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { byCodeUnit, type Sha256 } from '../../kernel/digest.ts';
import { parseLfsPointer } from '../../kernel/file-kind.ts';

/** Metadata that changes with a file or folder. Times are in milliseconds, with a precision of a quarter of a microsecond. */
export type StatTuple = readonly [dev: number, ino: number, sizeBytes: number, mtimeMs: number, ctimeMs: number];

/** A file that had the same tuple before and after it was read. */
export interface FileSeen {
  readonly tuple: StatTuple;
  readonly sha256: Sha256;
  /** Absolute path of the target of a link; `null` if no link is involved. */
  readonly real: string | null;
}

export interface FolderSeen {
  readonly tuple: StatTuple;
  /** Digest of its names and their types. */
  readonly listing: Sha256;
}

/** The digest of a Git LFS pointer is that of the bytes that it stands for, so that fetching them changes nothing. */
function contentDigest(bytes: Buffer): Sha256 {
  return parseLfsPointer(bytes)?.oid ?? (hash('sha256', bytes) as Sha256);
}

/** Number of attempts to read a file that changes meanwhile. */
const ATTEMPTS = 3;
const FIRST_BYTES = 1 << 16;

export function statTuple({ dev, ino, size, mtimeMs, ctimeMs }: Stats): StatTuple {
  return [dev, ino, size, mtimeMs, ctimeMs];
}

export function isSameTuple(a: StatTuple, b: StatTuple): boolean {
  return a[4] === b[4] && a[1] === b[1] && a[2] === b[2] && a[3] === b[3] && a[0] === b[0];
}

/** Returns the digest of a folder's sorted names and their types. */
function listingDigest(entries: readonly Dirent[]): Sha256 {
  const names = entries.map((entry) => {
    const kind = entry.isFile() ? 'f' : entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : 'o';
    return `${entry.name}/${kind}`;
  });
  return hash('sha256', names.sort(byCodeUnit).join('\n')) as Sha256;
}

/**
 * Records the files and folders that were read, with their state, so that a later run can detect changes. Paths are
 * repository-relative, with `/`.
 */
export class ReadLog {
  readonly files = new Map<string, FileSeen>();
  /** Paths that did not exist. */
  readonly absent = new Set<string>();
  readonly folders = new Map<string, FolderSeen>();
  readonly #root: string;
  readonly #realRoot: string;
  #buffer = Buffer.allocUnsafe(FIRST_BYTES);
  #isWhole = true;

  /** @param root absolute */
  constructor(root: string) {
    this.#root = root;
    this.#realRoot = realpathSync.native(root);
  }

  /** False if the result depends on something that a later run cannot check. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Marks the log as incomplete. */
  spoil(): void {
    this.#isWhole = false;
  }

  /**
   * Reads a regular file. The bytes are valid until the next call.
   *
   * @param absolute real path
   */
  read(path: string, absolute: string): Buffer {
    for (let attempt = 1; ; attempt++) {
      const file = openSync(absolute, 'r');
      try {
        const before = fstatSync(file);
        const bytes = this.#readAll(file, before.size);
        const tuple = statTuple(before);
        if (isSameTuple(tuple, statTuple(fstatSync(file)))) {
          const real = absolute === join(this.#realRoot, path) ? null : absolute;
          this.files.set(path, { tuple, sha256: contentDigest(bytes), real });
          return bytes;
        }
        if (attempt < ATTEMPTS) continue;
        this.spoil();
        return bytes;
      } finally {
        closeSync(file);
      }
    }
  }

  /** Records a file that the caller has hashed, with its state before and after. */
  note(path: string, absolute: string, before: Stats, after: Stats, sha256: Sha256): void {
    const tuple = statTuple(before);
    if (!isSameTuple(tuple, statTuple(after))) this.spoil();
    this.files.set(path, { tuple, sha256, real: absolute === join(this.#realRoot, path) ? null : absolute });
  }

  /**
   * Records a file that may be absent. Anything but a file spoils the log.
   *
   * @param real expected target of links
   */
  readIfPresent(path: string, real: string | null = null): void {
    const absolute = join(this.#root, path);
    try {
      const stats = lstatSync(absolute, { throwIfNoEntry: false });
      if (stats === undefined) this.absent.add(path);
      else if (realpathSync.native(absolute) !== (real ?? join(this.#realRoot, path))) this.spoil();
      else if (statSync(absolute).isFile()) this.read(path, real ?? absolute);
      else this.spoil();
    } catch {
      this.spoil();
    }
  }

  /** Lists a folder. @throws like `readdirSync` */
  list(path: string): Dirent[] {
    const absolute = join(this.#root, path);
    for (let attempt = 1; ; attempt++) {
      // The root itself may be a link.
      const before = path === '' ? statSync(absolute) : lstatSync(absolute);
      const entries = readdirSync(absolute, { withFileTypes: true });
      const tuple = statTuple(before);
      if (!before.isDirectory()) this.spoil();
      else if (isSameTuple(tuple, statTuple(statSync(absolute)))) {
        this.folders.set(path, { tuple, listing: listingDigest(entries) });
      } else if (attempt < ATTEMPTS) continue;
      else this.spoil();
      return entries;
    }
  }

  /** Spoils the log if a folder has changed since it was listed. */
  checkFolders(): void {
    for (const [path, { tuple }] of this.folders) {
      const now = statSync(join(this.#root, path), { throwIfNoEntry: false });
      if (now === undefined || !isSameTuple(tuple, statTuple(now))) this.spoil();
    }
  }

  #readAll(file: number, sizeBytes: number): Buffer {
    if (this.#buffer.length <= sizeBytes) this.#buffer = Buffer.allocUnsafe(sizeBytes * 2);
    let length = 0;
    for (;;) {
      if (length === this.#buffer.length) this.#buffer = Buffer.concat([this.#buffer, Buffer.alloc(length)]);
      const read = readSync(file, this.#buffer, length, this.#buffer.length - length, null);
      if (read === 0) return this.#buffer.subarray(0, length);
      length += read;
    }
  }
}
