import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

/** Short, because socket paths below it are limited to 103 bytes. */
const PREFIX = 'rf-run-';

/** A file system in memory on Linux, where creating a database or a git repository takes a tenth of the time. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4 * 2 ** 30;

/**
 * Creates one temporary folder for everything that a run, its tests and their processes create, and removes it after
 * the run. Must be the first global set-up, so that it also covers the others.
 */
export function setup(): () => void {
  // Every project runs its own set-up.
  if (basename(tmpdir()).startsWith(PREFIX)) return () => undefined;
  const before = process.env.TMPDIR;
  const folder = (before === undefined ? makeFolder(MEMORY) : null) ?? mkdtempSync(join(tmpdir(), PREFIX));
  // If tests run as root, PostgreSQL runs as another user and must be able to traverse the folder.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** Returns a new folder in `parent`, or null if it has little room or forbids execution. */
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

/** Removes the folders of runs that were killed at least a day ago. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent).filter((one) => one.startsWith(PREFIX))) {
    const folder = join(parent, name);
    if (Date.now() - statSync(folder).mtimeMs > 24 * 3_600_000) rmSync(folder, { recursive: true, force: true });
  }
}
