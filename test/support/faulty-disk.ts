import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** What a disk says when it is full, and when it is broken. */
export type DiskFault = 'ENOSPC' | 'EIO';

/** Everything of a handle that a disk can refuse. Of a refused write, half is written. */
const WRITES = ['write', 'writeFile', 'truncate', 'sync', 'datasync'] as const;

const real = { open: fs.open, rename: fs.rename, mkdir: fs.mkdir };

/**
 * Does something on a disk that refuses the n-th of its writings, beginning with 1: opening a file to write, writing,
 * truncating, syncing, renaming, making folders. The file system itself is asked for all the others.
 *
 * @param options.stays whether it refuses all from then on, too
 * @returns whether it came to that
 */
export async function onFaultyDisk(
  n: number,
  fault: DiskFault,
  options: { readonly stays: boolean },
  action: () => Promise<void>,
): Promise<boolean> {
  let count = 0;
  const refuses = (): boolean => {
    count += 1;
    return options.stays ? count >= n : count === n;
  };
  const refusal = (syscall: string): Error =>
    Object.assign(new Error(`${fault}: ${syscall}`), { code: fault, syscall });
  const guarded = (handle: FileHandle): FileHandle =>
    new Proxy(handle, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        if (!(WRITES as readonly unknown[]).includes(name)) return member.bind(target);
        return async (...args: unknown[]) => {
          if (!refuses()) return member.apply(target, args);
          if (name === 'write') {
            const [bytes, offset, length, position] = args as [Buffer, number, number, number];
            await target.write(bytes, offset, Math.floor(length / 2), position);
          } else if (name === 'writeFile') {
            const bytes = Buffer.from(args[0] as string);
            await target.writeFile(bytes.subarray(0, bytes.length / 2));
          }
          throw refusal(String(name));
        };
      },
    });
  fs.open = async (path, flags, mode) => {
    if (flags !== 'r' && refuses()) throw refusal('open');
    return guarded(await real.open(path, flags, mode));
  };
  fs.rename = async (from, to) => {
    if (refuses()) throw refusal('rename');
    return real.rename(from, to);
  };
  fs.mkdir = (async (...args: Parameters<typeof real.mkdir>) => {
    if (refuses()) throw refusal('mkdir');
    return real.mkdir(...args);
  }) as typeof fs.mkdir;
  // Those who imported them by name see it, too.
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return count >= n;
}

/** Does something with a refusal at every writing in turn, until there is none left to refuse. @returns how many there were */
export async function atEveryWriting(
  fault: DiskFault,
  options: { readonly stays: boolean },
  attempt: (run: (action: () => Promise<void>) => Promise<boolean>, n: number) => Promise<boolean>,
): Promise<number> {
  for (let n = 1; ; n++) {
    const wasHit = await attempt((action) => onFaultyDisk(n, fault, options, action), n);
    if (!wasHit) return n - 1;
  }
}
