import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Diagnostic } from '../diagnostic.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import { findRoot } from '../project/find-root.ts';
import { LOCK_FILE } from './open-plan.ts';

/** The lock alone, for commands that look at nothing else. */
export async function openLock(cwd: string): Promise<{
  readonly lock: Lock | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly source: (file: string) => string | undefined;
}> {
  const path = join(findRoot(cwd), LOCK_FILE);
  const lock = await readLock(path, LOCK_FILE);
  if (lock.ok) return { lock: lock.value, diagnostics: [], source: () => undefined };
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return { lock: null, diagnostics: lock.diagnostics, source: () => text };
}
