import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256 } from '../digest.ts';

/** Bytes under their own SHA-256, in a folder. EDGE. */
export interface SourceStore {
  /** @param digest of the bytes, where it is known already */
  put(bytes: Uint8Array, digest?: Sha256): Promise<Sha256>;
  get(digest: Sha256): Promise<Uint8Array | null>;
  /** Removes everything. */
  clear(): Promise<void>;
}

export function createSourceStore(directory: string): SourceStore {
  let temporaries = 0;
  return {
    async put(bytes, digest = sha256(bytes)) {
      // The same logo comes with every video.
      if (existsSync(join(directory, digest))) return digest;
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
