import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A separate small file system. */
export interface SmallDisk {
  readonly directory: string;
  /** Fills it to the last byte. */
  fill(): void;
  /** Removes the filler. */
  free(): void;
  setReadOnly(isReadOnly: boolean): void;
}

/**
 * Mounts a small disk until the test finishes. Returns null if mounting is not permitted: it requires Linux and root.
 */
export function mountSmallDisk(megabytes: number): SmallDisk | null {
  const directory = mkdtempSync(join(tmpdir(), 'reelform-disk-'));
  const mount = (...args: string[]): void => void execFileSync('mount', args, { stdio: 'ignore' });
  try {
    mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', directory);
  } catch {
    rmSync(directory, { recursive: true });
    return null;
  }
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', directory]);
    rmSync(directory, { recursive: true, force: true });
  });
  const ballast = join(directory, 'ballast');
  return {
    directory,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (;;) writeSync(file, Buffer.alloc(65_536));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    setReadOnly: (isReadOnly) => mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, directory),
  };
}
