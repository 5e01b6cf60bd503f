import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256 } from '../digest.ts';

/** Bytes under their own SHA-256, in a folder. EDGE. */
export interface SourceStore {
  put(bytes: Uint8Array): Promise<Sha256>;
  get(digest: Sha256): Promise<Uint8Array | null>;
  /** Removes everything. */
  clear(): Promise<void>;
}

export function createSourceStore(directory: string): SourceStore {
  let temporaries = 0;
  return {
    async put(bytes) {
      const digest = sha256(bytes);
      await mkdir(directory, { recursive: true });
      const temporary = join(directory, `.${digest}.${temporaries++}`);
      await writeFile(temporary, bytes);
      await rename(temporary, join(directory, digest));
      return digest;
    },
    async get(digest) {
      try {
        return await readFile(join(directory, digest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    async clear() {
      await rm(directory, { recursive: true, force: true });
    },
  };
}
