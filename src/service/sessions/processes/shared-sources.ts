import { constants, mkdirSync } from 'node:fs';
import { copyFile, link, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sha256 } from '../../../kernel/digest.ts';
import { ownedName, ownerHasEnded } from '../../../kernel/owned-name.ts';
import type { SourceFile } from '../../../kernel/source-file.ts';
import { sweepTemporary, tryToRemove } from '../../../kernel/temporary-folder.ts';

const FOLDER_PREFIX = 'reelform-sources-';

/** The sources that a task reads. */
export interface SourceLease {
  /** Returns where the process finds a source, and begins to put it there. */
  pathOf(file: SourceFile): string;
  /** Resolves when all sources are there. @throws Error if a source is missing or the disk is full */
  ready(): Promise<void>;
  /** Removes the sources that no other task reads. */
  end(): void;
}

interface SharedSource {
  /** Its own for each time that a source is put there, so that no late removal meets a source that was put there again. */
  readonly path: string;
  readonly placed: Promise<void>;
  leases: number;
}

/**
 * A folder that a render process can read and not write to, so that it reaches the clips and sounds of its tasks and no other tenant's.
 * They are links if the folder is on their disk, and copies otherwise. Folders of a process that has ended are removed by the next. EDGE.
 */
export class SharedSources {
  readonly folder: string;
  readonly #shared = new Map<Sha256, SharedSource>();
  #count = 0;

  /** @param parent on the disk of the sources, so that they need not be copied; the temporary folder by default */
  constructor(parent = tmpdir()) {
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    sweepTemporary(FOLDER_PREFIX, undefined, (name) => ownerHasEnded(FOLDER_PREFIX, name), parent);
    this.folder = join(parent, ownedName(FOLDER_PREFIX));
    mkdirSync(this.folder, { mode: 0o700 });
  }

  lease(): SourceLease {
    const held = new Map<Sha256, SharedSource>();
    return {
      pathOf: (file) => {
        const shared = held.get(file.sha256) ?? this.#hold(file);
        held.set(file.sha256, shared);
        return shared.path;
      },
      ready: async () => {
        await Promise.all([...held.values()].map(({ placed }) => placed));
      },
      end: () => {
        for (const digest of held.keys()) this.#release(digest);
        held.clear();
      },
    };
  }

  /** Removes the folder. Best effort: errors are ignored. */
  remove(): void {
    tryToRemove(this.folder);
  }

  #hold({ sha256, path: from }: SourceFile): SharedSource {
    const shared = this.#shared.get(sha256) ?? this.#place(from);
    shared.leases += 1;
    this.#shared.set(sha256, shared);
    return shared;
  }

  #place(from: string): SharedSource {
    this.#count += 1;
    const path = join(this.folder, String(this.#count));
    const placed = place(from, path);
    // `ready` reports the error.
    placed.catch(() => undefined);
    return { path, placed, leases: 0 };
  }

  #release(digest: Sha256): void {
    const shared = this.#shared.get(digest)!;
    shared.leases -= 1;
    if (shared.leases > 0) return;
    this.#shared.delete(digest);
    const remove = (): Promise<void> => rm(shared.path, { force: true });
    void shared.placed.then(remove, remove).catch(() => undefined);
  }
}

async function place(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') throw error;
    // On another disk, or on a file system without links.
    await copyFile(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  }
}
