import fs, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Error of a full disk and of a broken one. */
export type DiskFault = 'ENOSPC' | 'EIO';

/** Methods of a file handle that a disk can refuse. A refused write stores half of its bytes. */
const WRITES = ['write', 'writeFile', 'truncate', 'sync', 'datasync'] as const;

const real = { open: fs.open, rename: fs.rename, mkdir: fs.mkdir };

/**
 * Runs `work` on a disk that refuses the n-th write operation, counted from 1: opening a file for writing, writing,
 * truncating, syncing, renaming, creating folders. All others reach the file system.
 *
 * @param options.stays whether it refuses all later operations too
 * @returns whether the n-th operation happened
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
  // Updates modules that imported the functions by name.
  syncBuiltinESMExports();
  try {
    await action();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
  return count >= n;
}

/**
 * Repeats `work` with a fault at every write operation in turn, until no operation is left to refuse. @returns their
 * number
 */
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
