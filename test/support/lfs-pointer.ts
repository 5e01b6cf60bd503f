import { sha256 } from '../../src/kernel/digest.ts';

/** Returns the Git LFS pointer that a checkout without the content has in place of a file. */
export function pointerTo(bytes: Uint8Array): Buffer {
  return Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(bytes)}\nsize ${bytes.length}\n`);
}
