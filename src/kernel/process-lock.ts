import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { pid } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nullIfMissing } from './file-system-error.ts';
import { parseRecord } from './json.ts';
import { processExists, readProcessStat } from './os-process.ts';
import { sweepUnfinished, unfinishedPath } from './replace-file.ts';

const execute = promisify(execFile);

/** How often the owner of a lock touches its file. */
const HEARTBEAT_MS = 5_000;
/** Age of the last heartbeat at which an owner that cannot be checked from this process counts as dead. */
const STALE_MS = 30_000;
/** A takeover takes milliseconds. After this time, the process that performs it counts as the owner. */
const TAKEOVER_MS = 10_000;
/** On a file system without hard links, a new lock file is empty for at most this long. */
const WRITTEN_MS = 1_000;
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);
/** Identity of a process that exists but cannot be inspected. */
const UNKNOWN = 'unknown';

/** The content of a lock file. */
interface LockOwner {
  readonly pid: number;
  /** See `processIdentity`; null in files of earlier versions, which contain only the process id. */
  readonly identity: string | null;
  readonly host: string | null;
  /** Boot id and namespace of the process id; null if the system has no /proc. */
  readonly pids: string | null;
}

/** Creates the error for a lock that is held. @param holder such as “process 4711 on build-7” */
type Refuse = (holder: string) => Error;

/**
 * Acquires an exclusive lock that ends with this process at the latest. The lock is a file that is created atomically with
 * its content. Exactly one of the waiting processes takes over the lock of a dead owner.
 *
 * An owner in the same process-id namespace is alive while its process exists, even if suspended. An owner in another
 * container, on another host, or on a system without /proc is alive while it updates the file, so it loses the lock if it
 * is suspended for more than 30 seconds.
 *
 * @param path absolute; missing folders are created
 * @param refuse called if the lock is held, by another process or by this process
 * @returns a function that releases the lock
 */
export async function acquireProcessLock(path: string, refuse: Refuse): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  const text = await claim(path, refuse);
  const stopHeartbeat = startHeartbeat(path, text);
  await sweepUnfinished(dirname(path), Date.now());
  return async () => {
    await stopHeartbeat();
    await release(path, text);
  };
}

/**
 * Returns the holder of a lock, such as “process 4711 on build-7”, without trying to acquire it; null if it is free or held by this
 * process.
 *
 * @param path absolute
 */
export async function lockHolder(path: string): Promise<string | null> {
  const held = await nullIfMissing(readFile(path, 'utf8'));
  const owner = held === null ? null : parseOwner(held);
  const self = await thisProcess();
  if (owner === null || (owner.pid === self.pid && owner.identity === self.identity)) return null;
  const candidate = unfinishedPath(dirname(path));
  try {
    await writeFile(candidate, '', { flag: 'wx' });
    return (await isAlive(owner, path, candidate)) ? holderOf(owner, self) : null;
  } finally {
    await rm(candidate, { force: true });
  }
}

/** @returns the content of the lock file of this process */
async function claim(path: string, refuse: Refuse): Promise<string> {
  const self = await thisProcess();
  // The mark makes the content unique to this acquisition.
  const text = `${JSON.stringify({ ...self, mark: randomUUID() })}\n`;
  const candidate = unfinishedPath(dirname(path));
  const startedAt = performance.now();
  try {
    await writeFile(candidate, text, { flag: 'wx' });
    for (;;) {
      if (await tryCreate(path, candidate, text)) return text;
      const held = await nullIfMissing(readFile(path, 'utf8'));
      if (held === null) continue;
      const owner = parseOwner(held);
      if (owner !== null && (await isAlive(owner, path, candidate))) throw refuse(holderOf(owner, self));
      if (held === '' && performance.now() - startedAt < WRITTEN_MS) {
        await setTimeout(5);
        continue;
      }
      const rival = await takeOver(path, candidate, held);
      if (rival === null) return text;
      if (performance.now() - startedAt > TAKEOVER_MS) throw refuse(rival);
      await setTimeout(5);
    }
  } finally {
    await rm(candidate, { force: true });
  }
}

/** Tries to create the lock file from a candidate file. A hard link is created atomically with its content. */
async function tryCreate(path: string, candidate: string, text: string): Promise<boolean> {
  try {
    return await succeeds(link(candidate, path), 'EEXIST');
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return succeeds(writeFile(path, text, { flag: 'wx' }), 'EEXIST');
  }
}

/**
 * Replaces a stale lock file with the candidate file. Holds a second lock for that, named after the stale content, so that the
 * file is replaced once and never after another process has replaced it.
 *
 * @returns null if the candidate is in place, otherwise the name of the process that was faster
 */
