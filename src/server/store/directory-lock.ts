import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { pid } from 'node:process';
import { lock } from 'proper-lockfile';
import { ReelformError } from '../../diagnostic.ts';
import { ifThere } from '../../if-there.ts';
import type { Log } from '../log.ts';
import { processIdentity } from './process-identity.ts';

const TOUCH_MS = 5_000;
/** An owner on another machine (or in another container) that has not touched its file for so long is gone. */
const FOREIGN_STALE_MS = 20_000;

interface Owner {
  readonly pid: number;
  readonly identity: string;
  readonly host: string;
  /** Of this opening. */
  readonly mark: string;
}

/**
 * Keeps every other process out of a data folder for as long as this one lives. EDGE. A killed owner is seen at once: what
 * counts is whether its process exists, not how long it has been silent, so one that was merely stopped keeps the folder.
 *
 * @param directory absolute; exists
 * @returns gives the folder up
 * @throws ReelformError `data_in_use`
 */
export async function lockDirectory(directory: string, log: Log): Promise<() => Promise<void>> {
  const path = join(directory, 'database.lock');
  const owner: Owner = { pid, identity: (await processIdentity(pid)) ?? '', host: hostname(), mark: randomUUID() };
  // Held for the moment in which the owner's file is read and replaced, so that of two who find it stale one waits.
  const release = await lock(directory, {
    lockfilePath: join(directory, 'database.lock.guard'),
    realpath: false,
    stale: 5_000,
    retries: { retries: 100, factor: 1, minTimeout: 20, maxTimeout: 100 },
    onCompromised: (error) => log.warn({ code: error.message }, 'the guard of the data folder was taken away'),
  });
  try {
    const holder = await readOwner(path);
    if (holder !== null && (await isAlive(holder, path))) throw inUse(directory, holder);
    const fresh = `${path}.${owner.mark}`;
    await writeFile(fresh, `${JSON.stringify(owner)}\n`);
    await rename(fresh, path);
  } finally {
    await release();
  }
  const timer = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, TOUCH_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    if ((await readOwner(path))?.mark === owner.mark) await rm(path, { force: true });
  };
}

async function isAlive(owner: Owner, path: string): Promise<boolean> {
  // Process ids mean nothing across machines.
  if (owner.host !== hostname()) return Date.now() - (await stat(path)).mtimeMs < FOREIGN_STALE_MS;
  return (await processIdentity(owner.pid)) === owner.identity;
}

/** Null for no file. The file appears whole, so one that cannot be read is not ours. */
async function readOwner(path: string): Promise<Owner | null> {
  const text = await ifThere(readFile(path, 'utf8'));
  try {
    return text === null ? null : (JSON.parse(text) as Owner);
  } catch {
    return null;
  }
}

function inUse(directory: string, owner: Owner): ReelformError {
  const where = owner.host === hostname() ? '' : ` on ${owner.host}`;
  return new ReelformError('data_in_use', `The data folder ${directory} is in use by process ${owner.pid}${where}`, {
    hint: 'Stop that process, or give this one another data folder; several processes can share one PostgreSQL',
  });
}
