import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '../../src/kernel/digest.ts';
import { HEAD_BYTES, SourceFile } from '../../src/kernel/source-file.ts';
import { temporaryRepository } from './temporary-repository.ts';

/** Returns bytes as a file on disk until the test is finished. */
export function sourceFile(bytes: Uint8Array): SourceFile {
  const name = randomBytes(8).toString('hex');
  const path = join(temporaryRepository({ [name]: bytes }), name);
  return new SourceFile({ path, length: bytes.length, sha256: sha256(bytes), head: bytes.subarray(0, HEAD_BYTES) });
}
