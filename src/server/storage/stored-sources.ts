import { type Sha256, sha256 } from '../../digest.ts';
import type { UploadStore } from '../../session/sources/source-store.ts';
import type { ObjectStorage } from '../ports.ts';

/** What clients sent, in the storage, where the workers of other machines find it. */
export function createStoredSources(storage: ObjectStorage): UploadStore {
  const keyOf = (digest: Sha256): string => `uploads/${digest}`;
  /** What turned out to be something else than its name says. */
  const spoiled = new Set<Sha256>();
  return {
    async put(bytes, digest = sha256(bytes), isRewritten = false) {
      // The same logo comes with every video.
      const there = isRewritten || spoiled.has(digest) ? null : await storage.stat(keyOf(digest));
      if (there?.size !== bytes.length) await storage.put(keyOf(digest), bytes);
      spoiled.delete(digest);
      return digest;
    },
    async get(digest) {
      const bytes = await storage.read(keyOf(digest));
      if (bytes === null) return null;
      if (sha256(bytes) === digest) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
      spoiled.add(digest);
      return null;
    },
    has: async (digest) => (await storage.stat(keyOf(digest))) !== null,
  };
}
