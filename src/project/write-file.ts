import { ReelformError } from '../diagnostic.ts';
import { replaceFile } from '../replace-file.ts';

/**
 * Writes a file of the user's whole or not at all; once it has returned, it outlives a power cut. Missing folders are made.
 *
 * @param path absolute
 * @throws ReelformError `write_failed`
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  try {
    await replaceFile(path, data, { isDurable: true });
  } catch (cause) {
    throw new ReelformError('write_failed', `${path} could not be written: ${(cause as Error).message}`, {
      hint: 'Check the space on the disk and the rights of the folder',
      cause,
    });
  }
}
