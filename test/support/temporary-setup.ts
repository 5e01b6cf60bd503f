import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

/** Short: the paths of sockets below may have 103 bytes. */
const PREFIX = 'rf-run-';

/**
 * One temporary folder for all that a run makes, in its tests and in the processes that they start; it goes with the run.
 * First of the global set-ups: what the others leave is in there too.
 */
export function setup(): () => void {
  // Each project has its own set-up.
  if (basename(tmpdir()).startsWith(PREFIX)) return () => undefined;
  const before = process.env.TMPDIR;
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  // PostgreSQL runs as a user of its own where the tests are root's: it has to get through.
  chmodSync(folder, 0o711);
  process.env.TMPDIR = folder;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
