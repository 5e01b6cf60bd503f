import { execFile } from 'node:child_process';
import { hash, randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { kill, pid } from 'node:process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { nullIfMissing } from './file-system-error.ts';
import { isRecord } from './json.ts';
import { readProcessStat } from './os-process.ts';
import { sweepUnfinished, unfinishedPath } from './replace-file.ts';

const execute = promisify(execFile);

/** How often the owner of a lock touches its file. */
const HEARTBEAT_MS = 5_000;
/** An owner whose process cannot be checked from here counts as gone when its file was not touched for this long. */
const STALE_MS = 30_000;
/** A takeover lasts milliseconds. After this long, the process that takes the lock over counts as its owner. */
const TAKEOVER_MS = 10_000;
/** Where files cannot be linked, a lock file is empty for a moment before its content is written. */
const WRITTEN_MS = 1_000;
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']);
/** Of a process that exists and that the system says nothing else about. */
const UNKNOWN = 'unknown';

/** The content of a lock file. */
interface LockOwner {
  readonly pid: number;
  /** See `processIdentity`; null in files of earlier versions, which held the process id alone. */
  readonly identity: string | null;
  readonly host: string | null;
  /** The boot id and the namespace that the process id belongs to; null where the system has no /proc. */
  readonly pids: string | null;
  /** Unique to one acquisition. */
  readonly mark: string;
}

/** Makes the error to throw when the lock is held. @param holder as in “process 4711 on build-7” */
type Refuse = (holder: string) => Error;

/**
 * Keeps every other process out for as long as this one lives. EDGE. The lock is a file that appears with its whole
 * content. The lock of a dead owner is taken over by exactly one of the processes that try.
 *
 * An owner in the same process-id namespace is alive while its process exists, even when it is suspended. An owner in
 * another container, on another host, or on a system without /proc is alive while it touches the file; one that is
 * suspended for longer than 30 seconds loses the lock.
 *
 * @param path absolute; missing folders are made
 * @param refuse called when another acquisition holds the lock, in this process too
 * @returns releases the lock
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

/** @returns the content of the file that is ours now */
async function claim(path: string, refuse: Refuse): Promise<string> {
  const self = await thisProcess();
  const text = `${JSON.stringify({ ...self, mark: randomUUID() } satisfies LockOwner)}\n`;
  const own = unfinishedPath(dirname(path));
  const startedAt = performance.now();
  try {
    await writeFile(own, text, { flag: 'wx' });
    for (;;) {
      if (await appears(path, own, text)) return text;
      const held = await nullIfMissing(readFile(path, 'utf8'));
      if (held === null) continue;
      const owner = parseOwner(held);
      if (owner !== null && (await isAlive(owner, path, own))) throw refuse(holderOf(owner, self));
      if (held === '' && performance.now() - startedAt < WRITTEN_MS) {
        await setTimeout(5);
        continue;
      }
      const rival = await takeOver(path, own, held);
      if (rival === null) return text;
      if (performance.now() - startedAt > TAKEOVER_MS) throw refuse(rival);
      await setTimeout(5);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Whether the file is made now. A link appears with its whole content, and for one process alone. */
async function appears(path: string, own: string, text: string): Promise<boolean> {
  try {
    return await succeeds(link(own, path), 'EEXIST');
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    return succeeds(writeFile(path, text, { flag: 'wx' }), 'EEXIST');
  }
}

/**
 * Puts our file in place of a stale one. A lock of its own, named after the stale content, is held for that: so the file
 * is replaced once, and never the one that another process has just put there.
 *
 * @returns null when our file is there, otherwise a process that was faster
 */
async function takeOver(path: string, own: string, stale: string): Promise<string | null> {
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
    await rename(own, path);
    return null;
  } finally {
    await release(guard, text);
  }
}

class Rival extends Error {}

/** In the form of other unfinished files, so that what a killed takeover leaves is swept with them. */
function guardPath(path: string, stale: string): string {
  const digits = hash('sha256', `${path}\n${stale}`);
  const uuid = [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20)];
  return unfinishedPath(dirname(path), [...uuid, digits.slice(20, 32)].join('-'));
}

async function release(path: string, text: string): Promise<void> {
  if ((await nullIfMissing(readFile(path, 'utf8'))) === text) await rm(path, { force: true });
}

/** Writes the same content again and again, so that the file system, not a clock of this host, dates the last sign of life. */
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

/** Writes through the handle that was read from: a file that another process puts in its place meanwhile stays as it is. */
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

/** @param own a file that was written a moment ago: the clock of the file system */
async function isAlive(owner: LockOwner, path: string, own: string): Promise<boolean> {
  const identity = await processIdentity(owner.pid);
  if (owner.identity === null) return identity !== null;
  const { host, pids } = await thisProcess();
  if (owner.host === host && owner.pids === pids && identity !== UNKNOWN) {
    if (identity === owner.identity) return true;
    // Where nothing names the namespace, the process may be one of another host of this name.
    if (pids !== null) return false;
  }
  const touched = await nullIfMissing(stat(path));
  return touched !== null && (await stat(own)).mtimeMs - touched.mtimeMs < STALE_MS;
}

function holderOf(owner: LockOwner, self: Omit<LockOwner, 'mark'>): string {
  const name = `process ${owner.pid}`;
  if (owner.identity === null) return name;
  if (owner.host !== self.host) return `${name} on ${owner.host}`;
  return owner.pids === self.pids ? name : `${name} in another container`;
}

/** Null for a file that names no process. It appears whole, so it is not being written: a power cut may leave it empty. */
function parseOwner(text: string): LockOwner | null {
  const owner = parseJson(text);
  const id = isRecord(owner) ? owner.pid : Number.parseInt(text, 10);
  // A process id of 0 or less would ask for a group of processes.
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || id <= 0) return null;
  const field = (name: string): string | null => {
    const value = isRecord(owner) ? owner[name] : null;
    return typeof value === 'string' ? value : null;
  };
  return {
    pid: id,
    identity: field('identity'),
    host: field('host'),
    pids: field('pids'),
    mark: field('mark') ?? '',
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function thisProcess(): Promise<Omit<LockOwner, 'mark'>> {
  const [identity, pids] = await Promise.all([processIdentity(pid), pidNamespace()]);
  return { pid, identity: identity ?? '', host: hostname(), pids };
}

/** Names the set of process ids that this process's one is of, among those of all machines; null where /proc does not tell. */
async function pidNamespace(): Promise<string | null> {
  try {
    const [boot, namespace, self] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readlink('/proc/self/ns/pid'),
      readlink('/proc/self'),
    ]);
    // A container can have the /proc of its host, where its processes have other ids.
    return self === String(pid) ? `${boot.trim()} ${namespace}` : null;
  } catch {
    return null;
  }
}

/**
 * Returns a text that no other process in this namespace has had or will have under the same id: when it was started. EDGE.
 *
 * @returns null when there is no such process, or only its remains
 */
async function processIdentity(pid: number): Promise<string | null> {
  if (!exists(pid)) return null;
  const stat = readProcessStat(pid);
  if (stat === null) return readStartTime(pid);
  if (stat.state === 'Z' || stat.state === 'X') return null;
  // Ticks since the machine was started: the same number can come again after the next start.
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return `${boot.trim()} ${stat.startTicks}`;
}

/** Where /proc does not show the process. */
async function readStartTime(pid: number): Promise<string | null> {
  try {
    return (await execute('ps', ['-o', 'lstart=', '-p', String(pid)])).stdout.trim() || null;
  } catch {
    // There may be no ps, and a system can hide the processes of other users.
    return exists(pid) ? UNKNOWN : null;
  }
}

function exists(pid: number): boolean {
  try {
    return kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Whether it was done; `false` when it failed with this code. */
async function succeeds(action: Promise<void>, code: string): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}
