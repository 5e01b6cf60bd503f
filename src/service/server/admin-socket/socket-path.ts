import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { platform, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { sha256 } from '../../../kernel/digest.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';

/** Maximum length of a socket path in bytes: macOS allows 104 and Linux 108, including the final NUL. */
const MAX_PATH_BYTES = 103;

const TEMPORARY = 'reelform-control-';

/**
 * Returns the path of a data folder's admin socket, or null when there is none.
 *
 * @param directory absolute
 */
export async function findSocketPath(directory: string): Promise<string | null> {
  return fixedPath(directory) ?? (await readAddress(directory));
}

/**
 * Prepares the path at which the server creates its socket. Removes the socket of a killed server: the caller holds the
 * folder's database, so no other server can be listening.
 *
 * @returns the path and a function that removes the socket
 */
export async function createSocketPath(directory: string): Promise<{ path: string; remove(): Promise<void> }> {
  const fixed = fixedPath(directory);
  if (fixed !== null) {
    const remove = async (): Promise<void> => {
      // A Windows pipe is not a file: it disappears with its server.
      if (platform() !== 'win32') await rm(fixed, { force: true });
    };
    await remove();
    return { path: fixed, remove };
  }
  await removeTemporary(await readAddress(directory));
  // `mkdtemp` creates the folder with mode 0700, so other users cannot reach the socket.
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

/** Returns null when the folder's own path is too long for a socket. */
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
