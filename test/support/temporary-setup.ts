import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

/** Short: the paths of sockets below may have 103 bytes. */
const PREFIX = 'rf-run-';

/** Files in memory, on Linux: a database or a git repository is made there in a tenth of the time that a disk takes. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * One temporary folder for all that a run makes, in its tests and in the processes that they start; it goes with the run.
 * First of the global set-ups: what the others leave is in there too.
 */
export function setup(): () => void {
  // Each project has its own set-up.
  if (basename(tmpdir()).startsWith(PREFIX)) return () => undefined;
  const before = process.env.TMPDIR;
  const folder = (before === undefined ? makeFolder(MEMORY) : null) ?? mkdtempSync(join(tmpdir(), PREFIX));
  // PostgreSQL runs as a user of its own where the tests are root's: it has to get through.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** Returns a new folder in `parent`, or null where there is little room, or no program may be run from there. */
function makeFolder(parent: string): string | null {
  let folder: string | undefined;
  try {
    removeLeftovers(parent);
    const { bavail, bsize } = statfsSync(parent);
    if (bavail * bsize < ROOM_BYTES) return null;
    folder = mkdtempSync(join(parent, PREFIX));
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 });
    execFileSync(program);
    rmSync(program);
    return folder;
  } catch {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    return null;
  }
}

/** Removes the folders of runs that were killed a day ago or longer. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(parent, name);
    if (Date.now() - statSync(folder).mtimeMs > 24 * 3_600_000) rmSync(folder, { recursive: true, force: true });
  }
}
