import { createHash } from 'node:crypto';
import {
  closeSync,
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
import type { FileText } from '../definition/definition-file.ts';
import type { Sha256 } from '../digest.ts';
import type { ReadLog } from './read-log.ts';

/** A local file that a video uses. */
export interface Asset {
  /** Repository-relative. */
  readonly path: string;
  readonly sha256: Sha256;
  readonly sizeBytes: number;
}

/** Bytes of one text file. */
const MAX_TEXT_BYTES = 64 << 20;
const CHUNK_BYTES = 1 << 20;

/** Why a file cannot be used. */
export type Refusal = 'missing' | 'outside' | 'forbidden';

/**
 * The files of one repository, each read once and hashed once: a run sees one state of a file. Paths are relative to the
 * root, with `/`; links are followed as long as they stay inside. Synchronous, since that is ten times faster for the
 * many small files of a repository.
 */
export class RepositoryFiles {
  readonly root: string;
  /** What the real path of every file of the repository begins with. */
  readonly #inside: string;
  readonly #texts = new Map<string, FileText>();
  readonly #assets = new Map<string, Asset | Refusal>();
  #assumed: (path: string) => Asset | undefined = () => undefined;
  /** Takes down what is read. */
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
    this.#texts.set(path, text);
    return text;
  };

  /** The text of a file, for code frames. */
  readonly source = (path: string): string | undefined => {
    const text = this.text(path);
    return text?.ok === true ? text.text : undefined;
  };

  /** The digest of a file, or why it cannot be used. */
  readonly asset = (path: string): Asset | Refusal => {
    const known = this.#assets.get(path);
    if (known !== undefined) return known;
    const asset = this.#assumed(path) ?? this.#hash(path);
    this.#assets.set(path, asset);
    return asset;
  };

  /** Takes the digests of files from who knows some of them. */
  assume(known: (path: string) => Asset | undefined): void {
    this.#assumed = known;
  }

  /** The names of files beside this one, for hints. */
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
    if (typeof found === 'string') return { ok: false, reason: found };
    if (found.stats.size > MAX_TEXT_BYTES) return { ok: false, reason: 'too_large' };
    try {
      const bytes = this.log?.read(path, found.absolute) ?? readFileSync(found.absolute);
      return { ok: true, text: this.#decoder.decode(bytes) };
    } catch (error) {
      return { ok: false, reason: error instanceof TypeError ? 'not_text' : refusalOf(error) };
    }
  }

  #find(path: string): { absolute: string; stats: Stats } | Refusal {
    try {
      const absolute = realpathSync.native(join(this.root, path));
      if (!absolute.startsWith(this.#inside)) return 'outside';
      const stats = statSync(absolute);
      return stats.isFile() ? { absolute, stats } : 'missing';
    } catch (error) {
      return refusalOf(error);
    }
  }
}

/** @throws what is no user's mistake */
function refusalOf(error: unknown): Refusal {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'EACCES' || code === 'EPERM') return 'forbidden';
  // No such file, a file where a folder should be, links in a circle.
  if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return 'missing';
  throw error;
}

function hashFile(absolute: string): { sha256: Sha256; before: Stats; after: Stats } {
  const hash = createHash('sha256');
  const file = openSync(absolute, 'r');
  try {
    const before = fstatSync(file);
    const chunk = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, before.size + 1));
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
    return { sha256: hash.digest('hex') as Sha256, before, after: fstatSync(file) };
  } finally {
    closeSync(file);
  }
}
