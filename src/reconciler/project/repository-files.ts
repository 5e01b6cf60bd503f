import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { byCodeUnit, type Sha256 } from '../../kernel/digest.ts';
import { contentSha256, MAX_POINTER_BYTES, parseLfsPointer } from '../../kernel/file-kind.ts';
import type { FileText } from '../definition/definition-file.ts';
import type { ReadLog } from './read-log.ts';

/** A local file of a video. */
export interface Asset {
  /** Repository-relative. */
  readonly path: string;
  /** Digest of the content. A Git LFS pointer has that of the bytes that it stands for. */
  readonly sha256: Sha256;
  readonly sizeBytes: number;
}

/** Maximum size of a text file, in bytes. */
const MAX_TEXT_BYTES = 64 << 20;
const CHUNK_BYTES = 1 << 20;

/** Two files or folders whose names differ only in their Unicode form. Paths are repository-relative. */
export interface Twins {
  readonly path: string;
  readonly twin: string;
}

/** Why a file cannot be used. */
export type Refusal = 'missing' | 'outside' | 'forbidden';

/**
 * Reads and hashes each file of a repository once, so that a run sees one state of a file. Paths are relative to the root,
 * with `/`. Follows links inside the repository. Synchronous, because that is ten times faster for many small files.
 */