async function takeOver(path: string, candidate: string, stale: string): Promise<string | null> {
  const guard = guardPath(path, stale);
  let text: string;
  try {
    text = await claim(guard, (rival) => new Rival(rival));
  } catch (error) {
    if (error instanceof Rival) return error.message;
    throw error;
  }
  try {
    if ((await nullIfMissing(readFile(path, 'utf8'))) !== stale) return 'another process';
    await rename(candidate, path);
    return null;
  } finally {
    await release(guard, text);
  }
}

class Rival extends Error {}

/** Named like an unfinished file, so that the lock of a killed takeover is swept with those. */
function guardPath(path: string, stale: string): string {
  const digits = hash('sha256', `${path}\n${stale}`);
  const uuid = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return unfinishedPath(dirname(path), [...uuid, digits.slice(20, 32)].join('-'));
}

async function release(path: string, text: string): Promise<void> {
  if ((await nullIfMissing(readFile(path, 'utf8'))) === text) await rm(path, { force: true });
}

/** Rewrites the content periodically: the modification time is by the clock of the file system, which all hosts share. */
function startHeartbeat(path: string, text: string): () => Promise<void> {
  let beat: Promise<void> | null = null;
  const timer = setInterval(() => {
    beat ??= touch(path, text)
      .catch(() => undefined)
      .finally(() => {
        beat = null;
      });
  }, HEARTBEAT_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await beat;
  };
}

/** Writes to the handle that was read, so that a lock file of another process in its place is not touched. */
async function touch(path: string, text: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    if ((await file.readFile('utf8')) !== text) return;
    await file.write(text, 0);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** @param candidate a file that was just written, for the current time of the file system */
async function isAlive(owner: LockOwner, path: string, candidate: string): Promise<boolean> {
  const identity = await processIdentity(owner.pid);
  if (owner.identity === null) return identity !== null;
  const { host, pids } = await thisProcess();
  if (owner.host === host && owner.pids === pids && identity !== UNKNOWN) {
    if (identity === owner.identity) return true;
    // Without a namespace, the owner may run on another host of the same name.
    if (pids !== null) return false;
  }
  const touched = await nullIfMissing(stat(path));
  return touched !== null && (await stat(candidate)).mtimeMs - touched.mtimeMs < STALE_MS;
}

function holderOf(owner: LockOwner, self: LockOwner): string {
  const name = `process ${owner.pid}`;
  if (owner.identity === null) return name;
  if (owner.host !== self.host) return `${name} on ${owner.host}`;
  return owner.pids === self.pids ? name : `${name} in another container`;
}

/** Parses a lock file; null if it names no process, as after a power failure. */
function parseOwner(text: string): LockOwner | null {
  const owner = parseRecord(text);
  const id = owner === null ? Number.parseInt(text, 10) : owner.pid;
  // kill() takes 0 and negative ids for process groups.
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return null;
  const field = (name: string): string | null => {
    const value = owner?.[name];
    return typeof value === 'string' ? value : null;
  };
  return { pid: id, identity: field('identity'), host: field('host'), pids: field('pids') };
}

async function thisProcess(): Promise<LockOwner> {
  const [identity, pids] = await Promise.all([processIdentity(pid), pidNamespace()]);
  return { pid, identity: identity ?? '', host: hostname(), pids };
}

/** Returns a globally unique name of this process's id namespace; null without /proc. */
async function pidNamespace(): Promise<string | null> {
  try {
    const [boot, namespace, self] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
      readlink('/proc/self'),
    ]);
    // A container may mount the /proc of its host, where its processes have other ids.
    return self === String(pid) ? `${boot.trim()} ${namespace}` : null;
  } catch {
    return null;
  }
}

/**
 * Returns the start time of a process, which distinguishes it from earlier and later processes with the same id.
 *
 * @returns null if the process does not exist or has exited
 */
async function processIdentity(pid: number): Promise<string | null> {
  if (!processExists(pid)) return null;
  const stat = readProcessStat(pid);
  if (stat === null) return readStartTime(pid);
  if (stat.state === 'Z' || stat.state === 'X') return null;
  // Ticks since boot can repeat after a reboot.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${stat.startTicks}`;
}

/** Fallback for processes that /proc does not show. */
async function readStartTime(pid: number): Promise<string | null> {
  try {
    return (await execute('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || null;
  } catch {
    // ps may be missing, and the system may hide processes of other users.
    return processExists(pid) ? UNKNOWN : null;
  }
}

/** Resolves to whether the action succeeded; `false` if it failed with this code. */
async function succeeds(action: Promise<void>, code: string): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
