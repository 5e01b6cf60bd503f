import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../digest.ts';
import { nullIfMissing } from '../../file-system-error.ts';

/** Bytes of a socket's path: 104 on macOS, 108 on Linux, one of them for the NUL at its end. */
const MAX_PATH_BYTES = 103;

const TEMPORARY = 'reelform-control-';

/**
 * Where the control socket of a data folder is, for a client; null when there is none.
 *
 * @param directory absolute
 */
export async function findSocketPath(directory: string): Promise<string | null> {
  return fixedPath(directory) ?? (await readAddress(directory));
}

/**
 * Where to make it. What a killed server left there is removed: whoever calls this holds the folder's database, so nobody
 * else listens.
 *
 * @returns the path, and what removes it again
 */
export async function createSocketPath(directory: string): Promise<{ path: string; remove(): Promise<void> }> {
  const fixed = fixedPath(directory);
  if (fixed !== null) {
    const remove = async (): Promise<void> => {
      // A pipe of Windows is no file: it goes with its server.
      if (platform() !== 'win32') await rm(fixed, { force: true });
    };
    await remove();
    return { path: fixed, remove };
  }
  await removeTemporary(await readAddress(directory));
  // Made with mode 0700: nobody else gets as far as the socket.
  const path = join(await mkdtemp(join(tmpdir(), TEMPORARY)), 'control.sock');
  await writeFile(addressFile(directory), path, { mode: 0o600 });
  return {
    path,
    async remove() {
      await rm(addressFile(directory), { force: true });
      await removeTemporary(path);
    },
  };
}

/** Null where the folder's own path is too long for a socket. */
function fixedPath(directory: string): string | null {
  if (platform() === 'win32') return `\\\\.\\pipe\\reelform-${sha256(directory).slice(0, 32)}`;
  const path = join(directory, 'control.sock');
  return Buffer.byteLength(path) <= MAX_PATH_BYTES ? path : null;
}

function addressFile(directory: string): string {
  return join(directory, 'control.address');
}

function readAddress(directory: string): Promise<string | null> {
  return nullIfMissing(readFile(addressFile(directory), 'utf8'));
}

async function removeTemporary(path: string | null): Promise<void> {
  if (path === null || !basename(dirname(path)).startsWith(TEMPORARY)) return;
  await rm(dirname(path), { recursive: true, force: true });
}