export class RepositoryFiles {
  readonly root: string;
  /** Real path of the root, with a separator at the end. */
  readonly #inside: string;
  readonly #texts = new Map<string, FileText>();
  readonly #assets = new Map<string, Asset | Refusal>();
  /** Names by folder, for names with accents. */
  readonly #folders = new Map<string, string[]>();
  #assumed: (path: string) => Asset | undefined = () => undefined;
  readonly log: ReadLog | null;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });

  /** @param root absolute */
  constructor(root: string, log: ReadLog | null = null) {
    this.root = root;
    this.log = log;
    const realRoot = realpathSync.native(root);
    this.#inside = realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`;
  }

  readonly text = (path: string): FileText => {
    const known = this.#texts.get(path);
    if (known !== undefined) return known;
    const text = this.#readText(path);
    // A catalogue may be missing without a mistake, and appear later.
    if (!text.ok && text.reason === 'missing') this.log?.absent.add(path);
    this.#texts.set(path, text);
    return text;
  };

  /** Returns the text of a file for code frames. */
  readonly source = (path: string): string | undefined => {
    const text = this.text(path);
    return text?.ok === true ? text.text : undefined;
  };

  /** Returns the digest of a file, or why it cannot be used. */
  readonly asset = (path: string): Asset | Refusal => {
    const known = this.#assets.get(path);
    if (known !== undefined) return known;
    const asset = this.#assumed(path) ?? this.#hash(path);
    this.#assets.set(path, asset);
    return asset;
  };

  /** Returns whether a file exists, also if it cannot be used. */
  readonly hasFile = (path: string): boolean => {
    const known = this.#assets.get(path);
    if (known !== undefined ? known !== 'missing' : this.#find(path) !== 'missing') return true;
    // A file that appears later is used instead of that of a parent locale.
    this.log?.absent.add(path);
    return false;
  };

  /**
   * Returns the path of a file as the disk stores it. Names with accents have two Unicode forms, of which macOS and archives write
   * the decomposed form and keyboards the composed form. A file with exactly this name wins; otherwise the first file with
   * the same letters.
   */
  readonly storedPath = (path: string): string => {
    if (isPlain(path) || existsSync(join(this.root, path))) return path;
    let stored = '';
    for (const segment of path.split('/')) {
      const next = this.#namesLike(stored, segment)[0];
      if (next === undefined) return path;
      stored = stored === '' ? next : `${stored}/${next}`;
    }
    // With the exact name, the plan would use another file.
    this.log?.absent.add(path);
    return stored;
  };

  /** Returns the first file or folder on a path that has a twin; null if there is none. */
  twinsOn(path: string): Twins | null {
    if (isPlain(path)) return null;
    const segments = this.storedPath(path).split('/');
    for (const [index, name] of segments.entries()) {
      const folder = segments.slice(0, index).join('/');
      const twin = isPlain(name) ? undefined : this.#namesLike(folder, name).find((listed) => listed !== name);
      if (twin === undefined) continue;
      const inFolder = (file: string): string => (folder === '' ? file : `${folder}/${file}`);
      return { path: inFolder(name), twin: inFolder(twin) };
    }
    return null;
  }

  /** Returns the sorted names in a folder that are equal to a name in the composed Unicode form. */
  #namesLike(folder: string, name: string): string[] {
    const names = this.#folders.get(folder) ?? this.siblings(`${folder}/x`).sort(byCodeUnit);
    this.#folders.set(folder, names);
    const composed = name.normalize('NFC');
    return names.filter((listed) => listed.normalize('NFC') === composed);
  }

  /** Sets a source of known digests, so that those files are not read. */
  assume(known: (path: string) => Asset | undefined): void {
    this.#assumed = known;
  }

  /** Returns the names of files in the same folder, for hints. */
  siblings(path: string): string[] {
    try {
      return readdirSync(dirname(join(this.root, path)));
    } catch {
      return [];
    }
  }

  #hash(path: string): Asset | Refusal {
    const found = this.#find(path);
    if (typeof found === 'string') return found;
    try {
      const { before, after, sha256 } = hashFile(found.absolute);
      this.log?.note(path, found.absolute, before, after, sha256);
      return { path, sha256, sizeBytes: before.size };
    } catch (error) {
      return refusalOf(error);
    }
  }

  #readText(path: string): FileText {
    const found = this.#find(path);
    if (typeof found === 'string')
      return { ok: false, reason: found === 'missing' && this.#isFolder(path) ? 'folder' : found };
    if (found.stats.size > MAX_TEXT_BYTES) return { ok: false, reason: 'too_large' };
    try {
      const bytes = this.log?.read(path, found.absolute) ?? readFileSync(found.absolute);
      if (parseLfsPointer(bytes) !== null) return { ok: false, reason: 'lfs_pointer' };
      if (isUtf16(bytes)) return { ok: false, reason: 'utf_16' };
      return { ok: true, text: this.#decoder.decode(bytes) };
    } catch (error) {
      return { ok: false, reason: error instanceof TypeError ? 'not_text' : refusalOf(error) };
    }
  }

  /** Names a folder in a message; where files are optional, a folder is none. */
  #isFolder(path: string): boolean {
    try {
      return statSync(join(this.root, path), { throwIfNoEntry: false })?.isDirectory() === true;
    } catch {
      return false;
    }
  }

  #find(path: string): { absolute: string; stats: Stats } | Refusal {
    try {
      const absolute = realpathSync.native(join(this.root, this.storedPath(path)));
      if (!absolute.startsWith(this.#inside)) return 'outside';
      const stats = statSync(absolute);
      return stats.isFile() ? { absolute, stats } : 'missing';
    } catch (error) {
      return refusalOf(error);
    }
  }
}

/** Returns whether a text is UTF-16, which without a byte order mark is valid UTF-8 with null characters. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
}

/** Returns whether a path has one Unicode form only. */
function isPlain(path: string): boolean {
  return /^[\x20-\x7e]*$/.test(path);
}

/** @throws errors that the user did not cause */
function refusalOf(error: unknown): Refusal {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'EACCES' || code === 'EPERM') return 'forbidden';
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return 'missing';
  throw error;
}

/** @returns `sha256` as of `Asset` */
function hashFile(absolute: string): { sha256: Sha256; before: Stats; after: Stats } {
  const hash = createHash('sha256');
  const file = openSync(absolute, 'r');
  try {
    const before = fstatSync(file);
    if (before.size <= MAX_POINTER_BYTES) {
      const bytes = readFileSync(file);
      return { sha256: contentSha256(bytes), before, after: fstatSync(file) };
    }
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, before.size + 1));
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
    return { sha256: hash.digest('hex') as Sha256, before, after: fstatSync(file) };
  } finally {
    closeSync(file);
  }
}
