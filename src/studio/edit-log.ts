import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nullIfMissing } from '../kernel/file-system-error.ts';
import { withMarkOf, writeLinkedFile } from '../reconciler/project/write-file.ts';
import { RequestError } from './request-error.ts';

/** New content of a file; null removes it. */
export interface FileEdit {
  /** Repository-relative. */
  readonly path: string;
  readonly content: Uint8Array | string | null;
}

interface LoggedFile {
  readonly path: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

/** Edits that can be undone. */
const MAX_EDITS = 500;
/** Bytes of all contents that are kept for undoing. */
const MAX_BYTES = 256 << 20;

/** Writes files of the repository and remembers what they were, so that each edit can be undone until its files change. */
export class EditLog {
  readonly #root: string;
  readonly #edits = new Map<string, readonly LoggedFile[]>();
  #last: Promise<unknown> = Promise.resolve();

  /** @param root absolute */
  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Computes an edit from the present files and writes it. Edits run in sequence.
   *
   * @returns the token that undoes it
   */
  write(
    edit: () => Promise<readonly FileEdit[]>,
  ): Promise<{ readonly undo: string; readonly files: readonly string[] }> {
    const done = this.#last.then(async () => this.#apply(await edit()));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Undoes an edit. @throws RequestError `gone`, `conflict` */
  undo(token: string): ReturnType<EditLog['write']> {
    return this.write(async () => {
      const files = this.#edits.get(token);
      if (files === undefined) throw new RequestError('gone', 'This edit cannot be undone any more');
      for (const { path, after } of files) {
        if (isSame(await this.#read(path), after)) continue;
        throw new RequestError('conflict', `${path} was changed after this edit`, { hint: 'Edit the file itself' });
      }
      this.#edits.delete(token);
      return files.map(({ path, before }) => ({ path, content: before }));
    });
  }

  async #apply(edits: readonly FileEdit[]): ReturnType<EditLog['write']> {
    const logged: LoggedFile[] = [];
    for (const { path, content } of edits) {
      const before = await this.#read(path);
      const after =
        content === null ? null : Buffer.from(typeof content === 'string' ? withMarkOf(before, content) : content);
      if (!isSame(before, after)) await this.#write(path, after);
      logged.push({ path, before, after });
    }
    const undo = randomUUID();
    this.#edits.set(undo, logged);
    this.#forget();
    return { undo, files: logged.map(({ path }) => path) };
  }

  async #write(path: string, content: Buffer | null): Promise<void> {
    const absolute = join(this.#root, path);
    if (content === null) return rm(absolute, { force: true });
    await mkdir(dirname(absolute), { recursive: true });
    await writeLinkedFile(absolute, content);
  }

  #read(path: string): Promise<Buffer | null> {
    return nullIfMissing(readFile(join(this.#root, path)));
  }

  #forget(): void {
    const sizeOf = (files: readonly LoggedFile[]): number =>
      files.reduce((sum, { before, after }) => sum + (before?.length ?? 0) + (after?.length ?? 0), 0);
    let bytes = [...this.#edits.values()].reduce((sum, files) => sum + sizeOf(files), 0);
    for (const [token, files] of this.#edits) {
      if (this.#edits.size <= MAX_EDITS && bytes <= MAX_BYTES) return;
      this.#edits.delete(token);
      bytes -= sizeOf(files);
    }
  }
}

function isSame(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
