import type { SessionAttempt } from '../../session/parts/part-job.ts';
import type { PartFiles, PartKey } from '../../session/parts/split-ports.ts';
import type { ObjectStorage } from '../ports.ts';

/** Below it a folder for each attempt at a session that is rendered in parts. */
export const PARTS_FOLDER = 'parts/';

/** `parts/<session>.<attempt>/scene` and `…/<part>`: what an attempt leaves lies together, and goes together. */
export function createPartFiles(storage: ObjectStorage): PartFiles {
  const ofPart = ({ part, ...of }: PartKey): string => `${folderOf(of)}${part}`;
  return {
    putScene: (of, bytes) => storage.put(`${folderOf(of)}scene`, bytes),
    readScene: (of) => storage.read(`${folderOf(of)}scene`),
    putPart: (key, bytes) => storage.put(ofPart(key), bytes),
    readPart: (key) => storage.read(ofPart(key)),
    remove: (of) => storage.remove(folderOf(of)),
  };
}

function folderOf({ session, attempt }: SessionAttempt): string {
  return `${PARTS_FOLDER}${session}.${attempt}/`;
}

/** Whose folder it is; null for one that is none of ours. */
export function attemptOf(folder: string): SessionAttempt | null {
  const match = /^(rs_[\w-]+)\.(\d+)$/.exec(folder);
  return match === null ? null : { session: match[1]!, attempt: Number(match[2]) };
}
